// Power mode, clocks and temperatures from the kernel's files, on a Jetson and elsewhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "daemon/controller/controller_state.h"

namespace datum {

/// Kernel numbers of the cores that this process may run on.
std::vector<int> usable_cores();

/// Sources: Linux Documentation/ABI sysfs-devices-system-cpu, sysfs-class-thermal, sysfs-class-devfreq,
/// sysfs-platform_profile; NVIDIA Jetson Linux Developer Guide, "Platform Power and Performance", for nvpmodel's files
/// and the over-current counters. Values that a system does not offer stay empty; nothing is thrown.
class StateReader {
 public:
  /// `root` replaces "/".
  explicit StateReader(std::filesystem::path root = "/", std::vector<int> cores = usable_cores());

  /// Reads a few hundred small files, some milliseconds. Throttling counters are compared with the previous call, so the
  /// first call reports no throttling.
  ControllerState read();

 private:
  void read_cpu(ControllerState& state);
  void read_heat(ControllerState& state);
  void read_gpu(ControllerState& state) const;
  void count(const std::filesystem::path& file, const std::string& name, ControllerState& state);
  std::string power_mode() const;
  std::string model() const;

  const std::filesystem::path root_;
  const std::vector<int> cores_;
  std::map<std::filesystem::path, std::uint64_t> counts_;
};

}  // namespace datum
