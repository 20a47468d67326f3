// ProbeDrive: the probe moved by the machine itself, along a way of straight moves. Any fault ends the way. On the loop's
// thread.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "daemon/instrument/hole_prober.h"
#include "drivers/cmm/probe_mover.h"
#include "drivers/cmm/source.h"

namespace datum {

/// One move of a way. Without a room of its own that of the handlers holds when the move begins.
struct ProbeLeg {
  HoleMove move;
  std::optional<ProbeRoom> room{};
};

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
  void go(std::vector<ProbeLeg> way);
  /// One more leg at the end of the way that is under way; no effect where none is.
  void append(const ProbeLeg& leg);
  /// Stops the machine; no effect where no way is under way.
  void stop(const std::string& why);

 private:
  void move();
  void moved(const std::string& why, MonotonicNs now);

  ProbeMover* mover_;
  Handlers handlers_;
  std::deque<ProbeLeg> way_;  // that is still to go; the first move is under way
};

}  // namespace datum
