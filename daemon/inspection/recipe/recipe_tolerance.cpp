#include <cmath>

#include "daemon/inspection/recipe/recipe.h"

namespace datum {
namespace {

/// Natural end, and best value, of a characteristic with one limit: nothing is flatter than 0.
std::optional<double> natural_end(const Check& check) {
  using enum Characteristic;
  const Characteristic c = check.characteristic;
  if (check.lower) {
    if (c == tilt) return 90'000;
    if (c == presence) return 1000;
    return std::nullopt;
  }
  if (c == tilt || c == presence || c == profile || c == flatness || c == parallelism || c == bow ||
      c == twist || c == peak_to_valley || c == board_flatness || c == true_position || c == offset ||
      c == coplanarity || c == coplanarity_regression || c == terminal_range)
    return 0;
  return std::nullopt;
}

}  // namespace

std::optional<double> best_of(const Check& check) {
  if (check.nominal) return check.nominal;
  if (const auto end = natural_end(check)) return end;
  return check.expected;
}

double tolerance_of(const Check& check) {
  if (check.lower && check.upper) return *check.upper - *check.lower;
  const std::optional<double> limit = check.lower ? check.lower : check.upper, best = best_of(check);
  return limit && best ? 2 * std::abs(*limit - *best) : 0;
}

}  // namespace datum
