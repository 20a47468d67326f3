// Histogram: how many observations were at most so large, for whoever draws quantiles from it later. No clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace datum {

class Histogram {
 public:
  /// Upper bounds, ascending, which outlive the histogram; what is larger than the last is counted beyond it.
  explicit Histogram(std::span<const double> bounds) : bounds_(bounds), counts_(bounds.size() + 1) {}

  void observe(double value) {
    const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), value);  // "le": at most the bound
    ++counts_[static_cast<std::size_t>(at - bounds_.begin())];
    sum_ += value;
  }
  std::span<const double> bounds() const { return bounds_; }
  /// Of each bucket by itself; the last one is beyond every bound.
  const std::vector<std::uint64_t>& counts() const { return counts_; }
  double sum() const { return sum_; }

 private:
  std::span<const double> bounds_;
  std::vector<std::uint64_t> counts_;
  double sum_ = 0;
};

}  // namespace datum
