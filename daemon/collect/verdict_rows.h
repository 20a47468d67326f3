// A result as rows of a database: its boards and their measurements. Reads of a verdict what it needs, and passes over keys that it does
// not know, so that a cell of a newer datumd needs no newer collector. Never reads doubt as a pass: a verdict that can't be read, or that
// contradicts the fields that its hash covers, is a board INVALID with reason UNREADABLE.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/collect/plant_message.h"

namespace datum {

inline constexpr std::int64_t us_per_day = 86'400'000'000;

/// What a value is a value of. Texts are fit for a database (plain_text).
struct MeasuredCharacteristic {
  std::string reference, package, characteristic, unit;
  double parameter = 0;
  std::optional<double> nominal, lower, upper;
  /// Equal for equal ones alone.
  std::string key() const;
};

struct MeasurementRow {
  std::size_t board = 0;  // index into VerdictRows::boards
  MeasuredCharacteristic what;
  std::string key;                    // what.key()
  std::optional<std::int64_t> count;  // value in 10^-6 of its unit; none: INVALID
  double u = 0;                       // standard uncertainty, in the unit; 0 where INVALID
  int decision = 3;                   // by Decision
  std::string reason;                 // of INVALID; "NONE" otherwise
};

/// One board; of a panel each of its boards. Skipped boards have none.
struct BoardRow {
  std::string place;  // "2-3" within a panel
  std::string unit;
  int decision = 3;
  std::string reason;
};

struct VerdictRows {
  std::int64_t utc_us = 0;   // since 1970
  bool is_artefact = false;  // of a reference check: no product
  std::string recipe, recipe_sha256, calibration_sha256, code;
  std::vector<BoardRow> boards;
  std::vector<MeasurementRow> measurements;
  std::string unreadable;  // why; empty: it was read
};

/// `received_us`: stands in for a time that is none.
VerdictRows rows_of(const PlantEntry& result, std::int64_t received_us);

/// Microseconds since 1970 of "YYYY-MM-DDTHH:MM:SS[.fraction]Z"; none: another form, or before 2000 or after 2199.
std::optional<std::int64_t> utc_us_of(std::string_view text);

/// Valid UTF-8 without controls stays as it is but for '%', which becomes %25; any other byte becomes %XX. Different bytes give different
/// texts.
std::string plain_text(std::string_view bytes);

}  // namespace datum
