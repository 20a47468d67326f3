#include "daemon/inspection/surface/area_quantiles.h"

#include <algorithm>

namespace datum {

AreaQuantiles::AreaQuantiles(std::int64_t least_nm, std::int64_t largest_nm, std::int64_t total,
                             const std::vector<double>& shares)
    : least_nm_(least_nm), largest_nm_(largest_nm), units_(bins), near_(bins) {
  while (((largest_nm - least_nm) >> shift_) >= static_cast<std::int64_t>(bins)) ++shift_;
  for (const double share : shares)
    wanted_.push_back({static_cast<std::int64_t>(std::ceil(share * static_cast<double>(total)))});
}

void AreaQuantiles::add_units(const std::int64_t* of_bins) {
  for (std::size_t b = 0; b < bins; ++b) units_[b] += of_bins[b];
}

void AreaQuantiles::locate() {
  for (Wanted& w : wanted_) {
    for (w.bin = 0; w.bin + 1 < bins && w.below + units_[w.bin] < w.units; ++w.bin) w.below += units_[w.bin];
    near_[w.bin] = 1;
  }
}

void AreaQuantiles::add_near(const std::vector<AreaShare>& near) {
  shares_.insert(shares_.end(), near.begin(), near.end());
}

std::vector<double> AreaQuantiles::values_um() {
  std::sort(shares_.begin(), shares_.end(),
            [](const AreaShare& a, const AreaShare& b) { return a.nm < b.nm; });
  std::vector<double> values;
  for (const Wanted& w : wanted_) {
    std::int64_t sum = w.below, nm = largest_nm_;
    for (const AreaShare& s : shares_) {
      if (bin(s.nm) != w.bin) continue;
      sum += s.units;
      if (sum < w.units) continue;
      nm = s.nm;
      break;
    }
    values.push_back(static_cast<double>(nm) / 1000);
  }
  return values;
}

std::vector<double> with_unreached(const std::vector<double>& shares, const std::vector<double>& found) {
  std::vector<double> values;
  std::size_t next = 0;
  for (const double share : shares) {
    if (share > 0 && share <= 1)
      values.push_back(found.empty() ? std::nan("") : found[next++]);
    else
      values.push_back(share > 1 ? HUGE_VAL : -HUGE_VAL);
  }
  return values;
}

}  // namespace datum
