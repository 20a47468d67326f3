#include "daemon/inspection/surface/surface_statistics.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "daemon/inspection/surface/area_bins.h"
#include "daemon/inspection/surface/area_quantiles.h"
#include "gpu/core/vector_loop.h"

namespace datum {
namespace {

/// Of a point with data.
std::size_t region_of(const SurfaceMap& map, std::size_t i) {
  if (!map.region.empty()) return map.region[i];
  return map.region_of_facet.empty() ? no_region : map.region_of_facet[map.distances[i].facet];
}

bool is_out(const SurfaceMap& map, std::size_t i) {
  const std::size_t r = region_of(map, i);
  const float d = map.distances[i].distance;
  return r < map.regions.size() && !(d >= map.regions[r].lower_mm && d <= map.regions[r].upper_mm);
}

void spread(double um, bool first, double* least, double* largest) {
  *least = first ? um : std::min(*least, um);
  *largest = first ? um : std::max(*largest, um);
}
void spread(double low_um, bool first, double* least, double* largest, double high_um) {
  *least = first ? low_um : std::min(*least, low_um);
  *largest = first ? high_um : std::max(*largest, high_um);
}

void check_areas(const SurfaceMap& map) {
  if (map.area_mm2.size() != map.points.size() || map.distances.size() != map.points.size())
    throw std::invalid_argument("statistics of a surface: its points' areas are not known: cover_of() first");
}

/// What is summed of a group of points.
struct Collected {
  SurfaceStatistics s;
  AreaSums sums;
  std::int64_t out_units = 0;

  /// A point that is of no face.
  void add(const SurfaceMap& map, std::size_t i) {
    const ModelDistance& d = map.distances[i];
    ++s.points;
    if (d.kind == MatchClass::rim) {
      ++s.rim;
      return;
    }
    spread(1000.0 * d.distance, s.edge++ == 0, &s.edge_least_um, &s.edge_largest_um);
    s.edge_out += is_out(map, i);
  }
  /// Of points behind these.
  void add(const Collected& o) {
    if (o.s.edge > 0)
      spread(o.s.edge_least_um, s.edge == 0, &s.edge_least_um, &s.edge_largest_um, o.s.edge_largest_um);
    if (o.s.face > 0) spread(o.s.least_um, s.face == 0, &s.least_um, &s.largest_um, o.s.largest_um);
    s.points += o.s.points;
    s.face += o.s.face;
    s.edge += o.s.edge;
    s.rim += o.s.rim;
    s.face_out += o.s.face_out;
    s.edge_out += o.s.edge_out;
    sums.add(o.sums);
    out_units += o.out_units;
  }
};

/// Face points of one group and region on their way into its sums.
class FaceBlock {
 public:
  static constexpr std::size_t most = 64;

  /// Bins of all groups, those of this thread, and of the points.
  FaceBlock(AreaBins& all, std::int64_t* bins) : all_(all), bins_(bins), bin_of_point_(all.bin_of_points()) {}

  __attribute__((always_inline)) void add(float mm, double area_mm2, std::size_t point) {
    mm_[count_] = mm;
    area_mm2_[count_] = area_mm2;
    point_[count_++] = point;
  }
  bool full() const { return count_ == most; }

  /// Empties it into group g. `limits`: the region's, null where it has none.
  __attribute__((always_inline)) void flush(std::size_t g, const SurfaceRegion* limits, Collected& to) {
    if (count_ == 0) return;
    for (std::size_t k = count_; k < most; ++k) mm_[k] = 0;
    for (std::size_t k = count_; k < most; ++k) area_mm2_[k] = 0;
    for (std::size_t k = 0; k < most; ++k) scaled_nm_[k] = nm_per_mm * mm_[k];
    for (std::size_t k = 0; k < most; ++k) scaled_units_[k] = units_per_mm2 * area_mm2_[k];
    round(scaled_nm_, nm_);
    round(scaled_units_, units_);
    sum_up(g, limits, to);
    count_ = 0;
  }

 private:
  using Scaled = std::array<double, most>;
  using Whole = std::array<std::int64_t, most>;

  /// As nearest_integer().
  static __attribute__((always_inline)) void round(const Scaled& from, Whole& to) {
    constexpr double low_bits =
        0x1.8p52;  // of a sum with it they are the nearest integer's, the even one's of two
    std::uint64_t beyond = 0;
    std::array<std::uint64_t, most> large;
    for (std::size_t k = 0; k < most; ++k) large[k] = ::fabs(from[k]) < 0x1p51 ? 0 : 1;
    for (std::size_t k = 0; k < most; ++k) beyond |= large[k];
    if (beyond != 0) {
      for (std::size_t k = 0; k < most; ++k) to[k] = nearest_integer(from[k]);
      return;
    }
    Scaled sum, away;
    for (std::size_t k = 0; k < most; ++k) sum[k] = from[k] + low_bits;
    for (std::size_t k = 0; k < most; ++k) {
      const double rest = from[k] - (sum[k] - low_bits);  // exact
      const double up = rest == 0.5 && from[k] > 0 ? 1.0 : 0.0;
      away[k] = rest == -0.5 && from[k] < 0 ? -1.0 : up;
    }
    for (std::size_t k = 0; k < most; ++k) sum[k] += away[k];
    std::memcpy(to.data(), sum.data(), sizeof to);
    for (std::size_t k = 0; k < most; ++k) to[k] -= std::bit_cast<std::int64_t>(low_bits);
  }

  __attribute__((always_inline)) void sum_up(std::size_t g, const SurfaceRegion* limits, Collected& to) {
    Collected own;
    float least = mm_[0], largest = mm_[0];
    AreaSums sums;
    const std::size_t first_bin = all_.first_bin(g);
    std::int64_t* const bins = bins_ + first_bin;
    const double low = limits ? limits->lower_mm : -HUGE_VAL, high = limits ? limits->upper_mm : HUGE_VAL;
    for (std::size_t k = 0; k < count_; ++k) {
      const float mm = mm_[k];
      const std::int64_t nm = nm_[k], units = units_[k];
      least = std::min(least, mm);
      largest = std::max(largest, mm);
      sums.total += units;
      const AreaSums::Wide product = AreaSums::Wide{units} * nm;
      sums.sum += product;
      sums.squares +=
          is_long(product) ? product * nm : AreaSums::Wide{static_cast<std::int64_t>(product)} * nm;
      const std::size_t bin = AreaBins::bin_of(nm);
      bins[bin] += units;
      bin_of_point_[point_[k]] = static_cast<std::uint32_t>(first_bin + bin);
      if (mm >= low && mm <= high) continue;
      if (!limits) continue;
      ++own.s.face_out;
      own.out_units += units;
    }
    // both grow with the deviation
    sums.least_nm = nm_of(least);
    sums.largest_nm = nm_of(largest);
    own.sums = sums;
    own.s.points = own.s.face = count_;
    own.s.least_um = 1000.0 * least;
    own.s.largest_um = 1000.0 * largest;
    to.add(own);
  }
  static bool is_long(AreaSums::Wide v) { return v != AreaSums::Wide{static_cast<std::int64_t>(v)}; }

  const AreaBins& all_;
  std::int64_t* bins_;
  std::uint32_t* bin_of_point_;
  std::size_t count_ = 0;
  std::array<float, most> mm_;
  Scaled area_mm2_, scaled_nm_, scaled_units_;
  Whole nm_, units_;
  std::array<std::size_t, most> point_;
};

AreaRange range_of(const AreaSums& sums) {
  return sums.total > 0 ? AreaRange{sums.least_nm, sums.largest_nm, sums.total} : AreaRange{};
}

/// Calls visit(group, share) for the face points from .. to of each group. group_of(i): its number, `groups` for none.
template <class GroupOf, class Visit>
void each_face(const SurfaceMap& map, const GroupOf& group_of, std::size_t groups, std::size_t from,
               std::size_t to, const Visit& visit) {
  for (std::size_t i = from; i < to; ++i) {
    const ModelDistance& d = map.distances[i];
    if (d.kind != MatchClass::face) continue;
    if (const std::size_t g = group_of(i); g < groups) visit(g, area_share(d.distance, map.area_mm2[i]));
  }
}

/// Sums of points from .. to, all of one thread.
template <class GroupOf>
void sum_up(const SurfaceMap& map, const GroupOf& group_of, std::size_t from, std::size_t to, AreaBins& bins,
            std::int64_t* of_thread, std::vector<Collected>& own) {
  vector_loop(best_isa(), [&]() DATUM_VECTOR_LOOP {
    FaceBlock block(bins, of_thread);
    std::uint32_t* const bin_of_point = bins.bin_of_points();
    const std::size_t groups = own.size();
    const ModelDistance* const distances = map.distances.data();
    const double* const areas = map.area_mm2.data();
    std::size_t group = groups, region = 0;  // of the block's points
    const auto flush = [&]() DATUM_VECTOR_LOOP {
      if (group < groups)
        block.flush(group, region < map.regions.size() ? &map.regions[region] : nullptr, own[group]);
    };
    for (std::size_t i = from; i < to; ++i) {
      bin_of_point[i] = AreaBins::no_bin;
      const ModelDistance& d = distances[i];
      if (d.kind == MatchClass::no_data) continue;
      const std::size_t g = group_of(i);
      if (g >= groups) continue;
      if (d.kind != MatchClass::face) {
        own[g].add(map, i);
        continue;
      }
      const std::size_t r = region_of(map, i);
      if (g != group || r != region || block.full()) {
        flush();
        group = g;
        region = r;
      }
      block.add(d.distance, areas[i], i);
    }
    flush();
  });
}

template <class GroupOf>
std::vector<Collected> sum_up(const SurfaceMap& map, const GroupOf& group_of, std::size_t groups,
                              unsigned threads, AreaBins& bins) {
  constexpr std::size_t length = 4096;  // some for each of many threads
  const std::size_t points = map.points.size();
  std::vector<std::vector<Collected>> of_run(runs_of(points, length));
  parallel_for(threads, of_run.size(), [&](std::size_t run, unsigned slot) {
    std::vector<Collected> own(groups);
    sum_up(map, group_of, run * length, std::min(points, (run + 1) * length), bins, bins.of_thread(slot),
           own);
    of_run[run] = std::move(own);
  });
  std::vector<Collected> all(groups);
  for (const std::vector<Collected>& some : of_run)
    for (std::size_t g = 0; g < groups; ++g) all[g].add(some[g]);
  return all;
}

/// Of groups that have an area, the values of these shares; nothing of others.
template <class GroupOf>
std::vector<std::vector<double>> quantiles(const SurfaceMap& map, const GroupOf& group_of,
                                           const std::vector<AreaRange>& all, const SharesOfRegions& shares,
                                           unsigned threads) {
  std::vector<AreaQuantiles> found;
  for (std::size_t g = 0; g < all.size(); ++g)
    found.emplace_back(all[g].least_nm, all[g].largest_nm, all[g].units, shares[g]);
  const auto each = [&](std::size_t from, std::size_t to, const auto& visit) {
    each_face(map, group_of, all.size(), from, to, [&](std::size_t g, const AreaShare& s) {
      if (all[g].units > 0) visit(g, s);
    });
  };
  find_quantiles(found, map.points.size(), each, threads);
  std::vector<std::vector<double>> values(all.size());
  for (std::size_t g = 0; g < all.size(); ++g)
    if (all[g].units > 0) values[g] = found[g].values_um();
  return values;
}

template <class GroupOf>
std::vector<SurfaceStatistics> collect(const SurfaceMap& map, const GroupOf& group_of, std::size_t groups,
                                       unsigned threads,
                                       const std::function<SharesOfRegions()>& wanted = {}) {
  check_areas(map);
  AreaBins bins(groups, map.points.size(), threads);
  const std::vector<Collected> all = sum_up(map, group_of, groups, threads, bins);
  std::vector<AreaRange> ranges;
  std::vector<std::int64_t> units;
  for (const Collected& c : all) {
    ranges.push_back(range_of(c.sums));
    units.push_back(ranges.back().units);
  }
  SharesOfRegions shares = wanted ? wanted() : SharesOfRegions();
  shares.resize(groups);
  for (std::vector<double>& of_group : shares) of_group.insert(of_group.begin(), {0.01, 0.5, 0.99});
  const auto share_of = [&](std::size_t i) { return area_share(map.distances[i].distance, map.area_mm2[i]); };
  std::vector<std::vector<double>> values;
  if (!bins.find(units, shares, share_of, threads, values))
    values = quantiles(map, group_of, ranges, shares, threads);
  std::vector<SurfaceStatistics> statistics;
  for (std::size_t g = 0; g < groups; ++g) {
    SurfaceStatistics& s = statistics.emplace_back(all[g].s);
    s.range = ranges[g];
    if (values[g].empty()) continue;
    s.area_mm2 = all[g].sums.area_mm2();
    s.mean_um = all[g].sums.mean_um();
    s.rms_um = all[g].sums.rms_um();
    s.out_mm2 = static_cast<double>(all[g].out_units) / units_per_mm2;
    s.fraction_out = static_cast<double>(all[g].out_units) / static_cast<double>(all[g].sums.total);
    s.p1_um = values[g][0];
    s.p50_um = values[g][1];
    s.p99_um = values[g][2];
    for (std::size_t k = 3; k < shares[g].size(); ++k) s.at_share_um[shares[g][k]] = values[g][k];
  }
  return statistics;
}

}  // namespace

SurfaceStatistics statistics_of(const SurfaceMap& map, std::uint16_t region, unsigned threads) {
  return collect(
      map, [&](std::size_t i) { return std::size_t{region_of(map, i) != region}; }, 1, threads)[0];
}

SurfaceStatistics statistics_of(const SurfaceMap& map) {
  return collect(
      map, [](std::size_t) { return std::size_t{0}; }, 1, 1)[0];
}

std::vector<SurfaceStatistics> statistics_of_regions(const SurfaceMap& map, unsigned threads,
                                                     const std::function<SharesOfRegions()>& shares) {
  return collect(
      map, [&](std::size_t i) { return region_of(map, i); }, map.regions.size(), threads, shares);
}

std::vector<double> quantiles_of(const SurfaceMap& map, std::uint16_t region, const AreaRange& range,
                                 const std::vector<double>& shares, unsigned threads) {
  check_areas(map);
  const auto group_of = [&](std::size_t i) { return std::size_t{region_of(map, i) != region}; };
  std::vector<double> inner;
  for (const double share : shares)
    if (share > 0 && share <= 1) inner.push_back(share);
  return with_unreached(shares, quantiles(map, group_of, {range}, {inner}, threads)[0]);
}

double quantile_of(const SurfaceMap& map, std::uint16_t region, double share) {
  return quantiles_of(map, region, statistics_of(map, region).range, {share}, 1)[0];
}

std::size_t points_without_data(const SurfaceMap& map) {
  return static_cast<std::size_t>(
      std::count_if(map.distances.begin(), map.distances.end(),
                    [](const ModelDistance& d) { return d.kind == MatchClass::no_data; }));
}

DeviationHistogram histogram_of(const SurfaceMap& map, double lower_um, double upper_um, std::size_t bins) {
  check_areas(map);
  if (!(upper_um > lower_um) || bins == 0 || !std::isfinite(upper_um - lower_um))
    throw std::invalid_argument("histogram of a surface: " + std::to_string(lower_um) + " to " +
                                std::to_string(upper_um) + " um in " + std::to_string(bins) + " bins");
  DeviationHistogram h{lower_um, (upper_um - lower_um) / static_cast<double>(bins), {}};
  std::vector<std::int64_t> units(bins);
  std::int64_t below = 0, above = 0;
  for (std::size_t i = 0; i < map.points.size(); ++i) {
    if (map.distances[i].kind != MatchClass::face) continue;
    const double at = std::floor((1000.0 * map.distances[i].distance - lower_um) / h.width_um);
    const std::int64_t share = std::llround(units_per_mm2 * map.area_mm2[i]);
    std::int64_t& sum = at < 0                           ? below
                        : at < static_cast<double>(bins) ? units[static_cast<std::size_t>(at)]
                                                         : above;
    sum += share;
  }
  for (const std::int64_t u : units) h.area_mm2.push_back(static_cast<double>(u) / units_per_mm2);
  h.below_mm2 = static_cast<double>(below) / units_per_mm2;
  h.above_mm2 = static_cast<double>(above) / units_per_mm2;
  return h;
}

}  // namespace datum
