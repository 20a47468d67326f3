// EWMA and CUSUM of control charts, one point after the other (D. C. Montgomery, "Introduction to Statistical Quality Control", chapter 9).
// datumctl spc and the running cell use this one implementation.
#pragma once

#include <cstdint>
#include <optional>

namespace datum::quality {

struct EwmaRule {
  double lambda = 0.1, width = 2.814;  // 500 points to a false alarm; width: L, in sigma of the statistic
};
struct CusumRule {
  double k = 0.5, h = 4.77;  // in sigma
  bool head_start = false;   // sums begin at h / 2
};

struct EwmaPoint {
  double z = 0, lower = 0, upper = 0;
  bool out = false;
};
/// z = lambda x + (1 - lambda) z, from `target`; limits target +- width sigma sqrt(lambda / (2 - lambda) (1 - (1 - lambda)^2t)).
class Ewma {
 public:
  Ewma(const EwmaRule& rule, double target, double sigma)
      : rule_(rule), target_(target), sigma_(sigma), z_(target) {}
  EwmaPoint take(double x);

 private:
  friend class DriftWatch;
  EwmaRule rule_;
  double target_, sigma_, z_, left_ = 1;  // left: (1 - lambda)^2t
};

struct CusumPoint {
  double above = 0, below = 0;  // C+ and C-
  bool out = false;
  std::optional<double> shifted_to;  // estimate of the mean where it is out
};
/// Tabular: C+ = max(0, C+ + x - target - k sigma), C- alike; out above h sigma. After a signal it begins anew.
class Cusum {
 public:
  Cusum(const CusumRule& rule, double target, double sigma);
  CusumPoint take(double x);

 private:
  friend class DriftWatch;
  double target_, slack_, limit_, start_, above_, below_;
  std::uint64_t above_n_ = 0, below_n_ = 0;  // points since the sum was 0
};

/// Which of both watch a series.
struct DriftRules {
  std::optional<EwmaRule> ewma;
  std::optional<CusumRule> cusum;
};

/// What a DriftWatch has kept of all points before: with it a watch goes on with the same bits.
struct DriftState {
  double z = 0, left = 1, above = 0, below = 0;
  std::uint64_t above_n = 0, below_n = 0;
  std::uint64_t ewma_since = 0, above_since = 0, below_since = 0;  // results; 0: none
};

/// EWMA and CUSUM of standardised points (target 0, sigma 1).
class DriftWatch {
 public:
  explicit DriftWatch(const DriftRules& rules);
  struct Hits {
    std::optional<std::uint64_t> ewma, cusum;  // result since which the statistic is off the centre line
  };
  /// A gap has no point, and leaves both as they are. EWMA is hit at each point beyond its limits.
  Hits take(std::uint64_t sequence, const std::optional<double>& point);
  DriftState state() const;
  void resume(const DriftState& state);

 private:
  std::optional<Ewma> ewma_;
  std::optional<Cusum> cusum_;
  std::uint64_t ewma_since_ = 0, above_since_ = 0, below_since_ = 0;
};

}  // namespace datum::quality
