// The CUDA search on a model gives the CPU's bytes.
#include "gpu/model_distance/model_distance_cuda.h"

#include <gtest/gtest.h>

#include <limits>

#include "gpu/core/cuda_device.h"
#include "gpu/core/gpu_error.h"
#include "tests/gpu/model_scenes.h"

namespace datum {
namespace {

using namespace testing;

class ModelDistanceCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    const CudaDevice device = probe_cuda_device();
    if (!device.usable) GTEST_SKIP() << device.why;
  }
};

void expect_same(const RawModel& raw, const std::vector<ModelPoint>& points, float search, const char* what) {
  const TriangleModel model = triangle_model(raw);
  CudaModelSearch device(model);
  DistanceSettings settings;
  settings.search = search;
  std::vector<ModelDistance> out(points.size());
  device.upload(nullptr, points.data(), points.size());
  device.launch(nullptr, settings);
  device.fetch(nullptr, out.data());
  EXPECT_TRUE(bytes_of(out) == bytes_of(find(model, points, search))) << what;
}

TEST_F(ModelDistanceCuda, GivesTheBytesOfTheCpu) {
  for (const std::size_t facets : {1, 8, 9, 64, 65, 3000, 40000})
    expect_same(soup_model(facets, facets), points_in_cube(20000, 14, facets), facets % 2 ? 2.f : 100.f,
                "soup");
  expect_same(box_model(20, 20, 20, 12), points_in_cube(50000, 12, 2), 30, "box");
  expect_same(sphere_model(9, 100), points_in_cube(50000, 12, 3), 30, "sphere");
  expect_same(cone_model(5, 10, 30, 90), points_in_cube(50000, 7, 4), 3, "cone");
}

TEST_F(ModelDistanceCuda, SaysTheSameOfPointsWithoutAPlace) {
  auto points = points_in_cube(300, 12, 5);
  const float bad[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 1e20f,
                       -1e16f};
  for (std::size_t i = 0; i < 4; ++i) {
    points[10 + i].x = bad[i];
    points[50 + i].y = bad[i];
    points[90 + i].z = bad[i];
  }
  expect_same(box_model(20, 20, 20, 3), points, 4, "places that are none");
}

}  // namespace
}  // namespace datum
