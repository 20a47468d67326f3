#include "daemon/inspection/surface/surface_statistics.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace datum {
namespace {

__extension__ using Wide = __int128;

constexpr double nm_per_mm = 1e6, units_per_mm2 = 1e9;

/// A face point's contribution; sums over all points remain exact in 128 bits.
struct Share {
  std::int64_t nm, units;
};

std::size_t region_index(const SurfaceMap& map, std::uint32_t facet) {
  return map.region_of_facet.empty() ? no_region : map.region_of_facet[facet];
}

bool is_out(const SurfaceMap& map, const ModelDistance& d) {
  const std::size_t r = region_index(map, d.facet);
  return r < map.regions.size() &&
         !(d.distance >= map.regions[r].lower_mm && d.distance <= map.regions[r].upper_mm);
}

void spread(double um, bool first, double* least, double* largest) {
  *least = first ? um : std::min(*least, um);
  *largest = first ? um : std::max(*largest, um);
}

/// Deviation in um, in ascending order, at which a share of the area is reached.
double quantile(const std::vector<Share>& sorted, std::int64_t total, double share) {
  const auto wanted = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(total)));
  std::int64_t sum = 0;
  for (const Share& s : sorted) {
    sum += s.units;
    if (sum >= wanted) return static_cast<double>(s.nm) / 1000;
  }
  return static_cast<double>(sorted.back().nm) / 1000;
}

void sort(std::vector<Share>& shares) {
  std::sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.nm < b.nm; });
}

Share share_of(const SurfaceMap& map, std::size_t i) {
  return {std::llround(nm_per_mm * map.distances[i].distance), std::llround(units_per_mm2 * map.area_mm2[i])};
}

void add_sums(SurfaceStatistics* s, std::vector<Share> shares, std::int64_t out_units) {
  Wide sum = 0, squares = 0;
  std::int64_t total = 0;
  for (const Share& share : shares) {
    total += share.units;
    sum += Wide{share.units} * share.nm;
    squares += Wide{share.units} * share.nm * share.nm;
  }
  if (total == 0) return;
  const auto weight = static_cast<double>(total);
  s->area_mm2 = weight / units_per_mm2;
  s->mean_um = static_cast<double>(sum) / weight / 1000;
  s->rms_um = std::sqrt(static_cast<double>(squares) / weight) / 1000;
  s->out_mm2 = static_cast<double>(out_units) / units_per_mm2;
  s->fraction_out = static_cast<double>(out_units) / weight;
  sort(shares);
  s->p1_um = quantile(shares, total, 0.01);
  s->p50_um = quantile(shares, total, 0.5);
  s->p99_um = quantile(shares, total, 0.99);
}

void check_areas(const SurfaceMap& map) {
  if (map.area_mm2.size() != map.points.size() || map.distances.size() != map.points.size())
    throw std::invalid_argument("statistics of a surface: its points' areas are not known: cover_of() first");
}

template <class Belongs>
SurfaceStatistics collect(const SurfaceMap& map, const Belongs& belongs) {
  check_areas(map);
  SurfaceStatistics s;
  std::vector<Share> shares;
  std::int64_t out_units = 0;
  for (std::size_t i = 0; i < map.points.size(); ++i) {
    const ModelDistance& d = map.distances[i];
    if (d.kind == MatchClass::no_data || !belongs(d.facet)) continue;
    ++s.points;
    const double um = 1000.0 * d.distance;
    if (d.kind == MatchClass::rim) {
      ++s.rim;
    } else if (d.kind == MatchClass::edge) {
      spread(um, s.edge++ == 0, &s.edge_least_um, &s.edge_largest_um);
      s.edge_out += is_out(map, d);
    } else {
      spread(um, s.face++ == 0, &s.least_um, &s.largest_um);
      shares.push_back(share_of(map, i));
      if (!is_out(map, d)) continue;
      ++s.face_out;
      out_units += shares.back().units;
    }
  }
  add_sums(&s, std::move(shares), out_units);
  return s;
}

}  // namespace

SurfaceStatistics statistics_of(const SurfaceMap& map, std::uint16_t region) {
  return collect(map, [&](std::uint32_t facet) { return region_index(map, facet) == region; });
}

SurfaceStatistics statistics_of(const SurfaceMap& map) {
  return collect(map, [](std::uint32_t) { return true; });
}

double quantile_of(const SurfaceMap& map, std::uint16_t region, double share) {
  check_areas(map);
  if (share <= 0) return -HUGE_VAL;
  if (share > 1) return HUGE_VAL;
  std::vector<Share> shares;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < map.points.size(); ++i) {
    if (map.distances[i].kind != MatchClass::face || region_index(map, map.distances[i].facet) != region)
      continue;
    shares.push_back(share_of(map, i));
    total += shares.back().units;
  }
  if (total == 0) return std::nan("");
  sort(shares);
  return quantile(shares, total, share);
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
