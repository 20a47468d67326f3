// The areas that a CUDA device shares have the CPU's bytes.
#include "gpu/area_share/area_share_cuda.h"

#include <gtest/gtest.h>

#include "gpu/core/cuda_device.h"
#include "tests/gpu/area_scenes.h"

namespace datum {
namespace {

using namespace testing;

class AreaShareCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    const CudaDevice device = probe_cuda_device();
    if (!device.usable) GTEST_SKIP() << device.why;
  }
};

TEST_F(AreaShareCuda, GivesTheBytesOfTheCpu) {
  for (const std::size_t reaches : {1, 2, 8})
    for (const std::uint32_t patches : {256u, 700u, 5003u}) {
      const AreaScene model(1, reaches, patches);
      const std::unique_ptr<DeviceAreas> device = cuda_device_areas(*model.model);
      for (const std::size_t count : {40000, 1, 0, 257, 100003}) {
        AreaScene scene(count, reaches, patches, count + 1);
        scene.model = model.model;
        SharedAreas areas(scene);
        device->share(scene.judged(), areas.out());
        EXPECT_TRUE(areas == shared_on_cpu(scene)) << reaches << " " << patches << " " << count;
      }
    }
}

TEST_F(AreaShareCuda, SaysTheSameAHundredTimes) {
  const AreaScene scene(30000);
  const SharedAreas expected = shared_on_cpu(scene);
  const std::unique_ptr<DeviceAreas> device = cuda_device_areas(*scene.model);
  for (int i = 0; i < 100; ++i) {
    SharedAreas areas(scene);
    device->share(scene.judged(), areas.out());
    ASSERT_TRUE(areas == expected) << i;
  }
}

TEST_F(AreaShareCuda, RefusesListsThatNameWhatThereIsNoneOf) {
  AreaScene scene(10);
  auto lists = std::make_shared<PatchLists>(*scene.model->reaches[0]);
  lists->near[3] = static_cast<std::uint32_t>(lists->area_mm2.size());
  scene.model->reaches[0] = lists;
  EXPECT_THROW(cuda_device_areas(*scene.model), std::invalid_argument);
}

}  // namespace
}  // namespace datum
