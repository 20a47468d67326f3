// State of the controller (the computer that runs datumd) during a measurement: power mode, clocks, temperature. It
// explains how long a board took. It does not affect the numbers, which every machine computes alike.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace datum {

/// State of the cores that this process may use. A value that the system does not report is "" or absent.
struct CpuState {
  std::string governor;                           // "performance"; "a, b" where the cores differ
  std::optional<double> lowest_mhz, highest_mhz;  // of all cores, at the time of the sample
  std::optional<double> limit_mhz;    // of the slowest core, as power mode and temperature allow now
  std::optional<double> maximum_mhz;  // of the slowest core, by design
};

/// State of the GPU that measures, or would measure.
struct GpuState {
  std::string device;  // "NVIDIA H200"
  std::string by;      // source: "nvml", "devfreq"
  std::optional<double> clock_mhz, maximum_clock_mhz, memory_clock_mhz;
  std::optional<double> power_w, power_limit_w;
  std::optional<double> temperature_degc;
  std::optional<double> memory_bytes, memory_free_bytes;  // of the GPU's own memory; never part of a verdict
};

struct ControllerState {
  std::string model;       // "NVIDIA Jetson AGX Orin Developer Kit"; "" unknown
  double age_ms = 0;       // age of this sample when it was read
  std::string power_mode;  // "MAXN_SUPER (2)" by nvpmodel, "balanced" by the platform profile; "" unknown
  CpuState cpu;
  std::string hottest_zone;  // of the readable thermal zones
  std::optional<double> hottest_degc;
  /// Causes of throttling since the previous sample: "over-current (oc3)", "cooling cpufreq-cpu0", "gpu: thermal".
  std::vector<std::string> throttled_by;
  std::optional<GpuState> gpu;
  std::string gpu_absent;  // why `gpu` is none; "" otherwise
};

}  // namespace datum
