// Numbers of the charts: where a value lies in user units of an SVG drawing. Templates turn them into shapes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/inspection/verdict/verdict.h"

namespace datum {

/// A value's place in its tolerance: -100 at the lower limit, +100 at the upper one, 0 in their middle. With one limit 0 is the value
/// of a good part (best_of) and 100 or -100 the limit. None: not measured, or the value of a good part is unknown.
std::optional<double> share_of_tolerance(const CheckVerdict& check);

/// A linear axis from values to user units.
struct Axis {
  double from = 0, to = 1;          // values; from < to
  double from_px = 0, to_px = 100;  // may fall

  double at(double value) const { return from_px + (value - from) / (to - from) * (to_px - from_px); }
};

/// An axis over [least, most], widened by 5 % on both sides; a single value gets 1 on both sides.
Axis axis_over(double least, double most, double from_px, double to_px);

/// About `wanted` round values (1, 2 or 5 times a power of ten) within the axis; rising.
std::vector<double> ticks_of(const Axis& axis, int wanted);
/// A tick with the decimals that tell it from its neighbours.
std::string tick_text(double value, double step);

/// Five numbers of a sample: quantiles by linear interpolation between order statistics (Hyndman and Fan 1996, definition 7).
struct FiveNumbers {
  std::size_t n = 0;
  double least = 0, first_quartile = 0, median = 0, third_quartile = 0, most = 0;
};
/// Throws std::invalid_argument for an empty sample.
FiveNumbers five_numbers(std::vector<double> sample);

}  // namespace datum
