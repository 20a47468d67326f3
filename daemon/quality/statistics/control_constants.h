// Constants of control charts for normal values, computed for any subgroup; handbooks print them to three places.
#pragma once

namespace datum::quality {

/// Mean of s / sigma of n values: sqrt(2 / (n - 1)) Gamma(n / 2) / Gamma((n - 1) / 2).
double c4(double n);

/// Of the range of n >= 2 values in units of sigma: mean d2, standard deviation d3.
struct RangeConstants {
  double d2 = 0, d3 = 0;
  double lower_factor() const;  // D3
  double upper_factor() const;  // D4
  /// d2* of a single range (Duncan): the root of the mean square of the range.
  double single() const;
};
RangeConstants range_constants(int n);

/// B3 and B4 of a chart of s.
double s_lower_factor(double n);
double s_upper_factor(double n);

}  // namespace datum::quality
