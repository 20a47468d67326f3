// Clocks, power and temperature of the GPU from the driver's library, in datumd-gpu --state.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "daemon/gpu_worker/gpu_wire.h"

namespace datum {

/// One sample, as sent over the socket. A value that the driver does not report is NaN.
struct GpuSample {
  WireIdentity identity;
  std::uint32_t present = 0, devices = 0;  // devices: their number; the sample describes the first
  char device[96] = {};                    // "NVIDIA H200"
  char absent[256] = {};                   // why there is no device
  double clock_mhz = unknown, maximum_clock_mhz = unknown, memory_clock_mhz = unknown;
  double power_w = unknown, power_limit_w = unknown, temperature_degc = unknown;
  double memory_bytes = unknown, memory_free_bytes = unknown;
  std::uint64_t slowed_by = 0;  // nvmlClocksThrottleReasons

  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
};

/// Reads the driver's library NVML, loaded at run time, since a controller without an NVIDIA card has none. Functions and
/// numbers: "NVML API Reference Guide" (NVIDIA), drivers from 450 on.
class GpuStateReader {
 public:
  explicit GpuStateReader(const char* library = "libnvidia-ml.so.1");
  /// Never throws.
  GpuSample sample() const;

 private:
  void* library_;  // never unloaded: threads of the driver may run in it
  std::string absent_;
};

/// `datumd-gpu --state`: sends a sample per second until the other end of the socket closes. Returns the exit status.
int run_gpu_state(int socket);

}  // namespace datum
