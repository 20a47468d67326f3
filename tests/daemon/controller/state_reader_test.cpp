// State from the kernel's files, on file trees of a Jetson Orin and a PC.
#include "daemon/controller/state_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fresh_folder.h"

namespace datum {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string cpu = "sys/devices/system/cpu/";

void write_policy(const testing::FreshFolder& root, const std::string& name, const std::string& cpus,
                  const std::string& governor, int now_khz, int limit_khz, int maximum_khz) {
  const std::string at = cpu + "cpufreq/" + name + "/";
  root.write(at + "affected_cpus", cpus + "\n");
  root.write(at + "scaling_governor", governor + "\n");
  root.write(at + "scaling_cur_freq", std::to_string(now_khz) + "\n");
  root.write(at + "scaling_max_freq", std::to_string(limit_khz) + "\n");
  root.write(at + "cpuinfo_max_freq", std::to_string(maximum_khz) + "\n");
}

void write_orin(const testing::FreshFolder& root) {
  root.write("proc/device-tree/model", std::string("NVIDIA Jetson AGX Orin Developer Kit\0", 37));
  root.write("var/lib/nvpmodel/status", "pmode:0002\n");
  root.write("etc/nvpmodel.conf",
             "#< POWER_MODEL ID=2 NAME=OLD >\n< POWER_MODEL ID=0 NAME=MAXN >\nCPU_ONLINE CORE_0 1\n"
             "< POWER_MODEL ID=2 NAME=MODE_30W >\n< PM_CONFIG DEFAULT=2 >\n");
  write_policy(root, "policy0", "0 1 2 3", "schedutil", 729600, 1728000, 2201600);
  write_policy(root, "policy4", "4 5 6 7", "performance", 1728000, 1728000, 2201600);
  write_policy(root, "policy8", "8 9 10 11", "powersave", 100, 100, 100);  // cores of other processes
  root.write("sys/class/thermal/thermal_zone0/type", "cpu-thermal\n");
  root.write("sys/class/thermal/thermal_zone0/temp", "48218\n");
  root.write("sys/class/thermal/thermal_zone1/type", "gpu-thermal\n");
  root.write("sys/class/thermal/thermal_zone1/temp", "51500\n");
  root.write("sys/class/thermal/thermal_zone2/type", "cv0-thermal\n");  // off: temp can't be read
  root.write("sys/class/thermal/cooling_device0/type", "pwm-fan\n");
  root.write("sys/class/thermal/cooling_device0/cur_state", "2\n");
  root.write("sys/class/thermal/cooling_device1/type", "cpufreq-cpu0\n");
  root.write("sys/class/thermal/cooling_device1/cur_state", "0\n");
  root.write("sys/class/hwmon/hwmon3/name", "soctherm_oc\n");
  root.write("sys/class/hwmon/hwmon3/oc1_event_cnt", "0\n");
  root.write("sys/class/hwmon/hwmon3/oc3_event_cnt", "41\n");
  root.write("sys/class/devfreq/17000000.ga10b/cur_freq", "612000000\n");
  root.write("sys/class/devfreq/17000000.ga10b/max_freq", "1300500000\n");
  root.write("sys/class/devfreq/15340000.vic/cur_freq", "1\n");
}

TEST(StateReader, ReadsAJetson) {
  const testing::FreshFolder root;
  write_orin(root);
  StateReader reader(root.path(), {0, 1, 2, 3, 4, 5, 6, 7});
  const ControllerState s = reader.read();
  EXPECT_EQ(s.model, "NVIDIA Jetson AGX Orin Developer Kit");
  EXPECT_EQ(s.power_mode, "MODE_30W (2)");
  EXPECT_EQ(s.cpu.governor, "performance, schedutil");
  EXPECT_DOUBLE_EQ(s.cpu.lowest_mhz.value(), 729.6);
  EXPECT_DOUBLE_EQ(s.cpu.highest_mhz.value(), 1728.0);
  EXPECT_DOUBLE_EQ(s.cpu.limit_mhz.value(), 1728.0);
  EXPECT_DOUBLE_EQ(s.cpu.maximum_mhz.value(), 2201.6);
  EXPECT_EQ(s.hottest_zone, "gpu-thermal");
  EXPECT_DOUBLE_EQ(s.hottest_degc.value(), 51.5);
  EXPECT_THAT(s.throttled_by, IsEmpty());
  ASSERT_TRUE(s.gpu);
  EXPECT_EQ(s.gpu->device, "17000000.ga10b");
  EXPECT_EQ(s.gpu->by, "devfreq");
  EXPECT_DOUBLE_EQ(s.gpu->clock_mhz.value(), 612);
  EXPECT_DOUBLE_EQ(s.gpu->maximum_clock_mhz.value(), 1300.5);
  EXPECT_DOUBLE_EQ(s.gpu->temperature_degc.value(), 51.5);
  EXPECT_FALSE(s.gpu->power_w);
}

TEST(StateReader, AModeWithoutANameIsItsNumber) {
  const testing::FreshFolder root;
  root.write("var/lib/nvpmodel/status", "pmode:0007\n");
  EXPECT_EQ(StateReader(root.path(), {0}).read().power_mode, "mode 7");
  root.write("var/lib/nvpmodel/status", "pmode:fast\n");
  EXPECT_EQ(StateReader(root.path(), {0}).read().power_mode, "pmode:fast");
}

// The kernel counts since boot; only events since the previous sample are reported.
TEST(StateReader, WhatSlowsItDownIsToldWhileItDoes) {
  const testing::FreshFolder root;
  write_orin(root);
  root.write(cpu + "cpu1/thermal_throttle/core_throttle_count", "9\n");
  StateReader reader(root.path(), {0, 1});
  EXPECT_THAT(reader.read().throttled_by, IsEmpty());
  root.write("sys/class/hwmon/hwmon3/oc3_event_cnt", "42\n");
  root.write("sys/class/thermal/cooling_device1/cur_state", "1\n");
  root.write(cpu + "cpu1/thermal_throttle/core_throttle_count", "10\n");
  EXPECT_THAT(reader.read().throttled_by,
              ElementsAre("heat of core 1", "cooling cpufreq-cpu0", "over-current (oc3)"));
  EXPECT_THAT(reader.read().throttled_by, ElementsAre("cooling cpufreq-cpu0"));
}

TEST(StateReader, AComputerThatTellsNothingIsNoTrouble) {
  const testing::FreshFolder root;
  root.write(cpu + "cpufreq/policy0/affected_cpus", "0\n");
  root.write(cpu + "cpufreq/policy0/scaling_cur_freq", "<unknown>\n");
  root.write("sys/class/thermal/thermal_zone0/temp", "\n");
  const ControllerState s = StateReader(root.path(), {0}).read();
  EXPECT_EQ(s.power_mode, "");
  EXPECT_EQ(s.cpu.governor, "");
  EXPECT_FALSE(s.cpu.lowest_mhz);
  EXPECT_FALSE(s.hottest_degc);
  EXPECT_FALSE(s.gpu);
}

TEST(StateReader, APcsProfileIsItsPowerMode) {
  const testing::FreshFolder root;
  root.write("sys/firmware/acpi/platform_profile", "balanced\n");
  root.write("sys/class/dmi/id/product_name", "PowerEdge R760\n");
  const ControllerState s = StateReader(root.path(), {0}).read();
  EXPECT_EQ(s.power_mode, "balanced");
  EXPECT_EQ(s.model, "PowerEdge R760");
}

}  // namespace
}  // namespace datum
