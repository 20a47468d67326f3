// Removal of results, in slices between boards; the chain states each removal (result_chain.h).
//
// By age: results beyond the limit by a trusted clock. The store keeps the last trusted time. A clock that is ahead of it
// by more than most_jump_days, after an empty battery or a wrong setting, removes nothing until it is correct again or
// retention.date_accepted names a nearby day. Results are removed in the order of their sequence numbers up to the first
// young one, so that a result with a wrong date does not remove others.
//
// Results that a lossless host or a Modbus host has not acknowledged are kept up to twice the limit.
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

/// Inputs of a slice.
struct KeepMoment {
  std::int64_t utc_s = 0;
  std::optional<std::uint64_t> acknowledged{};  // by every acknowledging host; none: no such host
  std::function<MonotonicNs()> clock{};  // limits the duration of the slice; empty: only most_at_once does
};

/// Outcome of a slice.
struct KeepOutcome {
  Removal removed;
  bool more = false;               // a further slice may be due at once
  MonotonicNs took_ns = 0;         // by the clock of KeepMoment
  std::vector<std::string> notes;  // lines for the log
  std::string unseen;              // removed results that a host had not acknowledged; empty: none
  std::string doubt;               // fault of the clock; empty: none
};

class ResultRetention {
 public:
  static constexpr int most_jump_days = 45;
  // A slice locks the store, and a new board waits while results are read, hashed, summed and deleted. A result of a board
  // with two components has some 2 KiB and takes 0.3 ms, one with 500 components 0.5 MiB and 11 ms: it forms a slice of its own.
  static constexpr std::uint64_t most_at_once = 16;
  static constexpr MonotonicNs most_reading_ns = 2'000'000;  // deleting takes about as long as reading

  explicit ResultRetention(const RetentionSettings& settings) : settings_(settings) {}

  /// Removes at most most_at_once results, at least one where one is due; called in the storing thread. Throws
  /// StoreError.
  KeepOutcome slice(ResultStore& store, const KeepMoment& now) const;

 private:
  std::int64_t trusted_utc_s(ResultStore& store, std::int64_t utc_s, KeepOutcome& outcome) const;
  KeepOutcome remove(ResultStore& store, const KeepMoment& now) const;
  std::vector<RemovalOrder> orders(ResultStore& store, std::int64_t trusted_s, const StoreExtent& have,
                                   const KeepMoment& now) const;

  RetentionSettings settings_;
};

}  // namespace datum
