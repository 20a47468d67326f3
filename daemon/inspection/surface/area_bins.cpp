#include "daemon/inspection/surface/area_bins.h"

#include <algorithm>
#include <cmath>

namespace datum {

AreaBins::AreaBins(std::size_t groups, std::size_t points, unsigned threads)
    : groups_(groups),
      stride_(groups <= most_groups ? bins : 0),
      of_thread_(std::max(1u, threads)),
      bin_of_point_(points) {}

std::int64_t* AreaBins::of_thread(unsigned slot) {
  UnsetList<std::int64_t>& own = of_thread_[slot];
  if (own.empty()) own.assign(stride_ > 0 ? groups_ * bins : bins, 0);
  return own.data();
}

bool AreaBins::locate(const std::vector<std::int64_t>& total,
                      const std::vector<std::vector<double>>& shares) {
  if (stride_ == 0) return false;
  std::vector<std::int64_t> units(bins);
  exact_.assign(groups_ * bins + 1, 0);
  for (std::size_t g = 0; g < groups_; ++g) {
    std::vector<Wanted>& wanted = wanted_.emplace_back();
    if (total[g] == 0) continue;
    std::fill(units.begin(), units.end(), 0);
    for (const UnsetList<std::int64_t>& own : of_thread_)
      for (std::size_t b = 0; !own.empty() && b < bins; ++b) units[b] += own[g * bins + b];
    for (const double share : shares[g]) {
      Wanted w{static_cast<std::int64_t>(std::ceil(share * static_cast<double>(total[g]))), 0, 0, 0};
      for (; w.bin + 1 < bins && w.below + units[w.bin] < w.units; ++w.bin) w.below += units[w.bin];
      if (w.bin == 0 || w.bin + 1 == bins) return false;
      std::uint8_t& exact = exact_[g * bins + w.bin];
      if (exact == 0) {
        if (looked_at_ == UINT8_MAX) return false;
        exact = static_cast<std::uint8_t>(++looked_at_);
      }
      w.exact = exact - 1u;
      wanted.push_back(w);
    }
  }
  return true;
}

std::vector<std::vector<double>> AreaBins::values() const {
  std::vector<std::vector<double>> all;
  for (const std::vector<Wanted>& wanted : wanted_) {
    std::vector<double>& values = all.emplace_back();
    for (const Wanted& w : wanted) {
      std::size_t k = 0;
      for (std::int64_t sum = w.below + units_[w.exact * width]; sum < w.units && k + 1 < width;)
        sum += units_[w.exact * width + ++k];
      const auto first = (static_cast<std::int64_t>(w.bin) - static_cast<std::int64_t>(bins / 2)) *
                         static_cast<std::int64_t>(width);
      values.push_back(static_cast<double>(first + static_cast<std::int64_t>(k)) / 1000);
    }
  }
  return all;
}

}  // namespace datum
