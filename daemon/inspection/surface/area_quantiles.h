// Deviations with the area that each stands for, and the deviation at which a share of the area is reached. Integers: neither
// the order nor the threads matter.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "daemon/inspection/surface/in_runs.h"
#include "gpu/surface_match/facet_sums_math.h"

namespace datum {

struct AreaShare {
  std::int64_t nm, units;  // of 1e-9 mm^2
};

inline constexpr double units_per_mm2 = 1e9;

inline AreaShare area_share(float distance_mm, double area_mm2) {
  return {nm_of(distance_mm), nearest_integer(units_per_mm2 * area_mm2)};
}

/// Of the shares of one group. Bins narrow it down, those in the bins that hold a wanted one are sorted: two passes.
class AreaQuantiles {
 public:
  static constexpr std::size_t bins = 1024;

  /// `shares` of `total` units, each above 0 and up to 1, between the least and the largest deviation of all.
  AreaQuantiles(std::int64_t least_nm, std::int64_t largest_nm, std::int64_t total,
                const std::vector<double>& shares);

  std::size_t bin(std::int64_t nm) const { return static_cast<std::size_t>((nm - least_nm_) >> shift_); }
  void add_units(const std::int64_t* of_bins);
  /// When all units are there.
  void locate();
  bool is_near(std::int64_t nm) const { return near_[bin(nm)] != 0; }
  void add_near(const std::vector<AreaShare>& near);
  /// In the order of the shares: the least deviation, um, that so much of the area does not exceed.
  std::vector<double> values_um();

 private:
  struct Wanted {
    std::int64_t units, below = 0;  // below: in the bins before its own
    std::size_t bin = bins - 1;
  };
  std::int64_t least_nm_, largest_nm_;
  int shift_ = 0;
  std::vector<Wanted> wanted_;
  std::vector<std::int64_t> units_;
  std::vector<char> near_;
  std::vector<AreaShare> shares_;
};

/// Of shares of 0 or less and above 1 -infinity and infinity, of the others in their order `found`; NaN where nothing was found.
std::vector<double> with_unreached(const std::vector<double>& shares, const std::vector<double>& found);

/// each(from, to, visit) calls visit(group, share) for those of the elements from .. to that belong to one.
template <class Each>
void find_quantiles(std::vector<AreaQuantiles>& groups, std::size_t count, const Each& each,
                    unsigned threads) {
  constexpr std::size_t bins = AreaQuantiles::bins, run = 4096;
  const std::size_t runs = runs_of(count, run);
  const auto up_to = [&](std::size_t k) { return std::min(count, k * run); };
  std::vector<std::vector<std::int64_t>> units(std::max(1u, threads));  // of each thread
  parallel_for(threads, runs, [&](std::size_t k, unsigned slot) {
    std::vector<std::int64_t>& own = units[slot];
    if (own.empty()) own.resize(groups.size() * bins);
    each(k * run, up_to(k + 1),
         [&](std::size_t g, const AreaShare& s) { own[g * bins + groups[g].bin(s.nm)] += s.units; });
  });
  for (const std::vector<std::int64_t>& own : units)
    for (std::size_t g = 0; !own.empty() && g < groups.size(); ++g)
      groups[g].add_units(own.data() + g * bins);
  for (AreaQuantiles& g : groups) g.locate();
  std::vector<std::vector<std::vector<AreaShare>>> near(units.size());
  parallel_for(threads, runs, [&](std::size_t k, unsigned slot) {
    std::vector<std::vector<AreaShare>>& own = near[slot];
    if (own.empty()) own.resize(groups.size());
    each(k * run, up_to(k + 1), [&](std::size_t g, const AreaShare& s) {
      if (groups[g].is_near(s.nm)) own[g].push_back(s);
    });
  });
  for (const std::vector<std::vector<AreaShare>>& own : near)
    for (std::size_t g = 0; g < own.size(); ++g) groups[g].add_near(own[g]);
}

/// Sums over a group's shares.
struct AreaSums {
  __extension__ using Wide = __int128;
  Wide sum = 0, squares = 0;  // weighted by the area
  std::int64_t total = 0, least_nm = INT64_MAX, largest_nm = INT64_MIN;

  void add(const AreaShare& s) {
    total += s.units;
    sum += Wide{s.units} * s.nm;
    squares += Wide{s.units} * s.nm * s.nm;
    least_nm = std::min(least_nm, s.nm);
    largest_nm = std::max(largest_nm, s.nm);
  }
  void add(const AreaSums& o) {
    total += o.total;
    sum += o.sum;
    squares += o.squares;
    least_nm = std::min(least_nm, o.least_nm);
    largest_nm = std::max(largest_nm, o.largest_nm);
  }
  double area_mm2() const { return static_cast<double>(total) / units_per_mm2; }
  double mean_um() const { return static_cast<double>(sum) / static_cast<double>(total) / 1000; }
  double rms_um() const {
    return std::sqrt(static_cast<double>(squares) / static_cast<double>(total)) / 1000;
  }
};

}  // namespace datum
