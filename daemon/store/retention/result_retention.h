// Which results go, a few at a time between boards; the chain states each removal (result_chain.h).
//
// By age: older than the limit by the clock, but only as far as somebody vouched for the clock. The store keeps the latest
// time that it was taken for true; a clock that is ahead of that by more than most_jump_days, after a dead battery or a
// wrong setting, removes nothing until it is right again or retention.date_accepted names a day near it. Results go in the
// order of their sequence until one is young enough, so that one with a wrong date does not take others along.
//
// What a host that takes results without loss (or a Modbus host) has not acknowledged waits, until twice the limit.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "daemon/store/result_store.h"
#include "daemon/store/retention/settings.h"
#include "drivers/frame/probe_point.h"

namespace datum {

/// At the moment of a slice.
struct KeepMoment {
  std::int64_t utc_s = 0;
  std::optional<std::uint64_t>
      acknowledged{};                    // by every host that acknowledges; none: there is no such host
  std::function<MonotonicNs()> clock{};  // bounds the slice; empty: only most_at_once does
};

/// What a slice did.
struct KeepOutcome {
  Removal removed;
  bool more = false;               // as much again may be due at once
  MonotonicNs took_ns = 0;         // by the moment's clock
  std::vector<std::string> notes;  // for the log
  std::string unseen;              // results went that a host had not acknowledged; empty: none
  std::string doubt;               // of the clock; empty: none
};

class ResultRetention {
 public:
  static constexpr int most_jump_days = 45;
  // A slice holds the store, and a board that comes waits: for as long as these are read, hashed and deleted. A result of
  // a board has some 4 KiB and takes 50 us; one of a part may have a MiB, and goes alone.
  static constexpr std::uint64_t most_at_once = 16;
  static constexpr MonotonicNs most_reading_ns = 2'000'000;  // deleting takes about as long as reading

  explicit ResultRetention(const RetentionSettings& settings) : settings_(settings) {}

  /// Removes at most most_at_once results, one at least where one is due; on the thread that stores. Throws StoreError.
  KeepOutcome slice(ResultStore& store, const KeepMoment& now) const;

 private:
  std::int64_t trusted_utc_s(ResultStore& store, std::int64_t utc_s, KeepOutcome& outcome) const;
  KeepOutcome remove(ResultStore& store, const KeepMoment& now) const;
  std::vector<RemovalOrder> orders(ResultStore& store, std::int64_t trusted_s, const StoreExtent& have,
                                   const KeepMoment& now) const;

  RetentionSettings settings_;
};

}  // namespace datum
