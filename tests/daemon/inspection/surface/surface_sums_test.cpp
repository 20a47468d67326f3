// Statistics of a surface's points beside a loop that looks at one after the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "daemon/inspection/surface/area_bins.h"
#include "daemon/inspection/surface/area_quantiles.h"
#include "daemon/inspection/surface/surface_statistics.h"

namespace datum::surface_sums_test {
namespace {

/// Face points of two regions, some of them steps or without data.
SurfaceMap random_map(double spread_mm, std::size_t points) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal(0, spread_mm);
  SurfaceMap map;
  map.regions = {{"a", -spread_mm, 2 * spread_mm}, {"b", -INFINITY, INFINITY}};
  for (std::size_t i = 0; i < points; ++i) {
    map.points.push_back({});
    ModelDistance d;
    d.distance = static_cast<float>(normal(random));
    const std::uint64_t kind = random() % 100;
    d.kind = kind == 0   ? MatchClass::edge
             : kind == 1 ? MatchClass::rim
             : kind == 2 ? MatchClass::no_data
                         : MatchClass::face;
    map.distances.push_back(d);
    map.region.push_back(random() % 50 == 0 ? no_region : static_cast<std::uint16_t>(i / 300 % 2));
    map.area_mm2.push_back(random() % 40 == 0 ? 0 : 1e-6 * static_cast<double>(random() % 30000) + 2.5e-9);
  }
  return map;
}

TEST(SurfaceStatistics, AreThoseOfOnePointAfterTheOther) {
  for (const double spread_mm : {1e-6, 0.003, 0.2, 5.0}) {  // of the last two quantiles lie beyond the bins
    const SurfaceMap map = random_map(spread_mm, 30'000);
    const auto all = statistics_of_regions(map, 3, [] { return SharesOfRegions{{0.9, 1.0}, {1e-7}}; });
    for (std::uint16_t r = 0; r < 2; ++r) {
      std::vector<AreaShare> shares;
      AreaSums sums;
      std::size_t edge = 0, out = 0;
      std::int64_t out_units = 0;
      double least = HUGE_VAL;
      for (std::size_t i = 0; i < map.points.size(); ++i) {
        if (map.region[i] != r) continue;
        edge += map.distances[i].kind == MatchClass::edge;
        if (map.distances[i].kind != MatchClass::face) continue;
        const float d = map.distances[i].distance;
        shares.push_back(area_share(d, map.area_mm2[i]));
        sums.add(shares.back());
        least = std::min(least, 1000.0 * d);
        if (d >= map.regions[r].lower_mm && d <= map.regions[r].upper_mm) continue;
        ++out;
        out_units += shares.back().units;
      }
      const SurfaceStatistics& s = all[r];
      EXPECT_EQ(s.edge, edge);
      EXPECT_EQ(s.face, shares.size());
      EXPECT_EQ(s.face_out, out);
      EXPECT_EQ(s.out_mm2, static_cast<double>(out_units) / units_per_mm2);
      EXPECT_EQ(s.area_mm2, sums.area_mm2());
      EXPECT_EQ(s.mean_um, sums.mean_um());
      EXPECT_EQ(s.rms_um, sums.rms_um());
      EXPECT_EQ(s.least_um, least);
      EXPECT_EQ(s.range.least_nm, sums.least_nm);
      EXPECT_EQ(s.range.largest_nm, sums.largest_nm);
      std::sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.nm < b.nm; });
      const auto quantile = [&](double share) {
        std::int64_t sum = 0;
        for (const AreaShare& of : shares)
          if (static_cast<double>(sum += of.units) >= std::ceil(share * static_cast<double>(sums.total)))
            return static_cast<double>(of.nm) / 1000;
        return std::nan("");
      };
      EXPECT_EQ(s.p1_um, quantile(0.01));
      EXPECT_EQ(s.p50_um, quantile(0.5));
      EXPECT_EQ(s.p99_um, quantile(0.99));
      for (const auto& [share, um] : s.at_share_um) EXPECT_EQ(um, quantile(share)) << share;
      EXPECT_EQ(s.at_share_um.size(), r == 0 ? 2u : 1u);
    }
  }
}

// Of many regions no bins are kept.
TEST(SurfaceStatistics, OfManyRegionsAreThoseOfEach) {
  for (const std::size_t regions : {AreaBins::most_groups, AreaBins::most_groups + 1, std::size_t{3000}}) {
    SurfaceMap map = random_map(0.003, 30'000);
    map.regions.resize(regions, {"r", -0.002, 0.004});
    for (std::size_t i = 0; i < map.region.size(); ++i)
      map.region[i] = static_cast<std::uint16_t>(i / 9 % regions);
    const auto all = statistics_of_regions(map, 3, {});
    for (std::size_t r = 0; r < regions; r += 13) {
      const SurfaceStatistics one = statistics_of(map, static_cast<std::uint16_t>(r), 2);
      EXPECT_EQ(all[r].face, one.face) << regions;
      EXPECT_EQ(all[r].mean_um, one.mean_um);
      EXPECT_EQ(all[r].out_mm2, one.out_mm2);
      EXPECT_EQ(all[r].p1_um, one.p1_um);
      EXPECT_EQ(all[r].p50_um, one.p50_um);
      EXPECT_EQ(all[r].p99_um, one.p99_um);
    }
  }
}

TEST(SurfaceStatistics, OfHalvesAndHugeValuesAreRoundedAsOthers) {
  SurfaceMap map;
  map.regions = {{"a", -1, 1}};
  std::int64_t units = 0;
  for (const float mm : {0.f, -0.f, 1e-6f, 3e9f, -3e9f, 2048.f}) {
    map.points.push_back({});
    ModelDistance d;
    d.distance = mm;
    d.kind = MatchClass::face;
    map.distances.push_back(d);
    map.region.push_back(0);
    map.area_mm2.push_back(0.5e-9 * static_cast<double>(map.points.size()));
    units += area_share(mm, map.area_mm2.back()).units;
  }
  const SurfaceStatistics s = statistics_of_regions(map, 1)[0];
  EXPECT_EQ(s.range.units, units);
  EXPECT_EQ(s.range.least_nm, nm_of(-3e9f));
  EXPECT_EQ(s.range.largest_nm, nm_of(3e9f));
  EXPECT_EQ(s.face_out, 3u);
}

}  // namespace
}  // namespace datum::surface_sums_test
