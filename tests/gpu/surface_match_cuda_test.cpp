// Matching on a CUDA device gives the CPU's bytes.
#include "gpu/surface_match/surface_match_cuda.h"

#include <gtest/gtest.h>

#include <limits>

#include "gpu/core/cuda_device.h"
#include "tests/gpu/surface_scenes.h"

namespace datum {
namespace {

using namespace testing;

class SurfaceMatchCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    const CudaDevice device = probe_cuda_device();
    if (!device.usable) GTEST_SKIP() << device.why;
  }
};

void expect_same(const RawModel& raw, const Measured& m, float gate, const char* what) {
  const ModelFacets facets = model_facets(triangle_model(raw));
  PointMatchSettings settings;
  settings.gate = gate;
  const MeasuredPoints points(m.points.data(), m.directions.empty() ? nullptr : m.directions.data(),
                              m.points.size());
  CudaPointMatch device(facets);
  device.upload(nullptr, points);
  device.launch(nullptr, settings);
  std::vector<FacetDeviation> out(facets.facet.size());
  device.fetch(nullptr, out.data());
  EXPECT_TRUE(bytes(out) == bytes(matched(facets, m, settings))) << what;
}

void expect_same(const RawModel& raw, const std::vector<MeasuredFacet>& measured,
                 const FacetMatchSettings& settings, const char* what) {
  const ModelFacets facets = model_facets(triangle_model(raw));
  CudaFacetMatch device(facets);
  device.upload(nullptr, MeasuredFacets(measured, settings.choice));
  device.launch(nullptr, settings);
  std::vector<FacetPierced> out(facets.facet.size());
  device.fetch(nullptr, out.data());
  EXPECT_TRUE(bytes(out) == bytes(matched(facets, measured, settings))) << what;
}

TEST_F(SurfaceMatchCuda, PointsGiveTheBytesOfTheCpu) {
  for (const std::size_t facets : {1, 33, 3000}) {
    const RawModel soup = soup_model(facets, facets);
    for (const float gate : {0.01f, 0.5f, 40.f})
      expect_same(soup, measured_points(triangle_model(soup), 20000, 0.01, 0.2, facets), gate, "soup");
  }
  const RawModel sphere = sphere_model(20, 100);
  expect_same(sphere, measured_points(triangle_model(sphere), 60000, 0.1, 0.02, 1), 0.3f, "sphere");
  const RawModel box = box_model(40, 30, 2, 1);  // two facets a side, each a block's
  expect_same(box, measured_points(triangle_model(box), 200000, 0.05, 0.02, 2), 0.3f, "box");
  expect_same(box, Measured{}, 0.3f, "nothing");
  Measured bad = measured_points(triangle_model(box), 300, 0, 0.02, 3);
  bad.directions.clear();
  bad.points[7].x = std::numeric_limits<float>::quiet_NaN();
  bad.points[9].z = std::numeric_limits<float>::infinity();
  expect_same(box, bad, 0.3f, "without directions, places that are none");
}

TEST_F(SurfaceMatchCuda, FacetsGiveTheBytesOfTheCpu) {
  FacetMatchSettings nearest, walk;
  walk.choice = FacetChoice::first_found;
  for (const std::size_t facets : {1, 40, 4000})
    for (const float gate : {0.1f, 30.f}) {
      nearest.gate = walk.gate = gate;
      walk.vicinity = 2;
      RawModel other = soup_model(facets, facets + 1);
      for (std::size_t i = 0; i < other.vertices.size(); i += 97)
        for (double& c : other.vertices[i]) c *= 3;
      auto measured = measured_facets(triangle_model(other));
      const std::size_t once = measured.size();
      for (std::size_t i = 0; i < once; i += 3) measured.push_back(measured[i]);  // the lower one counts
      expect_same(soup_model(facets, facets), measured, nearest, "nearest");
      expect_same(soup_model(facets, facets), measured, walk, "walk");
    }
  nearest.gate = 0.5f;
  expect_same(sphere_model(20.1, 150), measured_facets(triangle_model(sphere_model(20, 200))), nearest,
              "spheres");
  expect_same(sphere_model(20.1, 50), {}, nearest, "nothing");
  expect_same(sphere_model(20.1, 50), {}, walk, "nothing to walk");
}

}  // namespace
}  // namespace datum
