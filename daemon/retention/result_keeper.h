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
#include <optional>
#include <string>
#include <vector>

#include "daemon/report/result_store.h"
#include "daemon/retention/settings.h"

namespace datum {

/// At the moment of a slice.
struct KeepMoment {
  std::int64_t utc_s = 0;
  std::optional<std::uint64_t>
      acknowledged{};  // by every host that acknowledges; none: there is no such host
};

/// What a slice did.
struct KeepOutcome {
  Removal removed;
  bool more = false;               // as much again may be due at once
  std::vector<std::string> notes;  // for the log
  std::string doubt;               // of the clock; empty: none
};

class ResultKeeper {
 public:
  static constexpr int most_jump_days = 45;
  /// A slice holds the store for the time of reading, hashing and deleting these.
  static constexpr std::uint64_t most_at_once = 16;

  explicit ResultKeeper(const RetentionSettings& settings) : settings_(settings) {}

  /// Removes at most most_at_once results; on the thread that stores. Throws StoreError.
  KeepOutcome slice(ResultStore& store, const KeepMoment& now) const;

 private:
  std::int64_t trusted_utc_s(ResultStore& store, std::int64_t utc_s, KeepOutcome& outcome) const;
  std::vector<RemovalOrder> orders(ResultStore& store, std::int64_t trusted_s, const StoreExtent& have,
                                   const KeepMoment& now) const;

  RetentionSettings settings_;
};

}  // namespace datum
