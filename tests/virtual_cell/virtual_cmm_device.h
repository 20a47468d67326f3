// The device's end of a CMM link: output of each preset's device. It shares no code with the codec that reads
// it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/virtual_cell/virtual_cmm_dialect.h"
#include "tests/virtual_cell/virtual_grbl.h"

namespace datum {

/// Faults from the answer after `after` good ones on.
struct VirtualCmmFaults {
  std::uint64_t after = 0;
  bool stale = false;    // no more answers
  bool partial = false;  // the last axis is missing
  bool error = false;    // the device's own error mark
  int garbage = 0;       // random bytes before each answer
};

struct VirtualCmmSettings {
  std::string preset = "grbl_1_1";
  std::vector<std::array<double, 3>> positions_mm{{0, 0, 0}};  // one per answer; the last one is repeated
  std::array<double, 3> drift_um{};                            // added with every answer
  std::vector<double> head_deg;                                // of GRBL: its axes behind X, Y, Z
  double noise_um = 0;                                         // uniform, up to this in each axis
  std::uint64_t seed = 1;                                      // of noise and garbage
  VirtualCmmFaults faults;
};

class VirtualCmmDevice {
 public:
  /// Throws std::invalid_argument for an unknown preset.
  explicit VirtualCmmDevice(const VirtualCmmSettings& settings);

  /// A machine that moves itself: takes its position's place.
  void moves_itself(VirtualProbe probe) { motion_.emplace(std::move(probe)); }
  /// Time of what follows.
  void at(MonotonicNs now) { now_ = now; }
  /// Answers whose time has come.
  std::string advance_motion() { return motion_ ? motion_->advance(now_) : ""; }
  std::optional<MonotonicNs> deadline() const { return motion_ ? motion_->deadline() : std::nullopt; }
  /// "alarm", "late MS"; false: not an order of this machine's motion.
  bool motion_order(const std::string& order, std::string& sends);
  /// Bytes that the device sends in response.
  std::string receive(const std::string& bytes);
  /// Output of a free-running device per period; empty for a polled one.
  std::string stream();
  /// Moves the machine permanently; ends scripts and drift.
  void move(const std::array<double, 3>& position_mm);
  /// Turns the head.
  void turn(const std::vector<double>& head_deg) { settings_.head_deg = head_deg; }
  /// Unsolicited output at a touch there; the machine stays there.
  std::string touch(const std::array<double, 3>& position_mm);
  /// Output at power-on.
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
  std::string head_words() const;
  std::string grbl_line(const std::string& line);
  void advance();
  std::string with_garbage(std::string answer);
  bool faulty() const { return answers_ > settings_.faults.after; }
  bool wrong(bool VirtualCmmFaults::*kind) const { return faulty() && settings_.faults.*kind; }

  VirtualCmmSettings settings_;
  const VirtualDialect* dialect_;  // null: a preset with several kinds of line
  std::mt19937_64 random_;
  std::array<double, 3> position_mm_{};
  std::uint64_t answers_ = 0;
  std::string line_;
  bool alarm_ = false;
  std::optional<VirtualGrbl> motion_;
  MonotonicNs now_ = 0;
};

}  // namespace datum
