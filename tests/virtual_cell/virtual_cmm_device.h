// The far end of the CMM link: what a device of each preset would send. It shares no code with the codec that
// reads it.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/virtual_cell/virtual_cmm_dialect.h"

namespace datum {

/// What goes wrong, from the answer after `after` good ones on.
struct VirtualCmmFaults {
  std::uint64_t after = 0;
  bool stale = false;    // no answer any more
  bool partial = false;  // the last axis is missing
  bool error = false;    // the device's own mark of an error
  int garbage = 0;       // random bytes before each answer
};

struct VirtualCmmSettings {
  std::string preset = "grbl_1_1";
  std::vector<std::array<double, 3>> positions_mm{{0, 0, 0}};  // one per answer; the last one stays
  std::array<double, 3> drift_um{};                            // added with every answer
  double noise_um = 0;                                         // uniform, up to this much in each axis
  std::uint64_t seed = 1;                                      // of noise and garbage
  VirtualCmmFaults faults;
};

class VirtualCmmDevice {
 public:
  /// Throws std::invalid_argument for an unknown preset.
  explicit VirtualCmmDevice(const VirtualCmmSettings& settings);

  /// Bytes that the device sends in answer to these.
  std::string receive(const std::string& bytes);
  /// What a free-running device sends each period; nothing from one that is polled.
  std::string stream();
  /// The machine goes there and stays; scripts and drift end.
  void move(const std::array<double, 3>& position_mm);
  /// What it sends by itself when its probe touches there; it stays there.
  std::string touch(const std::array<double, 3>& position_mm);
  /// What the device sends at power-on.
  std::string banner() const;
  std::uint64_t answers() const { return answers_; }

 private:
  std::string answer_byte(char byte);
  std::string answer_line(const std::string& line);
  std::string position_lines();
  std::string heidenhain();
  std::string mitutoyo();
  std::string acurite(char axis);
  std::string grbl();
  std::string grbl_line(const std::string& line);
  void advance();
  std::string with_garbage(std::string answer);
  bool faulty() const { return answers_ > settings_.faults.after; }
  bool wrong(bool VirtualCmmFaults::*kind) const { return faulty() && settings_.faults.*kind; }

  VirtualCmmSettings settings_;
  const VirtualDialect* dialect_;  // null: one of those with several kinds of line
  std::mt19937_64 random_;
  std::array<double, 3> position_mm_{};
  std::uint64_t answers_ = 0;
  std::string line_;
  bool alarm_ = false;
};

}  // namespace datum
