// Judgement of a reference check from the verdicts of its readings.
#pragma once

#include <string>
#include <vector>

#include "daemon/checks/check_settings.h"
#include "daemon/inspection/verdict/verdict.h"
#include "daemon/store/check_records.h"

namespace datum {

/// Values that one reading measured, in the order of the definition's; NaN where INVALID or absent.
struct CheckReading {
  std::uint64_t sequence = 0;
  std::vector<double> values, expanded;  // expanded: U (k = 2)
  std::string fault;                     // what was not measured, the first one; empty: everything was
};
CheckReading reading_of(const CheckDefinition& check, const BoardVerdict& verdict);

/// Why a recipe does not measure a certified value of a component; empty: it does, or the value is not of a component.
std::string value_fault(const CertifiedValue& value, const Recipe& recipe);

/// Outcome of complete readings. A value is good where E_n = |mean - certified| / sqrt(U^2 + U_certified^2) <= 1 (ISO
/// 13528:2022, 9.7) and each reading is within the MPE. U is that of one reading, the largest: what the readings have in common
/// does not average out.
struct CheckOutcome {
  bool good = false;
  std::string why;  // the first value that is not good
  std::vector<CheckedValue> values;
};
CheckOutcome judge(const CheckDefinition& check, const std::vector<CheckReading>& readings);

}  // namespace datum
