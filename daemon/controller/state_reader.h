// Power mode, clocks and heat as the kernel's files tell them, on a Jetson and elsewhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "daemon/controller/controller_state.h"

namespace datum {

/// Cores that this process may run on, by the kernel's numbers.
std::vector<int> usable_cores();

/// Sources: Linux Documentation/ABI sysfs-devices-system-cpu, sysfs-class-thermal, sysfs-class-devfreq,
/// sysfs-platform_profile; NVIDIA Jetson Linux Developer Guide, Platform Power and Performance, for nvpmodel's files and the
/// over-current counters. What a system does not have stays empty; nothing is thrown.
class StateReader {
 public:
  /// `root` stands for "/".
  explicit StateReader(std::filesystem::path root = "/", std::vector<int> cores = usable_cores());

  /// A few hundred small files on the largest machines, milliseconds. Counters of throttling are compared with those of
  /// the call before, so the first call can't see them move.
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
