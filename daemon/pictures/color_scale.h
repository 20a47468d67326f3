// Colours of numbers: a scale, its bar with marks of what lies beyond, and what it was made for.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "daemon/pictures/page.h"

namespace datum::picture {

/// Colours of `low` to `high`; values beyond have colours of their own.
struct ColorScale {
  double low = 0, high = 1;
  /// Linear where 0, else asinh(v / knee): linear up to the knee, logarithmic beyond.
  double knee = 0;
  std::function<Rgb(double)> color;  // of any number
  bool is_signed = false;            // negative numbers are lined, so that their sign is seen in grey
  std::string title;                 // above the bar
  // of the values that are shown
  double lowest = 0, highest = 1;
  double share_below = 0, share_above = 0;

  /// 0 at `low`, 1 at `high`.
  double part_of(double value) const;
  double value_at(double part) const;
  /// Colour of a number in row `y` of an image.
  Rgb at(double value, int y) const;
};

/// Heights from the `low` to the `high` quantile (nearest rank), at least 1 um wide; black below, white above. NaN: no height.
/// The knee is ignored (linear) where it is 0 or the scale spans less than 6 times it, as for deviations.
ColorScale height_scale(std::span<const float> um, double low, double high, double knee_um);
/// Deviations from -range to range in the twenty-one steps of deviation_colors.h.
ColorScale deviation_scale(std::span<const float> um, double range_um, double knee_um);

/// Of a pixel without a value: stripes, which no number has.
Rgb no_value(int x, int y);

/// Multiples of `step` from `low` to `high`; at most 200, so that no numbers, however large, make endless work.
std::vector<double> multiples_of(double step, double low, double high);
/// The largest of 1, 2 or 5 times a power of ten that does not exceed `limit`.
double round_step(double limit);
/// At most three decimals, no trailing zeros.
std::string short_number(double value);

inline constexpr double color_bar_width = 128;
/// A bar with numbers; at an end beyond which values lie a triangle in their colour, their share and the extreme.
void draw_color_bar(Page& page, const PageBox& box, const ColorScale& scale);

}  // namespace datum::picture
