// RelayPair: two descriptors, what comes from one goes to the other over a bad line each way.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "tests/virtual_cell/line_faults.h"

namespace datum {

class RelayPair {
 public:
  /// Non-blocking descriptors, which outlive this. The way back has the seed + 1.
  RelayPair(int host, int daemon, const LineFaultSettings& settings);

  /// Passes what there is and what is due.
  void pump(MonotonicNs now);
  /// One end has hung up, or the line has: both are to be closed.
  bool ended() const { return ended_; }

  /// poll(2) events of the end: 0 host, 1 daemon.
  short events(int end) const;
  /// When pump() has something to do by itself.
  std::optional<MonotonicNs> deadline() const;
  /// Of the way from this end.
  const LineFaults::Count& count(int end) const {
    return ways_[static_cast<std::size_t>(end)].faults.count();
  }

 private:
  struct Way {
    int from, to;
    LineFaults faults;
    std::string unsent;
  };
  void read(Way& way, MonotonicNs now);
  void write(Way& way, MonotonicNs now);

  std::array<Way, 2> ways_;
  bool ended_ = false;
};

}  // namespace datum
