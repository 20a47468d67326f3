// Histogram: counts of observations up to each bound, for quantiles. No clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace datum {

class Histogram {
 public:
  /// `bounds`: ascending upper bounds, which outlive the histogram; larger values are counted in the last bucket.
  explicit Histogram(std::span<const double> bounds) : bounds_(bounds), counts_(bounds.size() + 1) {}

  void observe(double value) {
    // Inclusive bound, Prometheus' "le".
    const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), value);
    ++counts_[static_cast<std::size_t>(at - bounds_.begin())];
    sum_ += value;
  }
  std::span<const double> bounds() const { return bounds_; }
  /// Counts of the single buckets; the last one is above every bound.
  const std::vector<std::uint64_t>& counts() const { return counts_; }
  double sum() const { return sum_; }

 private:
  std::span<const double> bounds_;
  std::vector<std::uint64_t> counts_;
  double sum_ = 0;
};

}  // namespace datum
