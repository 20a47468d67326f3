// Sampling beside the inspections, and its log lines.
#include "daemon/controller/controller_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "daemon/controller/controller_text.h"

namespace datum {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ControllerState slowed(std::vector<std::string> by) {
  ControllerState s;
  s.throttled_by = std::move(by);
  return s;
}

TEST(ThrottleNews, SaysOnceThatItBeganAndOnceThatItIsOver) {
  ThrottleNews news;
  const ThrottleNews::Clock::time_point start{};
  EXPECT_FALSE(news.hear(slowed({}), start));
  const auto began = news.hear(slowed({"cooling cpufreq-cpu0"}), start + 1s);
  ASSERT_TRUE(began);
  EXPECT_TRUE(began->warning);
  EXPECT_THAT(began->text, HasSubstr("slowed down by cooling cpufreq-cpu0: results stay the same"));
  EXPECT_FALSE(news.hear(slowed({"over-current (oc3)"}), start + 2s));
  EXPECT_FALSE(news.hear(slowed({}), start + 61s)) << "59 s of quiet";
  EXPECT_FALSE(news.hear(slowed({"over-current (oc3)"}), start + 61s)) << "the same spell";
  EXPECT_FALSE(news.hear(slowed({}), start + 120s));
  const auto over = news.hear(slowed({}), start + 121s);
  ASSERT_TRUE(over);
  EXPECT_FALSE(over->warning);
  EXPECT_TRUE(news.hear(slowed({"over-current (oc3)"}), start + 122s));
}

TEST(ControllerWatch, GivesTheNewestSampleWithItsAge) {
  std::promise<void> second, logged;
  int calls = 0;
  ControllerWatch watch(
      [&] {
        if (++calls == 2) second.set_value();
        ControllerState s =
            slowed(calls == 1 ? std::vector<std::string>{"heat of core 0"} : std::vector<std::string>{});
        s.model = "sample";
        return s;
      },
      [&](bool warning, const std::string& text) {
        EXPECT_TRUE(warning);
        EXPECT_THAT(text, HasSubstr("heat of core 0"));
        logged.set_value();
      },
      1ms);
  ASSERT_EQ(logged.get_future().wait_for(60s), std::future_status::ready);
  ASSERT_EQ(second.get_future().wait_for(60s), std::future_status::ready);
  const auto newest = watch.newest();  // the first sample is complete when the second is requested
  ASSERT_TRUE(newest);
  EXPECT_EQ(newest->model, "sample");
  EXPECT_GE(newest->age_ms, 0);
}

TEST(ControllerWords, NameWhatIsKnown) {
  EXPECT_EQ(as_text(ControllerState{}), "the system reports nothing of its clocks");
  ControllerState s = slowed({"over-current (oc3)"});
  s.model = "Jetson";
  s.power_mode = "MAXN (0)";
  s.cpu = {"performance", 1200.4, 2200, 2200, std::nullopt};
  s.hottest_zone = "tj-thermal";
  s.hottest_degc = 60.6;
  s.gpu = GpuState{"17000000.gpu", "devfreq", 612, 1300.5, {}, {}, {}, 51.5, {}, {}};
  EXPECT_EQ(
      as_text(s),
      "Jetson; power mode MAXN (0); 1200 to 2200 MHz, at most 2200 of ?; governor performance; tj-thermal 61 "
      "degC; 17000000.gpu at 612 MHz of 1300, 52 degC; SLOWED DOWN by over-current (oc3)");
}

TEST(ControllerWatch, ADriversSampleIsAddedWithWhatSlowsTheGpu) {
  GpuSample sample;
  sample.present = 1;
  sample.devices = 8;
  put_text(sample.device, "NVIDIA H200");
  sample.clock_mhz = 1980;
  sample.slowed_by = 0x1 | 0x4 | 0x40;  // idle, power limit, temperature
  ControllerState s;
  add_gpu(s, sample);
  ASSERT_TRUE(s.gpu);
  EXPECT_EQ(s.gpu->device, "NVIDIA H200, first of 8");
  EXPECT_EQ(s.gpu->by, "nvml");
  EXPECT_EQ(s.gpu->clock_mhz, 1980);
  EXPECT_FALSE(s.gpu->power_w) << "not told";
  EXPECT_THAT(s.throttled_by, ElementsAre("gpu: power limit", "gpu: heat (hardware)"));
  GpuSample none;
  put_text(none.absent, "no such library");
  ControllerState t;
  add_gpu(t, none);
  EXPECT_FALSE(t.gpu);
  EXPECT_EQ(t.gpu_absent, "no such library");
}

}  // namespace
}  // namespace datum
