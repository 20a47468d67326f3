// How the controller (the computer that datumd runs on) stood when a board was measured: power mode, clocks, heat. It tells
// why a board took its time; it has no part in the numbers, which every machine computes alike.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace datum {

/// Of the cores that this process may use. What the system does not tell is "" or absent.
struct CpuState {
  std::string governor;                           // "performance"; several, as "a, b", where the cores differ
  std::optional<double> lowest_mhz, highest_mhz;  // at this moment, of all cores
  std::optional<double> limit_mhz;                // the slowest core's, as power mode and heat allow now
  std::optional<double> maximum_mhz;              // the slowest core's, as it was built
};

/// Of the GPU that measures, or would.
struct GpuState {
  std::string device;  // "NVIDIA H200"
  std::string by;      // who told: "nvml", "devfreq"
  std::optional<double> clock_mhz, maximum_clock_mhz, memory_clock_mhz;
  std::optional<double> power_w, power_limit_w;
  std::optional<double> temperature_degc;
  std::optional<double> memory_bytes, memory_free_bytes;  // of its own; of this moment, in no verdict
};

struct ControllerState {
  std::string model;  // "NVIDIA Jetson AGX Orin Developer Kit"; "" unknown
  double age_ms = 0;  // of this sample when it was asked for
  std::string
      power_mode;  // "MAXN_SUPER (2)" by nvpmodel, "balanced" by the platform's profile; "" none is told
  CpuState cpu;
  std::string hottest_zone;  // of the thermal zones that can be read
  std::optional<double> hottest_degc;
  /// What slowed it down since the sample before: "over-current (oc3)", "cooling cpufreq-cpu0", "gpu: thermal".
  std::vector<std::string> throttled_by;
  std::optional<GpuState> gpu;
  std::string gpu_absent;  // why there is no gpu; "" where there is
};

}  // namespace datum
