#include <cstdio>

#include "gpu/core/cuda_device.h"
#include "tests/bench/match_surface_gpu.h"

namespace datum::bench {
namespace {
void say_why() { std::printf(" no GPU rows: %s\n", probe_cuda_device().why.c_str()); }
}  // namespace

void point_match_gpu_rows(const ModelFacets&, const std::vector<ModelPoint>&,
                          const std::vector<PointDirection>&, const PointMatchSettings&,
                          const std::vector<FacetDeviation>&) {
  say_why();
}
void facet_match_gpu_rows(const ModelFacets&, const std::vector<MeasuredFacet>&, const FacetMatchSettings&,
                          const std::vector<FacetPierced>&) {
  say_why();
}

}  // namespace datum::bench
