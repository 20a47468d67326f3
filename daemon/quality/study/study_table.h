// Readings of a study, from a CSV table or from stored results.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/quality/statistics/exact.h"
#include "daemon/quality/study/attribute_study.h"
#include "daemon/quality/study/gauge_data.h"
#include "daemon/quality/study/reference_studies.h"

namespace datum::quality {

struct Reading {
  std::string part, op, trial;   // op and trial may be empty
  std::optional<Decimal> value;  // none: INVALID, or not measured
  std::optional<Decimal> reference;
  std::string decision, reference_decision;  // of attribute studies
  int line = 0;                              // of the table; 0: from the store
  std::optional<std::int64_t> at_s{};        // when it was measured, UTC in s
};

struct StudyTable {
  std::string unit;
  std::vector<Reading> readings;  // in the order of measurement

  int digits() const;  // the most decimals of a value
};

/// Columns by their head line: part, operator (or appraiser), trial, value or value_um, unit, reference or reference_um, decision,
/// measured_at (UTC, 2026-01-31T10:00:00Z). Units
/// are those of datumd's characteristics. A value that is empty or INVALID is missing. Throws StudyRefused "NAME:LINE: what; what to do":
/// no unit, two units, no number, one run twice, control characters in a name, a text of another encoding.
StudyTable read_study_table(std::string_view csv, const std::string& name, const std::string& unit,
                            const std::string& encoding = "");

/// Of a time with or without a fraction of a second, which is dropped; none: another form.
std::optional<std::int64_t> utc_seconds(const std::string& iso8601);

/// Throws StudyRefused where a value is exactly 0 and lies farther from all others than they lie from each other: a zero that was typed
/// for a missing value outweighs all other variance.
void refuse_typed_zeros(const StudyTable& table);

/// The readings with a value, by part and operator.
GaugeData gauge_data(const StudyTable& table);

/// By reference; all readings need one.
std::vector<Master> masters_of(const StudyTable& table);
std::vector<std::int64_t> counts_of(const StudyTable& table);
std::vector<Rating> ratings_of(const StudyTable& table);

}  // namespace datum::quality
