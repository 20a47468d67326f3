// Studies against a known reference: type 1, bias, linearity (AIAG MSA 4th edition; VDA 5). Each throws StudyRefused.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "daemon/quality/statistics/exact.h"
#include "daemon/quality/study/gauge_data.h"

namespace datum::quality {

struct Type1Settings {
  double reference = 0, tolerance = 0;  // T = upper - lower
  double percent = 20, sigmas = 6;      // K and L of Cg = (K / 100) T / (L s)
  std::optional<double> resolution{};   // of the gauge: at most 5 % of T
};
struct Type1 {
  std::uint64_t n = 0;
  double mean = 0, s = 0, bias = 0;
  std::optional<double> cg, cgk, t, p;  // none where s is 0; p: that the bias is chance
  std::optional<double> resolution_percent;
};
/// One part, measured again and again: 25 values at least, 50 and more wanted.
Type1 type1_study(std::span<const std::int64_t> counts, int digits, const Type1Settings& settings);

struct Bias {
  std::uint64_t n = 0;
  double mean = 0, s = 0, bias = 0;
  Interval interval;           // of the bias by the readings alone
  std::optional<double> t, p;  // none where s is 0
  double u = 0;                // sqrt(s^2 / n + u_reference^2)
  double normalised = 0;       // bias / u; beyond 2 the master's uncertainty does not explain it
};
/// Readings of one master, ten at least.
Bias bias_study(std::span<const std::int64_t> counts, int digits, double reference, double u_reference,
                double confidence);

struct Master {
  Decimal reference;
  std::vector<std::int64_t> counts;  // readings
};
struct LinearityBand {
  double reference = 0, fitted = 0, half_width = 0;
  bool holds_zero() const { return fitted - half_width <= 0 && fitted + half_width >= 0; }
};
struct Linearity {
  std::uint64_t n = 0;
  double slope = 0, intercept = 0;      // of bias over reference
  double u_slope = 0, u_intercept = 0;  // standard deviations
  double s = 0, r2 = 0, t_limit = 0;    // residuals; two-sided quantile of t
  std::optional<double> t_slope, t_intercept, p_slope, p_intercept;
  std::vector<LinearityBand> bands;  // at each reference
  bool kept() const;                 // neither slope nor intercept is significant
};
/// Bias over reference by least squares, for three readings or more on two references.
Linearity bias_regression(const std::vector<Master>& masters, int digits, double confidence);
/// The same as a study: five masters of ten readings are wanted, three with values at least.
Linearity linearity_study(const std::vector<Master>& masters, int digits, double confidence);

}  // namespace datum::quality
