// ProbeDrive: the probe moved by the machine itself, along a way of straight moves. Any fault ends the way. On the loop's
// thread.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "daemon/instrument/hole_prober.h"
#include "drivers/cmm/probe_mover.h"
#include "drivers/cmm/source.h"

namespace datum {

class ProbeDrive {
 public:
  struct Handlers {
    std::function<void(const std::string& text)> say;  // into the log
    std::function<ProbeRoom()> room;                   // in which the tip is free now
    /// `why`: of a way that failed; empty: the probe stands at its end.
    std::function<void(const std::string& why, MonotonicNs now)> ended;
  };
  /// `cmm`: null where none is configured.
  ProbeDrive(CmmSource* cmm, Handlers handlers);

  /// Whether the configuration lets the machine move the probe; otherwise an operator does.
  bool available() const { return mover_ != nullptr; }
  bool active() const { return !way_.empty(); }
  void go(const std::vector<HoleMove>& way);
  /// One more move at the end of the way that is under way; no effect where none is.
  void append(const HoleMove& move);
  /// Stops the machine; no effect where no way is under way.
  void stop(const std::string& why);

 private:
  void move();
  void moved(const std::string& why, MonotonicNs now);

  ProbeMover* mover_;
  Handlers handlers_;
  std::deque<HoleMove> way_;  // that is still to go; the first move is under way
};

}  // namespace datum
