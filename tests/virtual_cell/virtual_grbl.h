// Motion of the virtual GRBL machine in time: VirtualProbe's moves take as long as their feed says, a feed hold ends them on the
// way, and a soft reset brings the banner. It shares no code with the driver that commands it.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "drivers/frame/probe_point.h"
#include "tests/virtual_cell/virtual_probe.h"

namespace datum {

class VirtualGrbl {
 public:
  explicit VirtualGrbl(VirtualProbe probe) : probe_(std::move(probe)) {}

  /// Answer to one line that may move the machine; none: the line is no motion.
  std::optional<std::string> receive_line(const std::string& line, MonotonicNs now);
  /// "!", "~" and 0x18.
  std::string receive_byte(char byte, MonotonicNs now);
  /// Answers whose time has come.
  std::string advance(MonotonicNs now);
  std::optional<MonotonicNs> deadline() const;

  /// "Idle", "Run", "Hold:0" or "Alarm".
  std::string state(MonotonicNs now) const;
  std::array<double, 3> at_mm(MonotonicNs now) const;
  /// Leads the tip there by hand.
  void place(const std::array<double, 3>& at_mm);
  /// "alarm": the machine stops with ALARM:1; "late MS": answers of moves come so much later. Throws std::invalid_argument.
  std::string order(const std::string& order, MonotonicNs now);

 private:
  struct Move {
    std::array<double, 3> from_mm, to_mm;
    MonotonicNs begun_ns, ends_ns;
    std::string answer;  // at its end
  };
  std::array<double, 3> halt(MonotonicNs now);

  VirtualProbe probe_;
  std::optional<Move> move_;
  std::deque<std::string> behind_;  // acknowledgements that wait for the move: a dwell's
  bool held_ = false, alarm_ = false;
  MonotonicNs late_ns_ = 0;
};

}  // namespace datum
