#include <cmath>

#include "daemon/inspect/recipe.h"

namespace datum {
namespace {

/// Where a characteristic ends by itself, and is best: nothing is flatter than 0.
std::optional<double> natural_lower(Characteristic c) {
  using enum Characteristic;
  if (c == tilt || c == presence || c == profile || c == flatness || c == parallelism || c == bow ||
      c == twist || c == peak_to_valley || c == board_flatness)
    return 0;
  return std::nullopt;
}

std::optional<double> natural_upper(Characteristic c) {
  if (c == Characteristic::tilt) return 90'000;
  if (c == Characteristic::presence) return 1000;
  return std::nullopt;
}

}  // namespace

double tolerance_of(const Check& check) {
  const std::optional<double> lower = check.lower ? check.lower : natural_lower(check.characteristic);
  const std::optional<double> upper = check.upper ? check.upper : natural_upper(check.characteristic);
  if (lower && upper) return *upper - *lower;
  const std::optional<double> nominal = check.nominal ? check.nominal : check.expected;
  const std::optional<double> limit = lower ? lower : upper;
  return limit && nominal ? 2 * std::abs(*limit - *nominal) : 0;
}

}  // namespace datum
