// RelayPair: connects two descriptors by a bad line in each direction.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "tests/virtual_cell/line_faults.h"

namespace datum {

class RelayPair {
 public:
  /// Non-blocking descriptors that outlive this. The return direction uses the seed + 1.
  RelayPair(int host, int daemon, const LineFaultSettings& settings);

  /// Transfers available bytes and due pieces.
  void pump(MonotonicNs now);
  /// One end or the line has hung up: close both.
  bool ended() const { return ended_; }

  /// poll(2) events of the end: 0 host, 1 daemon.
  short events(int end) const;
  /// Time at which pump() has work of its own.
  std::optional<MonotonicNs> deadline() const;
  /// Faults in the direction from this end.
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
