// ProbeMover: a device that moves its probe by itself, if the configuration allows it.
#pragma once

#include <array>
#include <functional>
#include <string>

#include "drivers/cmm/probe_room.h"
#include "drivers/frame/probe_point.h"

namespace datum {

/// Straight path from the current position to `to_mm`, of the tip's centre in machine coordinates.
struct ProbeWay {
  std::array<double, 3> to_mm{};
  bool until_contact = false;  // a touch must occur on the path; otherwise a contact is a crash
  ProbeRoom room{};            // free space: nothing but the contact may occur outside it
};

class ProbeMover {
 public:
  virtual ~ProbeMover() = default;
  /// The touch of a path until contact is reported like every other touch, and the end of the path once.
  /// Throws RefusedError: outside the motion box or the room, too long, no good start position, another move
  /// in progress.
  virtual void move(const ProbeWay& way, MonotonicNs now) = 0;
  /// Stops the machine in any state. No effect where no move is in progress.
  virtual void stop(const std::string& why, MonotonicNs now) = 0;
  virtual bool moving() const = 0;
  /// `why` is empty where the machine has reached its target, verified by its position.
  virtual void on_moved(std::function<void(const std::string& why, MonotonicNs now)> handler) = 0;
};

}  // namespace datum
