// What a surface's form, noise and spots are made of, beside loops that look at one point after the other.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <tuple>

#include "calib/linear/median.h"
#include "daemon/inspection/surface/noise_tiles.h"
#include "daemon/inspection/surface/surface_spots.h"
#include "daemon/inspection/surface/surface_window_tail.h"
#include "daemon/inspection/surface/value_ranks.h"
#include "tests/daemon/inspection/surface/surface_scene.h"

namespace datum::surface_form_test {
namespace {

/// Two snapshots of two regions side by side, with pixels that are missing or of no region.
struct Snapshots {
  std::vector<SnapshotGrid> grids;
  std::vector<std::uint16_t> region;
  std::vector<float> value;

  explicit Snapshots(double sigma_mm, std::uint64_t seed = 1) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(0, sigma_mm);
    for (const auto& [rows, cols] : {std::pair{117, 143}, std::pair{90, 71}}) {
      SnapshotGrid& grid = grids.emplace_back(SnapshotGrid{rows, cols, {}});
      for (int row = 0; row < rows; ++row)
        for (int col = 0; col < cols; ++col) {
          const bool is_there = row > 8 && row + 5 < rows && col > 10 && random() % 70 != 0;
          grid.point.push_back(is_there ? static_cast<std::uint32_t>(value.size()) : no_point);
          if (!is_there) continue;
          region.push_back(random() % 300 == 0 ? no_region : static_cast<std::uint16_t>(col > 48));
          const double bow = 1e-5 * (row - 50.0) * (row - 40.0) + 2e-6 * row * col;
          value.push_back(static_cast<float>(bow + noise(random)));
        }
    }
  }
  float at(std::size_t snapshot, int row, int col, std::uint16_t of) const {
    const SnapshotGrid& grid = grids[snapshot];
    if (row >= grid.rows || col >= grid.cols) return std::nanf("");
    const std::uint32_t p = grid.point[static_cast<std::size_t>(row * grid.cols + col)];
    return p == no_point || region[p] != of ? std::nanf("") : value[p];
  }
  RegionNoise::Box box(std::size_t snapshot, std::uint16_t of) const {
    RegionNoise::Box b{1000, 1000, 0, 0};
    for (int row = 0; row < grids[snapshot].rows; ++row)
      for (int col = 0; col < grids[snapshot].cols; ++col) {
        if (std::isnan(at(snapshot, row, col, of))) continue;
        b = {std::min(b.top, row), std::min(b.left, col), std::max(b.bottom, row + 1),
             std::max(b.right, col + 1)};
      }
    return b;
  }
};

CellsOfRegions cells_of(const Snapshots& s) {
  BoxSearch boxes(s.grids, s.region, 2);
  for (std::size_t k = boxes.bands(); k-- > 0;) boxes.look_at(k);
  CellsOfRegions cells(s.grids, boxes.boxes(), s.region, s.value, 2);
  for (std::size_t k = cells.rows(); k-- > 0;) cells.add_row(k);
  cells.fit(2);
  for (std::size_t k = cells.tasks(); k-- > 0;) cells.do_task(k);
  return cells;
}

using Quadric = Eigen::Matrix<double, 6, 1>;

/// Cells, one pixel after the other.
struct PlainCells {
  int rows, cols;
  std::vector<double> sum, pixels;

  PlainCells(const Snapshots& s, std::size_t snapshot, std::uint16_t of, const RegionNoise::Box& box)
      : rows((box.bottom - box.top + 7) / 8), cols((box.right - box.left + 7) / 8) {
    sum.resize(static_cast<std::size_t>(rows * cols));
    pixels.resize(sum.size());
    for (int row = box.top; row < box.bottom; ++row)
      for (int col = box.left; col < box.right; ++col) {
        const float v = s.at(snapshot, row, col, of);
        const auto k = static_cast<std::size_t>((row - box.top) / 8 * cols + (col - box.left) / 8);
        if (!std::isnan(v)) sum[k] += v, ++pixels[k];
      }
  }
  Quadric basis(std::size_t k) const {
    const auto across = static_cast<std::size_t>(cols);
    const double u = 2 * (static_cast<double>(k / across) + 0.5) / rows - 1,
                 v = 2 * (static_cast<double>(k % across) + 0.5) / cols - 1;
    return (Quadric() << 1, u, v, u * u, u * v, v * v).finished();
  }
  Quadric fitted(const std::vector<char>& used) const {
    Eigen::Matrix<double, 6, 6> normal = Eigen::Matrix<double, 6, 6>::Zero();
    Quadric right = Quadric::Zero();
    for (std::size_t k = 0; k < sum.size(); ++k) {
      if (!used[k]) continue;
      normal += pixels[k] * basis(k) * basis(k).transpose();
      right += sum[k] * basis(k);
    }
    return normal.ldlt().solve(right);
  }
  Quadric robust_form() const {
    std::vector<char> used(sum.size(), 1), last;
    Quadric q = fitted(used);
    for (int turn = 0; turn < 4 && used != last; ++turn) {
      std::vector<double> off(sum.size()), seen;
      for (std::size_t k = 0; k < sum.size(); ++k) {
        if (!(pixels[k] > 0)) continue;
        off[k] = std::fabs(sum[k] / pixels[k] - q.dot(basis(k))) * std::sqrt(pixels[k]);
        seen.push_back(off[k]);
      }
      const double most = 3 * 1.4826 * median_of(seen);
      last = used;
      for (std::size_t k = 0; k < sum.size(); ++k) used[k] = off[k] <= most;
      if (used != last) q = fitted(used);
    }
    return q;
  }
};

// Behind a pixel without a point, point 0 may come: their numbers follow each other, too.
TEST(PixelBlocks, BeginAnywhereBeforeTheFirstPoint) {
  for (int begin = 9; begin < 60; ++begin) {
    Snapshots s(0.001);
    s.grids = {{24, 64, {}}};
    s.region.clear();
    s.value.clear();
    for (int row = 0; row < 24; ++row)
      for (int col = 0; col < 64; ++col) {
        const bool is_there = col >= (row == 0 ? begin : 9);
        s.grids[0].point.push_back(is_there ? static_cast<std::uint32_t>(s.value.size()) : no_point);
        if (!is_there) continue;
        s.region.push_back(0);
        s.value.push_back(static_cast<float>(0.001 * row * col));
      }
    BoxSearch boxes(s.grids, s.region, 1);
    for (std::size_t k = 0; k < boxes.bands(); ++k) boxes.look_at(k);
    const RegionNoise::Box box = boxes.boxes()[0][0];
    EXPECT_EQ(std::tie(box.top, box.left, box.bottom, box.right), std::make_tuple(0, 9, 24, 64)) << begin;
    RegionCells cells(box);
    const RegionPixels pixels(s.grids[0], s.region, s.value, 0);
    for (int row = 0; row < cells.rows; ++row) cells.add_row(pixels, static_cast<std::size_t>(row));
    const PlainCells plain(s, 0, 0, box);
    EXPECT_EQ(cells.pixels, plain.pixels) << begin;
    EXPECT_EQ(cells.sum, plain.sum) << begin;
  }
}

TEST(RegionCells, AreThoseOfOnePixelAfterTheOther) {
  const Snapshots s(0.003);
  const CellsOfRegions cells = cells_of(s);
  for (std::uint16_t r = 0; r < 2; ++r)
    for (std::size_t k = 0; k < s.grids.size(); ++k) {
      const CellsOfRegions::OfSnapshot& found = cells.of_region(r)[k];
      const RegionNoise::Box box = s.box(k, r);
      EXPECT_EQ(found.box.top, box.top);
      EXPECT_EQ(found.box.left, box.left);
      EXPECT_EQ(found.box.bottom, box.bottom);
      EXPECT_EQ(found.box.right, box.right);
      const PlainCells plain(s, k, r, box);
      EXPECT_EQ(found.cells->sum, plain.sum);
      EXPECT_EQ(found.cells->pixels, plain.pixels);
      const Quadric form = plain.fitted(std::vector<char>(plain.sum.size(), 1)), robust = plain.robust_form();
      for (int i = 0; i < 6; ++i) {
        EXPECT_NEAR(found.cells->form()[i], form[i], 1e-13);
        EXPECT_NEAR(found.form[i], robust[i], 1e-13);
      }
    }
}

/// The lowest and the highest pixel of each whole window of a tile.
NoiseTile::Windows plain_windows(const NoiseTile& t, int size) {
  NoiseTile::Windows w;
  double sum = 0, squares = 0, high = -HUGE_VAL, low = -HUGE_VAL;
  for (int row = 0; row + size <= t.side; ++row)
    for (int col = 0; col + size <= t.side; ++col) {
      double lowest = HUGE_VAL, highest = -HUGE_VAL;
      bool whole = true;
      for (int r = row; r < row + size; ++r)
        for (int c = col; c < col + size; ++c) {
          const double v = t.value[static_cast<std::size_t>(r * t.side + c)];
          whole = whole && !std::isnan(v);
          lowest = std::min(lowest, v);
          highest = std::max(highest, v);
        }
      if (!whole) continue;
      sum += lowest - highest;
      squares += lowest * lowest + highest * highest;
      high = std::max(high, lowest);
      low = std::max(low, -highest);
      ++w.count;
    }
  w.mean = sum / (2.0 * static_cast<double>(w.count));
  w.variance = squares / (2.0 * static_cast<double>(w.count)) - w.mean * w.mean;
  w.highest = (high + low) / 2;
  return w;
}

double plain_product(const std::vector<const NoiseTile*>& tiles, int rows, int cols) {
  double all = 0, number = 0;
  for (const NoiseTile* t : tiles) {
    double sum = 0;
    for (int row = 0; row + rows < t->side; ++row)
      for (int col = std::max(0, -cols); col < std::min(t->side, t->side - cols); ++col) {
        const float product = t->value[static_cast<std::size_t>(row * t->side + col)] *
                              t->value[static_cast<std::size_t>((row + rows) * t->side + col + cols)];
        if (!std::isnan(product)) sum += product, ++number;
      }
    all += sum;
  }
  return all / number;
}

TEST(NoiseTiles, TellOfTheirWindowsAndPairsOfPixelsOneAfterTheOther) {
  const Snapshots s(0.003);
  const CellsOfRegions cells = cells_of(s);
  for (const int side : {8, 16, 32})
    for (const int window : {1, 2, 3, side / 2}) {
      const std::vector<NoiseTile> tiles = quietest_tiles(cells.of_region(1), side, window, 3);
      ASSERT_GT(tiles.size(), 2u);
      std::vector<const NoiseTile*> all;
      for (const NoiseTile& t : tiles) {
        const NoiseTile::Windows w = plain_windows(t, window);
        all.push_back(&t);
        EXPECT_EQ(t.windows.count, w.count);
        if (w.count == 0) continue;
        EXPECT_EQ(t.windows.mean, w.mean);
        EXPECT_EQ(t.windows.variance, w.variance);
        EXPECT_EQ(t.windows.highest, w.highest);
      }
      if (window > 1) continue;
      LagProducts products(side, all, 3);
      for (int ring = 0; ring <= products.most(); ++ring) {
        products.find_ring(ring);
        for (int d = -ring; d <= ring; ++d) {
          EXPECT_EQ(products.at(ring, d), plain_product(all, ring, d));
          EXPECT_EQ(products.at(-ring, -d), plain_product(all, ring, d));
          EXPECT_EQ(products.at(std::abs(d), d < 0 ? -ring : ring),
                    plain_product(all, std::abs(d), d < 0 ? -ring : ring));
        }
      }
    }
}

/// Quantiles of the highest window by 36 halvings, each looked at.
double plain_quantile(const RegionNoise& noise, const std::vector<std::pair<double, double>>& levels,
                      double probability) {
  double low = levels.front().first + noise.window_mean_mm - 9 * noise.window_sigma_mm;
  double high = levels.front().first + noise.window_mean_mm + 9 * noise.window_sigma_mm;
  const LowestOf window(noise.window_parts);
  for (int i = 0; i < 36; ++i) {
    const double x = (low + high) / 2;
    double log_share = 0;
    for (const auto& [mm, share] : levels)
      log_share += noise.windows_per_tile * share *
                   window.log_share_below((x - mm - noise.window_mean_mm) / noise.window_sigma_mm);
    (log_share < std::log(probability) ? low : high) = x;
  }
  return (low + high) / 2;
}

/// Levels of one window each.
FormLevels levels_of(const RegionNoise& noise, const std::vector<double>& mm,
                     const std::vector<double>& drop_mm, const std::vector<double>& share) {
  FormLevels form;
  form.mm.assign(mm.begin(), mm.end());
  form.share.assign(share.begin(), share.end());
  for (std::size_t i = 0; i < mm.size(); ++i) {
    form.fall_mm.push_back(std::hypot(noise.window_mean_mm, drop_mm[i]));
    const double fall = form.fall_mm[i] - std::fabs(noise.window_mean_mm);
    form.highest.take({mm[i] - fall, mm[i] - drop_mm[i]});
    form.lowest.take({-mm[i] - fall, -mm[i] - drop_mm[i]});
  }
  return form;
}

TEST(NoiseLift, OfOneLevelIsThatOfHalvingsThatAreAllLookedAt) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> any(0, 1);
  for (int i = 0; i < 40; ++i) {
    RegionNoise noise;
    noise.tiles = 5;
    noise.window_sigma_mm = 1e-4 + 1e-2 * any(random);
    noise.window_mean_mm = -1e-3 * any(random);
    noise.window_parts = 1 + 20 * any(random);
    noise.windows_per_tile = std::pow(10, 4 * any(random));
    noise.freedom = 100;
    const double mm = any(random) - 0.5, share = std::pow(10, 5 * any(random) - 3);
    const FormLevels form =
        levels_of(noise, std::vector<double>(16, mm), std::vector<double>(16, 0), {share});
    std::vector<std::pair<double, double>> level{{0, 0}};
    for (int k = 0; k < 16; ++k) {
      level[0].first += share * (mm - form.fall_mm[0] + std::fabs(noise.window_mean_mm));
      level[0].second += share;
    }
    level[0].first /= level[0].second;
    const double median = plain_quantile(noise, level, 0.5), most = plain_quantile(noise, level, 0.999);
    const NoiseLift lift = noise_lift(noise, form, 1, most);
    EXPECT_FALSE(lift.is_feature);
    EXPECT_EQ(lift.mm, median - form.highest.edge_mm);
    EXPECT_EQ(lift.form_mm, std::fabs(lift.mm - plain_quantile(noise, {{0, 1}}, 0.5)) / std::sqrt(12.0));
    EXPECT_TRUE(noise_lift(noise, form, 1, std::nextafter(most, 1e9)).is_feature);
    const RegionLifts both = noise_lifts(noise, form, most, most, 3);
    EXPECT_EQ(both.highest->mm, lift.mm);
    EXPECT_EQ(both.lowest->mm, noise_lift(noise, form, -1, most).mm);
  }
}

TEST(FormLevels, FallByTheLargerOfNoiseAndSlope) {
  const Snapshots s(0.003);
  const RegionNoise noise = region_noises(cells_of(s), 2, 3, 2)[1];
  ASSERT_GT(noise.tiles, 0u);
  const FormLevels form = form_levels(noise, 3, 2);
  ASSERT_EQ(form.mm.size(), 16 * form.share.size());
  double top = -HUGE_VAL, edge = -HUGE_VAL;
  for (std::size_t i = 0; i < form.mm.size(); ++i) {
    // the slope's part, back from the length
    const double drop = std::sqrt(
        std::max(0.0, form.fall_mm[i] * form.fall_mm[i] - noise.window_mean_mm * noise.window_mean_mm));
    EXPECT_NEAR(form.fall_mm[i], std::hypot(noise.window_mean_mm, drop), 1e-15);
    top = std::max(top, -form.mm[i] - form.fall_mm[i] + std::fabs(noise.window_mean_mm));
    edge = std::max(edge, -form.mm[i] - drop);
  }
  EXPECT_EQ(form.lowest.top_mm, top);
  EXPECT_NEAR(form.lowest.edge_mm, edge, 1e-6);
}

TEST(OutOfTolerance, ArePointsOneAfterTheOther) {
  const Snapshots s(0.003);
  ComparedSurface surface;
  surface.judged_region = s.region;
  std::fill_n(surface.judged_region.begin(), 100, no_region);
  surface.deviation = s.value;
  surface.deviation[20] = 1;
  surface.map.regions = {{"a", -0.01, 0.02}, {"b", -INFINITY, 0.03}};
  std::vector<std::uint32_t> expected;
  for (std::size_t i = 0; i < s.value.size(); ++i) {
    if (surface.judged_region[i] == no_region) continue;
    const SurfaceRegion& r = surface.map.regions[surface.judged_region[i]];
    if (s.value[i] > r.upper_mm || s.value[i] < r.lower_mm) expected.push_back(static_cast<std::uint32_t>(i));
  }
  OutOfTolerance out(surface);
  for (std::size_t run = out.runs(); run-- > 0;) out.look_at(run);
  EXPECT_GT(expected.size(), 100u);
  EXPECT_EQ(out.points(), expected);
}

TEST(ValueRanks, OfRegionsAreThoseOfTheirSortedValues) {
  std::mt19937_64 random(5);
  std::normal_distribution<float> normal(0, 0.01f);
  std::vector<float> values(70'000), of_first;
  std::vector<std::uint16_t> region;
  for (float& v : values) {
    v = normal(random);
    region.push_back(random() % 9 == 0 ? no_region : static_cast<std::uint16_t>(random() % 3 * 2));
    if (region.back() == 0) of_first.push_back(v);
  }
  std::vector<RegionEnds> ends(4);
  ends[0].wanted = ends[1].wanted = ends[2].wanted = true;
  find_ends(values, region, 0.01, 3, ends);
  std::sort(of_first.begin(), of_first.end());
  const auto rank = static_cast<std::size_t>(0.01 * static_cast<double>(of_first.size() - 1));
  EXPECT_EQ(ends[0].values, of_first.size());
  EXPECT_EQ(ends[0].low, of_first[rank]);
  EXPECT_EQ(ends[0].high, of_first[of_first.size() - 1 - rank]);
  EXPECT_EQ(ends[1].values, 0u);
  EXPECT_GT(ends[2].values, 0u);
}

}  // namespace
}  // namespace datum::surface_form_test
