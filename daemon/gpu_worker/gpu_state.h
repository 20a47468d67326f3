// Clocks, power and heat of the GPU, as the driver's library tells them to datumd-gpu --state.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "daemon/gpu_worker/gpu_wire.h"

namespace datum {

/// One sample, as it crosses the socket. A value that the driver does not tell is not a number.
struct GpuSample {
  WireIdentity identity;
  std::uint32_t present = 0, devices = 0;  // devices: how many there are; the first is told of
  char device[96] = {};                    // "NVIDIA H200"
  char absent[256] = {};                   // why there is none
  double clock_mhz = unknown, maximum_clock_mhz = unknown, memory_clock_mhz = unknown;
  double power_w = unknown, power_limit_w = unknown, temperature_degc = unknown;
  double memory_bytes = unknown, memory_free_bytes = unknown;
  std::uint64_t slowed_by = 0;  // nvmlClocksThrottleReasons

  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
};

/// Asks the driver's library, which is loaded at run time since a controller without an NVIDIA card has none. Functions and
/// numbers: NVIDIA Management Library API reference, of drivers from 450 on.
class GpuStateReader {
 public:
  explicit GpuStateReader(const char* library = "libnvidia-ml.so.1");
  /// Never throws.
  GpuSample sample() const;

 private:
  void* library_;  // never unloaded: the driver's threads may be in it
  std::string absent_;
};

/// `datumd-gpu --state`: a sample a second over the socket until its other end is closed. Returns the process's exit
/// status.
int run_gpu_state(int socket);

}  // namespace datum
