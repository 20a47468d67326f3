// LineFaults: one direction of a bad line. Bytes go in, what is left of them comes out, when and in which pieces the faults
// let it. No clock, no descriptor; the same seed gives the same faults for the same bytes.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "drivers/port/pollable.h"

namespace datum {

/// The first five: probability that a byte meets the fault, independently of its neighbours.
struct LineFaultSettings {
  double drop = 0;       // the byte is lost
  double duplicate = 0;  // it comes twice
  double flip = 0;       // one of its bits is turned
  double stall = 0;      // it and all behind it come stall_ns later
  double hang_up = 0;    // the connection ends here; nothing put in later comes out
  MonotonicNs stall_ns = 2'000'000'000;
  MonotonicNs delay_ns = 0;   // of each piece
  MonotonicNs jitter_ns = 0;  // up to so much more, evenly; pieces do not overtake each other
  bool split = false;         // each byte comes as a piece of its own
  std::uint64_t seed = 1;
};

class LineFaults {
 public:
  /// Throws std::invalid_argument: a probability below 0, their sum above 1, a negative time.
  explicit LineFaults(const LineFaultSettings& settings);

  void put(std::string_view bytes, MonotonicNs now);
  /// The next piece that has come by now; empty: none.
  std::string take(MonotonicNs now);
  /// A hang-up has come, behind all that take() gave: nothing passes until reopen().
  bool hung_up(MonotonicNs now) const;
  void reopen();

  /// When the next piece or the hang-up comes.
  std::optional<MonotonicNs> deadline() const;
  /// Bytes under way.
  std::size_t held() const { return held_; }

  /// What happened so far, by fault.
  struct Count {
    std::uint64_t bytes = 0, dropped = 0, duplicated = 0, flipped = 0, stalls = 0, hang_ups = 0;
  };
  const Count& count() const { return count_; }

 private:
  struct Piece {
    std::string bytes;  // empty: the hang-up
    MonotonicNs due = 0;
  };
  enum class Fault : std::uint8_t { drop, duplicate, flip, stall, hang_up };

  double uniform();
  void draw_distance();
  Fault draw_fault();
  void pass(std::string bytes, MonotonicNs now);
  bool meet(char c, MonotonicNs now);

  LineFaultSettings settings_;
  double rate_ = 0;  // of all faults
  std::mt19937_64 engine_;
  std::uint64_t clean_ = 0;  // bytes until the next fault
  std::deque<Piece> pieces_;
  std::size_t held_ = 0;
  MonotonicNs stalled_until_ = 0;
  bool broken_ = false;  // a hang-up is under way or has come
  Count count_;
};

}  // namespace datum
