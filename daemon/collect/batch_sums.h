// Sums over a batch of results, by keys of the database: what is added to its sums in one statement for each key. Integers, so that cells,
// batches and their order change no bit.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "daemon/series/count_sums.h"

namespace datum {

/// Numbers of rows in the database.
struct SumsKey {
  int cell = 0, characteristic = 0, making = 0;
  std::int64_t day = 0;  // since 1970, UTC
  int series = 0;        // 0: the unit's first measurement by this cell, 1: a repeat
  auto operator<=>(const SumsKey&) const = default;
};

struct ValueSums {
  quality::CountSums values;  // counts of 10^-6 of the unit
  std::optional<std::int64_t> lowest, highest;
  std::uint64_t pass = 0, inconclusive = 0, fail = 0, invalid = 0;
  double largest_u = 0;

  /// `count`: none where INVALID. `decision`: by Decision.
  void add(const std::optional<std::int64_t>& count, double u, int decision) {
    ++(decision == 0 ? pass : decision == 1 ? inconclusive : decision == 2 ? fail : invalid);
    if (!count) return;
    values.add(*count);
    lowest = lowest ? std::min(*lowest, *count) : *count;
    highest = highest ? std::max(*highest, *count) : *count;
    largest_u = std::max(largest_u, u);
  }
};

struct BoardSumsKey {
  int cell = 0, recipe = 0, making = 0;
  std::int64_t day = 0;
  int series = 0;  // as above; 2: artefacts of reference checks
  int decision = 0, reason = 0;
  auto operator<=>(const BoardSumsKey&) const = default;
};

using SumsOfBatch = std::map<SumsKey, ValueSums>;
using BoardSumsOfBatch = std::map<BoardSumsKey, std::uint64_t>;

}  // namespace datum
