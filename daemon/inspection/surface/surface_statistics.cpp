#include "daemon/inspection/surface/surface_statistics.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "daemon/inspection/surface/area_quantiles.h"

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

  void add(const SurfaceMap& map, std::size_t i) {
    const ModelDistance& d = map.distances[i];
    ++s.points;
    const double um = 1000.0 * d.distance;
    if (d.kind == MatchClass::rim) {
      ++s.rim;
    } else if (d.kind == MatchClass::edge) {
      spread(um, s.edge++ == 0, &s.edge_least_um, &s.edge_largest_um);
      s.edge_out += is_out(map, i);
    } else {
      spread(um, s.face++ == 0, &s.least_um, &s.largest_um);
      const AreaShare share = area_share(d.distance, map.area_mm2[i]);
      sums.add(share);
      if (!is_out(map, i)) return;
      ++s.face_out;
      out_units += share.units;
    }
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

template <class GroupOf>
std::vector<Collected> sum_up(const SurfaceMap& map, const GroupOf& group_of, std::size_t groups,
                              unsigned threads) {
  constexpr std::size_t length = 4096;  // some for each of many threads
  std::vector<std::vector<Collected>> of_run(runs_of(map.points.size(), length));
  in_runs(
      threads, map.points.size(),
      [&](std::size_t run, std::size_t from, std::size_t to) {
        std::vector<Collected> own(groups);
        for (std::size_t i = from; i < to; ++i) {
          if (map.distances[i].kind == MatchClass::no_data) continue;
          if (const std::size_t g = group_of(i); g < groups) own[g].add(map, i);
        }
        of_run[run] = std::move(own);
      },
      length);
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
  const std::vector<Collected> all = sum_up(map, group_of, groups, threads);
  std::vector<AreaRange> ranges;
  for (const Collected& c : all) ranges.push_back(range_of(c.sums));
  SharesOfRegions shares = wanted ? wanted() : SharesOfRegions();
  shares.resize(groups);
  for (std::vector<double>& of_group : shares) of_group.insert(of_group.begin(), {0.01, 0.5, 0.99});
  const auto values = quantiles(map, group_of, ranges, shares, threads);
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
