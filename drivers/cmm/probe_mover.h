// ProbeMover: a device that moves its probe by itself, where the configuration allows it.
#pragma once

#include <array>
#include <functional>
#include <string>

#include "drivers/frame/probe_point.h"

namespace datum {

class ProbeMover {
 public:
  virtual ~ProbeMover() = default;
  /// From where it stands straight to `to_mm`, machine coordinates. `until_contact`: it must touch on its way, and
  /// the touch comes as every other does; without, a contact is a crash. Its end is told once. Throws RefusedError:
  /// outside the box that motion may use, too far, no good position to start from, another move in progress.
  virtual void move(const std::array<double, 3>& to_mm, bool until_contact, MonotonicNs now) = 0;
  /// Stops the machine, whatever it does. No effect where no move is in progress.
  virtual void stop(const std::string& why, MonotonicNs now) = 0;
  virtual bool moving() const = 0;
  /// `why` is empty where the machine stands where it should, read back from it.
  virtual void on_moved(std::function<void(const std::string& why, MonotonicNs now)> handler) = 0;
};

}  // namespace datum
