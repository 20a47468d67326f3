// Snapshots that a CUDA device compares with a model have the CPU's bytes.
#include "gpu/surface_compare/surface_compare_cuda.h"

#include <gtest/gtest.h>

#include "gpu/area_share/area_share_cuda.h"
#include "gpu/core/cuda_device.h"
#include "gpu/model_distance/model_distance_cuda.h"
#include "gpu/surface_match/facet_matcher_cuda.h"
#include "tests/gpu/compare_scenes.h"
#include "tests/gpu/surface_scenes.h"

namespace datum {
namespace {

using namespace testing;

class SurfaceCompareCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    const CudaDevice device = probe_cuda_device();
    if (!device.usable) GTEST_SKIP() << device.why;
  }
};

struct OnDevice {
  explicit OnDevice(const ComparedModel& model)
      : search(cuda_device_search(*model.searched.triangles)),
        areas(cuda_device_areas(*model.areas)),
        compare(cuda_device_compare(*search, *areas)) {}
  Compared found(const CompareScene& scene, bool new_rays = true) {
    if (new_rays) compare->take(scene.rays.data(), scene.rays.size());
    Compared out(scene);
    compare->compare(scene.part(), scene.settings, out.out());
    return out;
  }
  std::unique_ptr<DeviceSearch> search;
  std::unique_ptr<DeviceAreas> areas;
  std::unique_ptr<DeviceCompare> compare;
};

TEST_F(SurfaceCompareCuda, GivesTheBytesOfTheCpu) {
  for (const RawModel& raw :
       {box_model(8, 6, 3, 4), sphere_model(6, 24), cone_model(6, 4, 5, 12), soup_model(700, 3)})
    for (const CountType type : {CountType::int16, CountType::int32, CountType::float32})
      for (const std::size_t shots : {1, 3}) {
        const CompareScene scene(raw, type, shots, shots + 7);
        EXPECT_TRUE(OnDevice(scene.model).found(scene) == compared_on_cpu(scene))
            << raw.facets.size() << " " << static_cast<int>(type) << " " << shots;
      }
}

TEST_F(SurfaceCompareCuda, GivesThemForPartAfterPartOfOneModel) {
  const RawModel raw = box_model(8, 6, 3, 4);
  CompareScene scene(raw, CountType::int16, 2, 1);
  OnDevice device(scene.model);
  for (const std::uint64_t seed : {1, 2, 3}) {  // the same rays, other heights
    CompareScene next(raw, CountType::int16, 2, seed);
    next.model = scene.model;
    EXPECT_TRUE(device.found(next, seed == 1) == compared_on_cpu(next)) << seed;
  }
  for (const int rows : {90, 0, 31}) {
    CompareScene next(raw, CountType::int32, 1, 9, rows, 33);
    next.model = scene.model;
    EXPECT_TRUE(device.found(next) == compared_on_cpu(next)) << rows;
  }
}

// Facets of the same model about another origin, by the points of the last comparison.
TEST_F(SurfaceCompareCuda, SumsWhatTheLastPointsSayOfFacets) {
  const RawModel raw = sphere_model(6, 24);
  const ModelFacets facets = with_regions(model_facets(triangle_model(raw)));
  const std::unique_ptr<DeviceMatch> match = cuda_device_match(facets);
  MatchOfPoints how;
  how.settings.gate = 0.5f;
  how.origin[1] = 1e-3;
  const std::vector<PointDirection> directions{{0, 0, 1}, {0, -0.6f, 0.8f}, {0, 1, 0}};
  how.directions = directions.data();
  OnDevice device(CompareScene(raw, CountType::int16, 1, 1).model);
  for (const std::size_t shots : {1, 3, 2}) {
    CompareScene scene(raw, CountType::int16, shots, shots);
    device.found(scene);
    std::vector<FacetSums> found(facets.regions->total.size()), expected(found.size());
    device.compare->sum(*match, how, found.data());
    sum_compared(facets, points_of(scene.part(), 1), scene.part(), how, expected.data());
    EXPECT_TRUE(bytes(found) == bytes(expected)) << shots;
    EXPECT_GT(found[0].count, 20u);
  }
}

TEST_F(SurfaceCompareCuda, TakesFacetsThatThereAreNoneOfForNone) {
  CompareScene scene(box_model(8, 6, 3, 4), CountType::int16, 1, 1);
  for (std::size_t i = 0; i < scene.shots[0].facet.size(); i += 7) scene.shots[0].facet[i] = 1'000'000;
  EXPECT_TRUE(OnDevice(scene.model).found(scene) == compared_on_cpu(scene));
}

TEST_F(SurfaceCompareCuda, RefusesWhatDoesNotBelongTogether) {
  const CompareScene scene(box_model(8, 6, 3, 4), CountType::int16, 2, 1);
  OnDevice device(scene.model);
  Compared out(scene);
  EXPECT_THROW(device.compare->compare(scene.part(), scene.settings, out.out()), std::invalid_argument);
  const CompareScene other(sphere_model(6, 24), CountType::int16, 1, 1);
  const auto areas = cuda_device_areas(*other.model.areas);
  EXPECT_THROW(cuda_device_compare(*device.search, *areas), std::invalid_argument);
  AreaModel untold = *scene.model.areas;
  untold.region.clear();
  const auto without = cuda_device_areas(untold);
  EXPECT_THROW(cuda_device_compare(*device.search, *without), std::invalid_argument);
}

}  // namespace
}  // namespace datum
