// ProbeMover: a device that moves its probe by itself, where the configuration allows it.
#pragma once

#include <array>
#include <functional>
#include <string>

#include "drivers/cmm/probe_room.h"
#include "drivers/frame/probe_point.h"

namespace datum {

/// From where the tip stands straight to `to_mm`, the tip's centre in machine coordinates.
struct ProbeWay {
  std::array<double, 3> to_mm{};
  bool until_contact = false;  // it must touch on its way; otherwise a contact is a crash
  ProbeRoom room{};            // nothing but the contact may happen outside of it
};

class ProbeMover {
 public:
  virtual ~ProbeMover() = default;
  /// The touch of a way until contact comes as every other does. Its end is told once. Throws RefusedError: outside the
  /// box that motion may use, outside the room, too far, no good position to start from, another move in progress.
  virtual void move(const ProbeWay& way, MonotonicNs now) = 0;
  /// Stops the machine, whatever it does. No effect where no move is in progress.
  virtual void stop(const std::string& why, MonotonicNs now) = 0;
  virtual bool moving() const = 0;
  /// `why` is empty where the machine stands where it should, read back from it.
  virtual void on_moved(std::function<void(const std::string& why, MonotonicNs now)> handler) = 0;
};

}  // namespace datum
