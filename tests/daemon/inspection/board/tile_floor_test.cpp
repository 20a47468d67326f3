// Floors among a ring's tiles, and a body's heights by rank, on pixels that are drawn here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "daemon/inspection/board/body_ranks.h"
#include "daemon/inspection/board/ring_tiles.h"
#include "daemon/inspection/board/tile_modes.h"
#include "daemon/inspection/board/tile_starts.h"
#include "gpu/component_height/component_height_math.h"

namespace datum {
namespace {

constexpr double pitch_um = 50, noise_um = 5;
constexpr std::int32_t outer_px = 45, inner_px = 25;  // half sides

/// A square ring about the site's centre, and its heights.
struct Ring {
  SitePlan site;
  std::vector<PixelRun> runs;
  std::vector<float> x, y, z;

  /// `smooth_px`: standard deviation of the Gaussian that correlates the noise; 0: white.
  Ring(std::uint64_t seed, const std::function<double(double, double)>& level_um, double smooth_px = 0) {
    site.grid.x = site.grid.y = axis_to_um(pitch_um, -outer_px * pitch_um, outer_px);
    for (std::int32_t row = 0; row <= 2 * outer_px; ++row) {
      const bool beside = std::abs(row - outer_px) <= inner_px;
      const std::int32_t side = outer_px - inner_px;
      if (!beside) {
        runs.push_back({row, 0, 2 * outer_px + 1});
        continue;
      }
      runs.push_back({row, 0, side});
      runs.push_back({row, outer_px + inner_px + 1, side});
    }
    std::mt19937_64 random(seed);
    std::normal_distribution<double> white(0, noise_um);
    const std::vector<double> smooth = smooth_px > 0 ? smoothed(random, smooth_px) : std::vector<double>();
    for (const PixelRun& run : runs)
      for (std::int32_t k = 0; k < run.length; ++k) {
        x.push_back(um_of(site.grid.x, run.col + k));
        y.push_back(um_of(site.grid.y, run.row));
        const double level = level_um(x.back() / 1e3, y.back() / 1e3);
        const double noise =
            smooth_px > 0 ? smooth[static_cast<std::size_t>(run.row * side_px + run.col + k)] : white(random);
        z.push_back(static_cast<float>(level + noise));
      }
    site.ring_runs = static_cast<std::uint32_t>(runs.size());
    site.ring_pixels = static_cast<std::uint32_t>(z.size());
    z.resize(z.size() + pixel_padding);
  }
  static constexpr std::int32_t side_px = 2 * outer_px + 1;
  /// Noise of the whole square, rows and columns smoothed one after the other.
  static std::vector<double> smoothed(std::mt19937_64& random, double px) {
    const std::int32_t reach = static_cast<std::int32_t>(4 * px);
    std::vector<double> weight, field(side_px * side_px), next(field.size());
    double squares = 0;
    for (std::int32_t k = -reach; k <= reach; ++k) {
      weight.push_back(std::exp(-k * k / (2 * px * px)));
      squares += weight.back() * weight.back();
    }
    std::normal_distribution<double> white(0, noise_um / squares);
    for (double& v : field) v = white(random);
    for (const std::int32_t step : {1, side_px}) {
      for (std::int32_t i = 0; i < side_px * side_px; ++i) {
        const std::int32_t at = i / step % side_px;
        double sum = 0;
        for (std::int32_t k = -reach; k <= reach; ++k)  // round the edge: the noise is as large there
          sum += weight[static_cast<std::size_t>(k + reach)] *
                 field[static_cast<std::size_t>(i + ((at + k + side_px) % side_px - at) * step)];
        next[static_cast<std::size_t>(i)] = sum;
      }
      std::swap(field, next);
    }
    return field;
  }
  TileFloor floor(int parameters) const {
    return floor_among_tiles(RingTiles(runs), {runs.data(), x.data(), y.data(), z.data()}, PlaneFit{},
                             parameters, 0, 0, 1);
  }
};

std::size_t off(const TileFloor& f) {
  return static_cast<std::size_t>(std::count(f.on_floor.begin(), f.on_floor.end(), false));
}

/// A cylinder with a twist: two parallel planes fit its tiles better than one does.
TEST(TileFloor, BowIsNoSecondLevelOfAQuadraticFloor) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const TileFloor f = Ring(seed, [](double x, double y) { return 1.5 * x * (x + 0.5 * y); }).floor(6);
    ASSERT_TRUE(f.found);
    EXPECT_LE(off(f), 2u) << seed;
    EXPECT_LT(f.second_level, 0.1) << seed;
  }
}

TEST(TileFloor, AStepUnderAQuadraticFloorIsALevel) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const TileFloor f = Ring(seed, [](double x, double) { return x < -1.2 ? 35 : 0; }).floor(6);
    ASSERT_TRUE(f.found);
    EXPECT_GE(off(f), 8u) << seed;
    EXPECT_GT(f.second_level, 0.2) << seed;
  }
}

/// Levels of 10 and 5 um on a quarter each, next to each other: with this noise two planes explain the ring nearly as well
/// as each other, and their floors lie apart. Most such rings tell one floor.
TEST(TileFloor, NoneIsToldWhereAnotherIsNearlyAsGood) {
  const auto ring = [](std::uint64_t seed) {
    const double turn = 2 * M_PI * static_cast<double>(seed % 97) / 97;
    return Ring(seed, [=](double x, double y) {
      const double angle = std::fmod(std::atan2(y, x) + 2 * M_PI + turn, 2 * M_PI);
      return angle < M_PI / 2 ? 10 : angle < M_PI ? 5 : 0;
    });
  };
  EXPECT_GE(ring(165).floor(3).second_level, 1);
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) EXPECT_LT(ring(seed).floor(3).second_level, 0.8) << seed;
}

/// Half of the tiles at 0, opposite sides at 20 and 10 um: a slope through both sides holds as many as the floor does, and
/// where it holds them a little better all starts lie on it.
TEST(TileFloor, StartsBesideASlopeLieOnTheFloor) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise;
  std::vector<TileLevel> tiles;
  std::vector<bool> on_slope;
  for (int i = 0; i < 56; ++i) {
    const double turn = 2 * M_PI * (i + 0.5) / 56;
    TileLevel t;
    t.x = 2e3 * std::cos(turn);
    t.y = 2e3 * std::sin(turn);
    on_slope.push_back(std::abs(t.x) > 1.4e3);
    t.heights = t.inliers = 100;
    t.error = 0.5;
    t.level = on_slope.back() ? 15 + t.x / 400 + 0.2 * noise(random) : noise(random);
    tiles.push_back(t);
  }
  const Start best = best_starts(tiles, 1).front();
  for (std::size_t i = 0; i < tiles.size(); ++i) EXPECT_LE(best.closest[i], on_slope[i]) << i;
  const std::vector<Start> beside = starts_beside(tiles, on_slope, 1);
  ASSERT_FALSE(beside.empty());
  for (const Start& start : beside) {
    EXPECT_GE(std::count(start.closest.begin(), start.closest.end(), true), 8);
    for (std::size_t i = 0; i < tiles.size(); ++i) EXPECT_LE(start.closest[i], !on_slope[i]) << i;
  }
  std::vector<bool> most(tiles.size(), true);
  most[0] = most[1] = most[2] = false;
  EXPECT_TRUE(starts_beside(tiles, most, 1).empty());
}

/// Noise that correlates scatters the levels of tiles by more than their pixels tell; levels and ramps are none.
TEST(TileModes, TellHowNoiseCorrelates) {
  const auto correlation = [](const std::function<double(double, double)>& level_um, double smooth_px) {
    const Ring ring(5, level_um, smooth_px);
    return modes_of(RingTiles(ring.runs), {ring.runs.data(), ring.x.data(), ring.y.data(), ring.z.data()},
                    PlaneFit{}, 1e-3, 0)
        .correlation;
  };
  const auto even = [](double, double) { return 0; };
  const auto step = [](double x, double) { return x > 1.2 ? 35 : 0; };
  const auto ramp = [](double x, double) { return x > 1.2 ? 35 * (x - 1.2) : 0; };
  EXPECT_LT(correlation(even, 0), 1.1);
  EXPECT_LT(correlation(step, 0), 1.1);
  EXPECT_LT(correlation(ramp, 0), 1.2);
  EXPECT_GT(correlation(even, 2), 4);
  EXPECT_NEAR(correlation(step, 2), correlation(even, 2), 0.1 * correlation(even, 2));
}

/// A body of 60 x 40 pixels over a tilted floor; some have no height.
class BodyRanks : public ::testing::TestWithParam<double> {
 protected:
  void SetUp() override {
    site_.grid.x = site_.grid.y = axis_to_um(pitch_um, -30 * pitch_um, 30);
    site_.grid.z = {0, 1, 0};
    site_.body_runs = 40;
    site_.body_pixels = 40 * 60;
    for (std::int32_t row = 0; row < 40; ++row) runs_.push_back({row, 0, 60});
    floor_.a = 0.01;
    floor_.b = -0.02;
    floor_.c = 3;
    std::mt19937_64 random(7);
    std::normal_distribution<double> noise(0, 3);
    const height::FloorPass pass =
        height::floor_pass(site_.grid.x, site_.grid.y, floor_.a, floor_.b, floor_.c);
    for (std::int32_t row = 0; row < 40; ++row)
      for (std::int32_t col = 0; col < 60; ++col) {
        const double step = col < 30 ? 0 : GetParam();
        const float z = random() % 20 == 0 ? NAN : static_cast<float>(400 + step + noise(random));
        nm_.push_back(height::height_nm(pass, height::floor_at_row(pass, row), col, z));
        if (nm_.back() != height::no_height) sorted_.push_back(nm_.back());
      }
    std::sort(sorted_.begin(), sorted_.end());
  }
  std::int32_t at(std::int64_t rank) const { return sorted_.at(static_cast<std::size_t>(rank) - 1); }
  OrderStatistic known(std::uint32_t rank) const {
    return {rank, rank - 50, rank + 50, at(rank), at(rank - 50), at(rank + 50)};
  }
  RankPair of(const OrderStatistic& near, std::int64_t low, std::int64_t high) const {
    return heights_of_ranks({site_, runs_.data(), nm_.data()}, static_cast<std::uint32_t>(sorted_.size()),
                            near, low, high);
  }

  SitePlan site_;
  PlaneFit floor_;
  std::vector<PixelRun> runs_;
  std::vector<std::int32_t> nm_, sorted_;
};

TEST_P(BodyRanks, AreThoseOfAllHeights) {
  const auto n = static_cast<std::int64_t>(sorted_.size());
  const std::int64_t pairs[][2] = {{n / 2 - 60, n / 2 + 60},
                                   {n / 2, n / 2},
                                   {n / 2 - 900, n / 2 + 900},
                                   {n / 2 + 5, n / 2 + 200},
                                   {1, n},
                                   {-7, n + 7},
                                   {3 * n / 4, n - 3},
                                   {n / 4, n / 4 + 1},
                                   {n, n}};
  for (const std::int64_t near : {n / 2, n / 4, 9 * n / 10})
    for (const auto& [low, high] : pairs) {
      const RankPair found = of(known(static_cast<std::uint32_t>(near)), low, high);
      EXPECT_EQ(found.low_nm, at(std::max<std::int64_t>(low, 1))) << near << ' ' << low;
      EXPECT_EQ(found.high_nm, at(std::min(high, n))) << near << ' ' << high;
    }
}

// two levels: heights are nowhere as dense as beside the step; 80 mm are beyond what is measured
INSTANTIATE_TEST_SUITE_P(StepUm, BodyRanks, ::testing::Values(0, 30, 500, 80000));

}  // namespace
}  // namespace datum
