// LineFaults: one direction of a bad line. Bytes enter, and leave with faults, delays and splits. No clock,
// no descriptor; equal seeds give equal faults for equal bytes.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "drivers/port/pollable.h"

namespace datum {

/// The first five: probability of the fault per byte, independent of its neighbours.
struct LineFaultSettings {
  double drop = 0;       // the byte is lost
  double duplicate = 0;  // the byte is sent twice
  double flip = 0;       // one of its bits is inverted
  double stall = 0;      // it and all following bytes arrive stall_ns later
  double hang_up = 0;    // the connection ends here; later bytes are lost
  MonotonicNs stall_ns = 2'000'000'000;
  MonotonicNs delay_ns = 0;   // of each piece
  MonotonicNs jitter_ns = 0;  // largest additional delay, uniform; pieces do not overtake each other
  bool split = false;         // each byte is a separate piece
  std::uint64_t seed = 1;
};

class LineFaults {
 public:
  /// Throws std::invalid_argument for a probability below 0, a sum above 1, or a negative time.
  explicit LineFaults(const LineFaultSettings& settings);

  void put(std::string_view bytes, MonotonicNs now);
  /// The next piece due by now; empty: none.
  std::string take(MonotonicNs now);
  /// A hang-up has arrived, behind all pieces from take(): no byte passes until reopen().
  bool hung_up(MonotonicNs now) const;
  void reopen();

  /// Time of the next piece or of the hang-up.
  std::optional<MonotonicNs> deadline() const;
  /// Bytes in transit.
  std::size_t held() const { return held_; }

  /// Faults so far, by kind.
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
  bool broken_ = false;  // a hang-up is in transit or has arrived
  Count count_;
};

}  // namespace datum
