// Clocks, power and temperature of the GPU by the real program, with and without the driver's library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>

#include "daemon/gpu_worker/gpu_state_client.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(GpuState, WithoutTheDriversLibraryItSaysSo) {
  const GpuSample sample = GpuStateReader("libdatum-no-such-driver.so").sample();
  EXPECT_EQ(sample.present, 0u);
  EXPECT_THAT(get_text(sample.absent), HasSubstr("libdatum-no-such-driver.so"));
}

void expect_test_gpu(const GpuSample& s) {
  EXPECT_EQ(s.present, 1u);
  EXPECT_EQ(s.devices, 1u);
  EXPECT_EQ(get_text(s.device), "Test GPU");
  EXPECT_EQ(s.clock_mhz, 1830);
  EXPECT_EQ(s.maximum_clock_mhz, 1980);
  EXPECT_EQ(s.memory_clock_mhz, 2619);
  EXPECT_DOUBLE_EQ(s.power_w, 345.678);
  EXPECT_TRUE(std::isnan(s.power_limit_w)) << "refused by the driver";
  EXPECT_EQ(s.temperature_degc, 61);
  EXPECT_EQ(s.memory_bytes, 80e9);
  EXPECT_EQ(s.memory_free_bytes, 61e9);
  EXPECT_EQ(s.slowed_by, 0x24u);
}

TEST(GpuState, TheLibraryIsAskedInItsUnits) { expect_test_gpu(GpuStateReader(DATUM_TEST_NVML).sample()); }

/// Polls until a sample or its absence is known, at most a minute.
std::optional<GpuSample> told(GpuStateClient& link) {
  const auto until = GpuStateClient::Clock::now() + 1min;
  while (GpuStateClient::Clock::now() < until) {
    if (auto sample = link.newest(GpuStateClient::Clock::now())) return sample;
    ::poll(nullptr, 0, 1);
  }
  return std::nullopt;
}

class StateProgram : public ::testing::Test {
 protected:
  explicit StateProgram(const char* libraries = nullptr) {
    if (libraries) ::setenv("LD_LIBRARY_PATH", libraries, 1);
  }
  ~StateProgram() override { ::unsetenv("LD_LIBRARY_PATH"); }
};

class StateProgramWithDriver : public StateProgram {
 protected:
  StateProgramWithDriver() : StateProgram(DATUM_TEST_NVML_FOLDER) {}
};

TEST_F(StateProgramWithDriver, TellsTheDaemon) {
  GpuStateClient link(DATUM_GPU_PROGRAM);
  EXPECT_FALSE(link.newest(GpuStateClient::Clock::now())) << "it does not wait";
  const auto sample = told(link);
  ASSERT_TRUE(sample) << link.why_not();
  expect_test_gpu(*sample);
  // An old sample is no longer reported.
  const auto later = GpuStateClient::Clock::now() + 1h;
  link.newest(later);
  EXPECT_FALSE(link.newest(later + 6s));
}

TEST_F(StateProgram, ThatDoesNotStartIsTriedAgainAfterAPause) {
  const testing::FreshFolder folder;
  GpuStateClient link(folder / "datumd-gpu");
  const auto start = GpuStateClient::Clock::now();
  EXPECT_FALSE(link.newest(start));
  EXPECT_THAT(link.why_not(), HasSubstr("datumd-gpu does not start"));
  std::filesystem::create_symlink(DATUM_GPU_PROGRAM, folder / "datumd-gpu");
  EXPECT_FALSE(link.newest(start + 999ms));
  EXPECT_THAT(link.why_not(), HasSubstr("datumd-gpu does not start"));
  EXPECT_FALSE(link.newest(start + 1001ms));
  EXPECT_EQ(link.why_not(), "not known yet");
}

TEST_F(StateProgram, ByHandItSaysWhoStartsIt) {
  EXPECT_EQ(WEXITSTATUS(::system(DATUM_GPU_PROGRAM " --state 2>/dev/null")), 64);
}

}  // namespace
}  // namespace datum
