// What is kept from part to part, made sooner, or found without sorting: the same values as without.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "daemon/inspection/surface/area_quantiles.h"
#include "daemon/inspection/surface/in_runs.h"
#include "daemon/inspection/surface/surface_cover.h"
#include "daemon/inspection/surface/surface_rays.h"
#include "daemon/inspection/surface/surface_statistics.h"
#include "daemon/inspection/surface/surface_window.h"
#include "daemon/inspection/surface/value_ranks.h"
#include "tests/daemon/inspection/surface/surface_scan.h"
#include "tests/daemon/inspection/surface/surface_scene.h"

namespace datum::surface_kept_test {
namespace {

SurfaceMap wavy_map() {
  std::vector<ModelPoint> points;
  testing::add_points(points, -20, 20, 0.3, [](double x, double y) { return 0.05 * std::sin(x) * y; });
  return testing::compared(testing::sheet_model(40), std::move(points));
}

template <class List>
bool same(const List& a, const List& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0;
}

TEST(SurfacePatches, ListedNeighboursGiveTheSameAreas) {
  SurfaceMap looked = wavy_map(), listed = looked;
  for (const double reach_mm : {0.4, 1.1, 6.0}) {
    SurfacePatches patches(looked, reach_mm);
    const SurfaceCover a = cover_of(looked, patches, 1, 1);
    patches.list_neighbours(std::size_t{1} << 28, 3);
    const SurfaceCover b = cover_of(listed, patches, 1, 3);
    EXPECT_TRUE(same(a.area_mm2, b.area_mm2) && same(a.covered_mm2, b.covered_mm2));
    EXPECT_TRUE(same(looked.area_mm2, listed.area_mm2));
  }
}

TEST(SurfacePatches, OfSeveralReachesGiveTheCoversOfEach) {
  SurfaceMap map = wavy_map(), alone = map;
  const SurfacePatches small(map, 0.4), middle(map, 1.1), large(map, 6.0);
  const std::vector<const SurfacePatches*> all{&middle, &large, &small};
  const std::vector<SurfaceCover> covers = covers_of(map, all, 1, 3);
  ASSERT_EQ(covers.size(), all.size());
  for (std::size_t k = all.size(); k-- > 0;) {  // last that whose areas the map was given
    const SurfaceCover cover = cover_of(alone, *all[k], 1, 2);
    EXPECT_TRUE(same(covers[k].area_mm2, cover.area_mm2) && same(covers[k].covered_mm2, cover.covered_mm2));
  }
  EXPECT_TRUE(same(map.area_mm2, alone.area_mm2));
}

TEST(SurfacePatches, AreasSharedElsewhereAreTheSame) {
  SurfaceMap map = wavy_map(), elsewhere = map;
  std::vector<const SurfacePatches*> all;
  auto model = std::make_shared<AreaModel>();
  model->triangles = map.model;
  for (const double reach_mm : {1.1, 6.0, 0.4}) {
    auto patches = std::make_shared<SurfacePatches>(map, reach_mm);
    patches->list_neighbours(std::size_t{1} << 28, 2);
    all.push_back(patches.get());
    model->reaches.emplace_back(patches, &patches->lists());
  }
  EXPECT_NO_THROW(check(*model));
  const std::vector<SurfaceCover> covers = covers_of(map, all, 1, 3);
  CpuAreaSharer sharer(cpu_backend(2));
  const std::vector<SurfaceCover> shared = covers_of(elsewhere, model, all, sharer, 1, 2).get();
  ASSERT_EQ(shared.size(), all.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    EXPECT_TRUE(same(shared[k].area_mm2, covers[k].area_mm2) &&
                same(shared[k].covered_mm2, covers[k].covered_mm2));
    EXPECT_EQ(shared[k].patches, covers[k].patches);
  }
  EXPECT_TRUE(same(elsewhere.area_mm2, map.area_mm2));
}

// As a snapshot's rows come: by several threads, in any order, some rows empty.
TEST(SurfacePatches, PointsPutOnThemByPiecesGiveTheSameCovers) {
  SurfaceMap whole = wavy_map(), pieces = whole;
  const SurfacePatches small(whole, 0.4), large(whole, 6.0);
  const std::vector<const SurfacePatches*> all{&small, &large};
  const std::vector<SurfaceCover> expected = covers_of(whole, all, 1, 1);
  PointsOnPatches points(all, pieces.points.size());
  constexpr std::size_t row = 37;
  const std::size_t rows = runs_of(pieces.points.size(), row);
  parallel_for(3, rows, [&](std::size_t k, unsigned) {
    const std::size_t from = (rows - 1 - k) * row;
    points.add(pieces, from, std::min(pieces.points.size(), from + row));
    points.add(pieces, 0, 0);
  });
  const std::vector<SurfaceCover> covers = points.covers(pieces, 1, 3).get();
  for (std::size_t k = 0; k < all.size(); ++k)
    EXPECT_TRUE(same(covers[k].area_mm2, expected[k].area_mm2) &&
                same(covers[k].covered_mm2, expected[k].covered_mm2));
  EXPECT_TRUE(same(pieces.area_mm2, whole.area_mm2));
}

// A piece's own place and the place where its facet was not cut any more are on one patch.
TEST(SurfacePatches, HoldThePlacesThatLieInThem) {
  const SurfaceMap map = wavy_map();
  for (const double reach_mm : {0.4, 1.1, 6.0}) {
    const SurfacePatches patches(map, reach_mm);
    std::size_t judged = 0;
    for (std::size_t i = 0; i < map.points.size(); ++i) {
      const ModelDistance& d = map.distances[i];
      if (d.kind != MatchClass::face) continue;
      const SurfacePlace foot = foot_of(*map.model, map.points[i], d);
      const SurfacePatch& patch = patches.all()[area::patch_below(
          patches.lists().cuts.data(), patches.lists().root[d.facet], {{foot[0], foot[1], foot[2]}})];
      double square = 0;
      for (std::size_t k = 0; k < 3; ++k) square += std::pow(foot[k] - patch.center[k], 2);
      // a patch is a voxel of 0.4 reaches of pieces with sides of at most that length
      EXPECT_LE(std::sqrt(square), 0.4 * reach_mm * (std::sqrt(3.0) + 1)) << i;
      ++judged;
    }
    EXPECT_GT(judged, 1000u);
  }
}

TEST(SurfaceStatistics, FurtherSharesAreFoundInTheSamePasses) {
  SurfaceMap map = wavy_map();
  cover_of(map, {0.5, 1});
  map.regions = {{"left", -1, 1}, {"right", -1, 1}, {"none", -1, 1}};
  map.region_of_facet.resize(map.model->corner.size());
  for (std::size_t f = 0; f < map.region_of_facet.size(); ++f)
    map.region_of_facet[f] = map.model->corner[f][0][0] < 0 ? 0 : 1;
  const std::vector<std::vector<double>> shares{{0.9, 0.25, 1.0}, {}, {0.5}};
  const std::vector<SurfaceStatistics> with = statistics_of_regions(map, 3, [&] { return shares; }),
                                       without = statistics_of_regions(map, 2);
  for (std::uint16_t r = 0; r < 2; ++r) {
    const std::vector<double> expected = quantiles_of(map, r, without[r].range, shares[r], 1);
    ASSERT_EQ(with[r].at_share_um.size(), shares[r].size());
    for (std::size_t k = 0; k < shares[r].size(); ++k)
      EXPECT_EQ(with[r].at_share_um.at(shares[r][k]), expected[k]);
    EXPECT_EQ(with[r].p50_um, without[r].p50_um);
    EXPECT_EQ(with[r].mean_um, without[r].mean_um);
  }
  EXPECT_TRUE(with[2].at_share_um.empty());  // no points: nothing is found
}

TEST(AreaShares, AreRoundedAsLlroundDoes) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200'000; ++i) {
    const double scale = std::exp2(static_cast<int>(random() % 70) - 10);
    const double v = scale * (static_cast<double>(random()) / 0x1p63 - 1);
    for (const double of : {v, std::floor(v) + 0.5, std::nextafter(std::floor(v) + 0.5, 0.0)})
      if (std::fabs(of) < 0x1p62) {
        EXPECT_EQ(nearest_integer(of), std::llround(of)) << of;
      }
  }
}

TEST(SurfacePatches, ListsThatTakeTooMuchAreNotKept) {
  SurfaceMap map = wavy_map(), other = map;
  SurfacePatches patches(map, 0.5);
  const SurfaceCover a = cover_of(map, patches, 1, 1);
  const std::size_t before = patches.bytes();
  patches.list_neighbours(1000, 2);
  EXPECT_EQ(patches.bytes(), before);
  EXPECT_TRUE(same(a.covered_mm2, cover_of(other, patches, 1, 2).covered_mm2));
  patches.list_neighbours(std::size_t{1} << 28, 2);
  EXPECT_NE(patches.bytes(), before);
}

/// As the statistics say it: the least deviation at which so much of the area is reached.
double sorted_quantile_um(std::vector<AreaShare> shares, double share) {
  std::sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.nm < b.nm; });
  std::int64_t total = 0, sum = 0;
  for (const AreaShare& s : shares) total += s.units;
  const auto wanted = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(total)));
  for (const AreaShare& s : shares)
    if ((sum += s.units) >= wanted) return static_cast<double>(s.nm) / 1000;
  return static_cast<double>(shares.back().nm) / 1000;
}

TEST(AreaQuantiles, AreThoseOfSortedShares) {
  std::mt19937_64 random(1);
  const std::vector<double> wanted{1e-9, 0.01, 0.5, 0.5, 0.9, 0.99, 1.0};
  for (const std::int64_t spread : std::vector<std::int64_t>{1, 7, 3000, 4'000'000, 900'000'000'000}) {
    std::vector<AreaShare> shares(40'000);
    for (AreaShare& s : shares) {
      s.nm = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(spread)) - spread / 3;
      s.units = random() % 9 == 0 ? 0 : static_cast<std::int64_t>(random() % 1'000'000);
    }
    AreaSums sums;
    for (const AreaShare& s : shares) sums.add(s);
    std::vector<AreaQuantiles> found(1, {sums.least_nm, sums.largest_nm, sums.total, wanted});
    find_quantiles(
        found, shares.size(),
        [&](std::size_t from, std::size_t to, const auto& visit) {
          for (std::size_t i = from; i < to; ++i) visit(0, shares[i]);
        },
        3);
    const std::vector<double> um = found[0].values_um();
    for (std::size_t k = 0; k < wanted.size(); ++k)
      EXPECT_EQ(um[k], sorted_quantile_um(shares, wanted[k])) << spread << " " << wanted[k];
  }
}

TEST(ValueRanks, AreThoseOfSortedValues) {
  std::mt19937_64 random(2);
  std::normal_distribution<float> normal(0, 0.01f);
  for (const std::size_t count : {1u, 2u, 100u, 50'000u}) {
    std::vector<float> values(count);
    for (float& v : values) v = random() % 10 == 0 ? 0.f : normal(random);
    std::vector<float> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    for (const double share : {0.0, 0.01, 0.5}) {
      const auto rank = static_cast<std::size_t>(share * static_cast<double>(count - 1));
      const auto [low, high] = values_at(values, rank, count - 1 - rank, 3);
      EXPECT_EQ(low, sorted[rank]);
      EXPECT_EQ(high, sorted[count - 1 - rank]);
    }
  }
}

/// A window with its pixels, one after the other.
WindowExtremes plain_extremes(const SnapshotGrid& grid, const std::vector<std::uint16_t>& region,
                              const std::vector<float>& value, std::uint16_t wanted, int size) {
  WindowExtremes e;
  for (int row = 0; row + size <= grid.rows; ++row)
    for (int col = 0; col + size <= grid.cols; ++col) {
      float lowest = HUGE_VALF, highest = -HUGE_VALF;
      bool whole = true;
      const auto at = [&](int r, int c) { return grid.point[static_cast<std::size_t>(r * grid.cols + c)]; };
      for (int r = row; r < row + size; ++r)
        for (int c = col; c < col + size; ++c) {
          const std::uint32_t p = at(r, c);
          whole = whole && p != no_point && region[p] == wanted;
          if (!whole) continue;
          lowest = std::min(lowest, value[p]);
          highest = std::max(highest, value[p]);
        }
      if (!whole) continue;
      const std::uint32_t middle = at(row + size / 2, col + size / 2);
      if (e.windows == 0 || lowest > e.highest) e.highest = lowest, e.highest_at = middle;
      if (e.windows == 0 || highest < e.lowest) e.lowest = highest, e.lowest_at = middle;
      ++e.windows;
    }
  return e;
}

TEST(WindowExtremes, AreThoseOfEachWindowsPixels) {
  std::mt19937_64 random(3);
  SnapshotGrid grid{90, 71, {}};
  std::vector<std::uint16_t> region;
  std::vector<float> value;
  for (int i = 0; i < 90 * 71; ++i) {
    const bool is_there = random() % 60 != 0;
    grid.point.push_back(is_there ? static_cast<std::uint32_t>(value.size()) : no_point);
    if (!is_there) continue;
    region.push_back(random() % 200 == 0 ? no_region : static_cast<std::uint16_t>(i % 71 > 40));
    value.push_back(static_cast<float>(static_cast<int>(random() % 50)) -
                    25);  // equal ones: the first counts
  }
  for (const int size : {1, 3, 4, 15, 91})
    for (const unsigned threads : {1u, 3u}) {
      const auto all = window_extremes({grid}, region, value, 2, size, threads);
      for (std::uint16_t r = 0; r < 2; ++r) {
        const WindowExtremes e = plain_extremes(grid, region, value, r, size);
        EXPECT_EQ(all[r].windows, e.windows) << size;
        EXPECT_EQ(all[r].lowest, e.lowest);
        EXPECT_EQ(all[r].highest, e.highest);
        EXPECT_EQ(all[r].lowest_at, e.lowest_at);
        EXPECT_EQ(all[r].highest_at, e.highest_at);
      }
    }
}

struct SeenBox : testing::SurfaceScene {
  SeenBox() : SurfaceScene(testing::box_model(14, 11, 6, 5)) {
    size = "14, 11, 6";
    scan([](const Eigen::Vector3d&) { return 0.02; });
  }
};

TEST(KeptRays, AreThoseOfAPartThatIsSeenAlike) {
  SeenBox scene;
  const TriangleModel model = triangle_model(scene.model);
  const SurfaceShot shot{&scene.frame, Htm<Model, Sensor>(scene.sensor_from_model.inverse())};
  KeptRays kept(std::size_t{1} << 28);
  const auto first = kept.of(model, shot, 0, 2);
  EXPECT_EQ(kept.of(model, shot, 0, 1), first);
  Eigen::Matrix4d moved = scene.sensor_from_model.inverse();
  moved(0, 3) += 1e-9;
  const auto other = kept.of(model, {&scene.frame, Htm<Model, Sensor>(moved)}, 0, 1);
  EXPECT_NE(other, first);
  HeightFrame wider = scene.frame;
  wider.x.scale_mm *= 2;
  const auto again = kept.of(model, shot, 0, 1);
  EXPECT_NE(kept.of(model, {&wider, shot.model_from_sensor}, 0, 1), again);
  KeptRays none(1000);
  const auto once = none.of(model, shot, 0, 1);
  EXPECT_NE(none.of(model, shot, 0, 1), once);
}

TEST(SurfaceModels, ASecondPartsVerdictIsTheFirstsWhateverIsKept) {
  SeenBox scene;
  const Recipe recipe = scene.recipe(testing::region(
      "top", "normal = [0, 0, 1]\n",
      testing::check("\"profile\"\nupper_um = 500") + testing::check("\"flatness\"\nupper_um = 500")));
  const auto text = [&] { return to_json(scene.inspect(recipe, 2).verdict); };
  const std::string first = text();
  EXPECT_EQ(text(), first);
  HeightFrame seen = scene.frame;
  scene.sensor_from_model(2, 3) += 0.01;  // another part between them: other rays, slopes as before
  scene.scan([](const Eigen::Vector3d&) { return -0.03; });
  text();
  scene.frame = seen;
  EXPECT_EQ(text(), first);
}

}  // namespace
}  // namespace datum::surface_kept_test
