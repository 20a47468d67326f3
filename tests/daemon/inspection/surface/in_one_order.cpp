// Whatever a test's scene is: compared in one order, as a GPU does, it has the same verdict.
#include <gtest/gtest.h>

#include "tests/daemon/inspection/surface/comparer_here.h"
#include "tests/daemon/inspection/surface/surface_scan.h"

namespace datum::testing {
namespace {

void expect_same_in_one_order(const SurfaceInspection& found, const std::vector<SurfaceFrame>& frames,
                              InspectionInputs in, SurfaceModels& models) {
  ComparerHere here;
  CpuAreaSharer areas(cpu_backend(1));
  CpuFacetMatcher facets(cpu_backend(1));
  in.comparer = &here;
  in.sharer = &areas;
  in.matcher = &facets;
  SurfaceInspection other = inspect_surface(frames, in, models, cpu_backend(3));
  if (!other.map) return;
  EXPECT_EQ(here.parts, 1);
  other.verdict.backend = found.verdict.backend;
  EXPECT_EQ(to_json(other.verdict), to_json(found.verdict));
}

const bool is_told = [] {
  inspected = expect_same_in_one_order;
  return true;
}();

}  // namespace
}  // namespace datum::testing
