// Services on a real device in the worker process: the CPU's bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "daemon/gpu_worker/failover_services.h"
#include "gpu/core/cuda_device.h"
#include "tests/daemon/gpu_worker/service_scenes.h"

namespace datum {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(GpuServices, OfAWellDeviceGiveTheBytesOfTheCpu) {
  const CudaDevice device = probe_cuda_device();
  if (!device.usable) GTEST_SKIP() << device.why;
  ServiceClientSettings settings;
  settings.program = DATUM_GPU_PROGRAM;
  std::vector<std::string> faults;
  auto gpu = std::make_shared<GpuServices>(
      std::make_unique<ServiceClient>(settings), 60s, [] { return 0ns; },
      [&](bool, const std::string& text) { faults.push_back(text); });
  FailoverFinder finder(gpu, cpu_backend());
  FailoverFacetMatcher matcher(gpu, cpu_backend(), MatchCrossovers{0, 0});
  FailoverSharer sharer(gpu, cpu_backend(), AreaCrossover{0});
  FailoverDiffuser diffuser(gpu, cpu_backend());
  FailoverDemodulator demodulator(gpu, cpu_backend());
  FailoverInverter inverter(gpu, cpu_backend(), InvertCrossover{1});
  FailoverCorrelator correlator(gpu, cpu_backend(), CorrelationCrossover{0});
  const SearchedModel box = testing::searched(testing::box_model(16, 12, 8, 6));
  for (const std::uint32_t side : {13, 40, 1000, 64}) {
    EXPECT_THAT(testing::diffuse_by(diffuser, side), StartsWith("cuda "));
    EXPECT_THAT(testing::demodulate_by(demodulator, side), StartsWith("cuda "));
    EXPECT_THAT(testing::invert_by(inverter, side + 30), StartsWith("cuda "));
    EXPECT_THAT(testing::share_by(sharer, 100 * side), StartsWith("cuda "));
    EXPECT_THAT(testing::find_by(finder, box, 100 * side), StartsWith("cuda "));
    EXPECT_THAT(testing::match_by(matcher, testing::ball_facets(9.1), static_cast<int>(side % 300)),
                StartsWith("cuda "));
    EXPECT_THAT(testing::sum_by(matcher, testing::ball_facets(9.1), static_cast<int>(side % 300)),
                StartsWith("cuda "));
    EXPECT_THAT(testing::single_shot_by<std::uint8_t>(demodulator, 10 * (side % 300) + 100),
                StartsWith("cuda "));
    EXPECT_THAT(testing::single_shot_by<std::uint16_t>(demodulator, 2 * side + 200, false),
                StartsWith("cuda "));
    EXPECT_THAT(testing::correlate_by(correlator, side > 100 ? 512 : 64, 128), StartsWith("cuda "));
  }
  EXPECT_THAT(faults, IsEmpty());
}

TEST(GpuServices, AreAskedFromWhereTheDeviceIsFaster) {
  const CudaDevice device = probe_cuda_device();
  if (!device.usable) GTEST_SKIP() << device.why;
  ServiceClientSettings settings;
  settings.program = DATUM_GPU_PROGRAM;
  std::vector<std::string> faults;
  auto gpu = std::make_shared<GpuServices>(
      std::make_unique<ServiceClient>(settings), 60s, [] { return 0ns; },
      [&](bool, const std::string& text) { faults.push_back(text); });
  FailoverFacetMatcher matcher(gpu, cpu_backend());
  FailoverInverter inverter(gpu, cpu_backend());
  FailoverSharer sharer(gpu, cpu_backend());
  FailoverCorrelator correlator(gpu, cpu_backend());
  sharer.prepare(testing::AreaScene(1).model);
  const auto few =
      std::make_shared<const ModelFacets>(model_facets(triangle_model(testing::sphere_model(9.1, 3))));
  matcher.prepare(few);
  for (const std::string& who : {testing::match_by(matcher, few, 0), testing::invert_by(inverter, 3),
                                 sharer.declines(3), testing::correlate_by(correlator, 32, 32)}) {
    EXPECT_THAT(who, ::testing::MatchesRegex("cpu .*; the GPU from [0-9]+.*, measured\\)"));
    std::printf("%s\n", who.c_str());
  }
  EXPECT_THAT(testing::match_by(matcher, testing::ball_facets(9.1), 200), StartsWith("cuda "));
  EXPECT_THAT(testing::correlate_by(correlator, 1024, 1024), StartsWith("cuda "));
  EXPECT_THAT(faults, IsEmpty());
}

}  // namespace
}  // namespace datum
