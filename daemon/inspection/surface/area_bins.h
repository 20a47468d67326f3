// Areas by deviation in bins of one width about 0, filled in the pass that sums them up: where quantiles lie within reach
// of the bins, a second pass over the points that fell into their bins finds them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "daemon/inspection/surface/area_quantiles.h"
#include "daemon/inspection/surface/unset_list.h"

namespace datum {

class AreaBins {
 public:
  static constexpr int width_shift = 8;  // 256 nm
  static constexpr std::size_t width = std::size_t{1} << width_shift, bins = 4096;
  static constexpr std::uint32_t no_bin = 0xFFFFFFFF;
  /// Bins of more groups take memory and time of their own, 32 KB of each thread's: they find nothing.
  static constexpr std::size_t most_groups = 64;

  /// Of `groups` of points among `points`, by so many threads.
  AreaBins(std::size_t groups, std::size_t points, unsigned threads);

  /// The first and the last bin also hold what lies beyond them.
  static std::size_t bin_of(std::int64_t nm) {
    constexpr std::int64_t half = bins / 2;
    const std::int64_t bin = nm >> width_shift;
    return static_cast<std::size_t>((bin < -half ? -half : bin >= half ? half - 1 : bin) + half);
  }
  /// The bins of all groups, one after the other, of a thread.
  std::int64_t* of_thread(unsigned slot);
  /// Place of a group's first bin among those; of more than most_groups each has the same ones.
  std::size_t first_bin(std::size_t group) const { return group * stride_; }
  /// Element i is written once, by whoever sees point i: the place of its bin among those, or no_bin.
  std::uint32_t* bin_of_points() { return bin_of_point_.data(); }

  /// When all is there; once. share_of(i): that of a point with a bin. Of each group the values of its shares of `total[g]` units, each
  /// above 0 and up to 1, as AreaQuantiles::values_um(); empty where the total is 0. False: one lies beyond the bins, or the groups
  /// are too many.
  template <class ShareOf>
  bool find(const std::vector<std::int64_t>& total, const std::vector<std::vector<double>>& shares,
            const ShareOf& share_of, unsigned threads, std::vector<std::vector<double>>& values_um);

 private:
  struct Wanted {
    std::int64_t units, below;  // below: in the bins before its own
    std::size_t bin, exact;     // place of its bin among those that are looked at nm by nm
  };
  /// False: one lies beyond the bins.
  bool locate(const std::vector<std::int64_t>& total, const std::vector<std::vector<double>>& shares);
  std::vector<std::vector<double>> values() const;

  std::size_t groups_, stride_;
  std::vector<UnsetList<std::int64_t>> of_thread_;
  UnsetList<std::uint32_t> bin_of_point_;
  std::vector<std::vector<Wanted>> wanted_;  // of the groups
  std::vector<std::uint8_t>
      exact_;  // of all bins, and of none: 1 + place among those that are looked at; 0: not one
  std::size_t looked_at_ = 0;
  std::vector<std::int64_t> units_;  // of each nm of those
};

template <class ShareOf>
bool AreaBins::find(const std::vector<std::int64_t>& total, const std::vector<std::vector<double>>& shares,
                    const ShareOf& share_of, unsigned threads, std::vector<std::vector<double>>& values_um) {
  if (!locate(total, shares)) return false;
  constexpr std::size_t run = 4096;
  std::vector<std::vector<std::int64_t>> of_slot(std::max(1u, threads));
  parallel_for(threads, runs_of(bin_of_point_.size(), run), [&](std::size_t k, unsigned slot) {
    std::vector<std::int64_t>& own = of_slot[slot];
    if (own.empty()) own.resize(looked_at_ * width);
    std::array<std::uint32_t, run> there;  // points in these bins: few, and nothing tells which
    std::size_t count = 0;
    for (std::size_t i = k * run; i < std::min(bin_of_point_.size(), (k + 1) * run); ++i) {
      there[count] = static_cast<std::uint32_t>(i);
      count += exact_[std::min<std::size_t>(bin_of_point_[i], exact_.size() - 1)] != 0 ? 1 : 0;
    }
    for (std::size_t n = 0; n < count; ++n) {
      const AreaShare s = share_of(there[n]);
      own[(exact_[bin_of_point_[there[n]]] - 1u) * width + static_cast<std::size_t>(s.nm & (width - 1))] +=
          s.units;
    }
  });
  units_.resize(looked_at_ * width);
  for (const std::vector<std::int64_t>& own : of_slot)
    for (std::size_t k = 0; k < own.size(); ++k) units_[k] += own[k];
  values_um = values();
  return true;
}

}  // namespace datum
