#include "gpu/component_height/component_height.h"
#include "gpu/component_height/component_height_kernels.h"
#include "gpu/component_height/residual_correlation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

namespace datum {
namespace {

constexpr float none = std::numeric_limits<float>::quiet_NaN();

/// A rectangle of pixels with its own storage; z in um on a grid of 50 um.
struct Patch {
  std::vector<PixelRun> runs;
  std::vector<float> z;
  BodyPixels body;
  Patch(int rows, int cols, int row0 = 7, int col0 = 11) : z(static_cast<std::size_t>(rows * cols)) {
    for (int r = 0; r < rows; ++r) runs.push_back({row0 + r, col0, cols});
    body.x = body.y = AxisToUm{0, 50, 0};
  }
  const BodyPixels& view() {
    body.runs = runs.data();
    body.run_count = static_cast<std::uint32_t>(runs.size());
    body.z = z.data();
    return body;
  }
};

HeightStatistics measure(Patch& patch, const HeightDemand& demand = {}, unsigned threads = 1) {
  HeightStatistics s;
  Backend backend;
  backend.threads = threads;
  measure_heights(&patch.view(), &demand, 1, backend, &s);
  return s;
}

Patch noisy(int rows, int cols, float level, float sigma, unsigned seed) {
  Patch p(rows, cols);
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(level, sigma);
  for (float& z : p.z) z = normal(random);
  return p;
}

TEST(ComponentHeight, IsPerpendicularToATiltedFloor) {
  Patch p(20, 30);
  p.body.a = 0.05;
  p.body.b = -0.08;
  p.body.c = 3;
  const double lift = std::sqrt(1 + 0.05 * 0.05 + 0.08 * 0.08);
  std::size_t i = 0;
  for (int r = 7; r < 27; ++r)
    for (int c = 11; c < 41; ++c)
      p.z[i++] = static_cast<float>(0.05 * 50 * c - 0.08 * 50 * r + 3 + 1000 * lift);
  const HeightStatistics s = measure(p);
  EXPECT_EQ(s.valid, 600u);
  // float z of about 1100 um has steps of 1.2e-4 um: half a step is 0.06 nm, so rounding to nm may move it by
  // 1
  EXPECT_NEAR(s.min_nm, 1000000, 1);
  EXPECT_NEAR(s.max_nm, 1000000, 1);
  EXPECT_NEAR(s.top.slope_col_nm, 0, 0.05);
}

TEST(ComponentHeight, OrderStatisticsAreThoseOfASortedList) {
  Patch p = noisy(37, 41, 1200, 80, 1);
  for (std::size_t i = 0; i < p.z.size(); i += 13) p.z[i] = none;
  p.z[5] = std::numeric_limits<float>::infinity();  // not a height either
  HeightDemand demand;
  demand.quantiles = {0.01, 0.05, 0.5, 0.95, 1.0};
  demand.top_counts = {1, 10, 500, 1000000};
  demand.present_above_um = 1200;
  const HeightStatistics s = measure(p, demand);
  std::vector<std::int32_t> sorted;
  for (float z : p.z)
    if (std::isfinite(z))
      sorted.push_back(static_cast<std::int32_t>(std::nearbyint(static_cast<double>(z) * 1000)));
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  ASSERT_EQ(s.valid, n);
  EXPECT_EQ(s.min_nm, sorted.front());
  EXPECT_EQ(s.max_nm, sorted.back());
  EXPECT_EQ(s.median_low.nm, sorted[(n + 1) / 2 - 1]);
  EXPECT_EQ(s.median_high.nm, sorted[n / 2]);
  for (std::size_t k = 0; k < demand.quantiles.size(); ++k) {
    const auto rank =
        static_cast<std::size_t>(std::ceil(demand.quantiles[k] * static_cast<double>(n) - 1e-9));
    EXPECT_EQ(s.quantiles[k].nm, sorted[rank - 1]) << demand.quantiles[k];
    EXPECT_EQ(s.quantiles[k].low_nm, sorted[s.quantiles[k].low_rank - 1]);
    EXPECT_EQ(s.quantiles[k].high_nm, sorted[s.quantiles[k].high_rank - 1]);
  }
  for (std::size_t k = 0; k < 3; ++k) {
    double sum = 0;
    for (std::size_t j = 0; j < demand.top_counts[k]; ++j) sum += sorted[n - 1 - j];
    EXPECT_DOUBLE_EQ(s.top_mean_nm[k], sum / demand.top_counts[k]);
  }
  EXPECT_TRUE(std::isnan(s.top_mean_nm[3]));  // more than there are
  EXPECT_EQ(s.present, static_cast<std::uint32_t>(sorted.end() -
                                                  std::upper_bound(sorted.begin(), sorted.end(), 1200000)));
  std::int64_t sum = 0;
  for (std::int32_t v : sorted) sum += v;
  EXPECT_EQ(s.sum_nm, sum);
}

/// Ranks are looked for between the heights of every some-hundredth pixel. A pattern of that period shows one height only.
TEST(ComponentHeight, RanksDoNotHangOnTheirSample) {
  for (const int period : {2, 5, 7, 10}) {
    Patch p(101, 2048 * period / 100 + 80);
    const std::size_t stride = p.z.size() / 1024;
    for (std::size_t i = 0; i < p.z.size(); ++i)
      p.z[i] =
          i % stride == 0 ? 9000.f + static_cast<float>(i) * 1e-3f : static_cast<float>((i * 7919) % 6000);
    HeightDemand demand;
    demand.quantiles = {0.1, 0.9};
    const HeightStatistics s = measure(p, demand);
    std::vector<std::int32_t> sorted;
    for (float z : p.z)
      sorted.push_back(static_cast<std::int32_t>(std::nearbyint(static_cast<double>(z) * 1000)));
    std::sort(sorted.begin(), sorted.end());
    const std::size_t n = sorted.size();
    ASSERT_GT(n, 4096u);
    EXPECT_EQ(s.median_low.nm, sorted[(n + 1) / 2 - 1]);
    EXPECT_EQ(s.median_high.nm, sorted[n / 2]);
    for (const OrderStatistic& q : s.quantiles) EXPECT_EQ(q.nm, sorted[q.rank - 1]);
  }
}

/// All residuals the largest: the sum of products over rows of 8,000 pixels is far beyond 32 bits.
TEST(ComponentHeight, BoxProductsOfTheLargestResidualsAreExact) {
  constexpr std::int32_t rows = 4, cols = 8000, most = 255;
  std::vector<PixelRun> runs;
  for (std::int32_t r = 0; r < rows; ++r) runs.push_back({r, 0, cols});
  const std::vector<std::int16_t> residuals(static_cast<std::size_t>(rows * cols), most);
  const BoxProducts sums = box_products(runs.data(), rows, residuals.data(), rows * cols, 3, best_isa());
  EXPECT_EQ(sums.squares, std::int64_t{most} * most * rows * cols);
  // neighbours along one axis of length n within k places, the pixel itself included
  const auto pairs = [](std::int64_t n, std::int64_t k) {
    k = std::min(k, n - 1);
    return n * (2 * k + 1) - k * (k + 1);
  };
  for (int k = 0; k < 5; ++k)
    EXPECT_EQ(sums.products[k], std::int64_t{most} * most * pairs(rows, 1 << k) * pairs(cols, 1 << k)) << k;
}

std::vector<Isa> isas() {
  std::vector<Isa> all{Isa::scalar};
  if (best_isa() != Isa::scalar) all.push_back(best_isa());
  if (best_isa() == Isa::avx512) all.push_back(Isa::avx2);
  return all;
}

/// Box sums by their definition, over runs of any length with gaps of any width, on every instruction set, in memory that a
/// larger region used before. Residuals are not 0 on average, so that all reaches are computed.
TEST(ComponentHeight, BoxProductsOfARaggedRegionAreThoseOfTheirDefinition) {
  constexpr int rows = 180, cols = 210, none_here = INT16_MIN;
  std::mt19937 random(5);
  std::vector<int> at(static_cast<std::size_t>(rows * cols), none_here);
  std::vector<PixelRun> runs;
  std::vector<std::int16_t> residuals;
  const auto value = [&](int r, int c) -> std::int64_t {
    const bool inside = r >= 0 && r < rows && c >= 0 && c < cols;
    const int v = inside ? at[static_cast<std::size_t>(r * cols + c)] : none_here;
    return v == none_here ? 0 : v;
  };
  for (int r = 0; r < rows; ++r)
    for (int c = static_cast<int>(random() % 40); c < cols;) {
      const int length = std::min(cols - c, 1 + static_cast<int>(random() % (r % 3 == 0 ? 3 : 100)));
      runs.push_back({r + 3, c + 1000, length});
      for (int k = 0; k < length; ++k) {
        const int v = std::clamp(60 + static_cast<int>(random() % 500) - 250, -255, 255);
        at[static_cast<std::size_t>(r * cols + c + k)] = v;
        residuals.push_back(static_cast<std::int16_t>(v));
      }
      c += length + static_cast<int>(random() % 60);
    }
  const auto count = static_cast<std::uint32_t>(runs.size());
  const std::vector<std::int16_t> larger(8000 * 4, 255);
  for (const Isa isa : isas()) {
    ResidualImage image;
    const PixelRun row{0, 0, 8000};
    image.clear(&row, 1);
    std::copy_n(larger.begin(), 8000, image.of(row));
    image.clear(runs.data(), count);
    const std::int16_t* from = residuals.data();
    for (const PixelRun& run : runs) {
      std::copy_n(from, run.length, image.of(run));
      from += run.length;
    }
    const BoxProducts sums = box_products(image, static_cast<std::uint32_t>(residuals.size()), 3, isa);
    for (int k = 0; k < 5; ++k) {
      const int reach = 1 << k;
      std::int64_t expected = 0;
      for (int r = 0; r < rows; ++r) {
        std::int64_t box = 0;
        const auto column = [&](int c) {
          std::int64_t sum = 0;
          for (int i = r - reach; i <= r + reach; ++i) sum += value(i, c);
          return sum;
        };
        for (int c = -reach; c <= reach; ++c) box += column(c);
        for (int c = 0; c < cols; ++c) {
          expected += value(r, c) * box;
          box += column(c + reach + 1) - column(c - reach);
        }
      }
      EXPECT_EQ(sums.products[k], expected) << name_of(isa) << ", reach " << reach;
      EXPECT_NE(sums.products[k], 0) << reach;
    }
  }
}

TEST(ComponentHeight, EqualHeightsHaveEqualRanks) {
  Patch p(10, 10);
  std::fill(p.z.begin(), p.z.end(), 5.f);
  const HeightStatistics s = measure(p);
  EXPECT_EQ(s.median_low.nm, 5000);
  EXPECT_EQ(s.variance_nm2, 0);
  EXPECT_EQ(s.correlation.sum, 1);
}

TEST(ComponentHeight, NearestRankIsCeilOfTheDecimalQuantile) {
  EXPECT_EQ(nearest_rank(0.07, 100), 7u);  // 0.07 * 100 is 7.000000000000001 in doubles
  EXPECT_EQ(nearest_rank(0.95, 20), 19u);
  EXPECT_EQ(nearest_rank(0.95, 21), 20u);
  EXPECT_EQ(nearest_rank(1.0, 3), 3u);
  EXPECT_EQ(nearest_rank(1e-9, 3), 1u);
}

/// Highest minimum over complete 3 x 3 patches, written the long way.
double opened_by_hand(const Patch& p, int rows, int cols, unsigned* patches) {
  float best = -std::numeric_limits<float>::infinity();
  *patches = 0;
  for (int r = 0; r + 2 < rows; ++r)
    for (int c = 0; c + 2 < cols; ++c) {
      float low = std::numeric_limits<float>::infinity();
      for (int i = 0; i < 9; ++i) {
        const float z = p.z[static_cast<std::size_t>(r + i / 3) * cols + c + i % 3];
        low = std::isnan(z) || std::isnan(low) ? none : std::min(low, z);
      }
      if (std::isnan(low)) continue;
      ++*patches;
      best = std::max(best, low);
    }
  return best;
}

TEST(ComponentHeight, MaximumIsThatOfTheOpening) {
  Patch p = noisy(23, 31, 500, 5, 3);
  for (std::size_t i = 0; i < p.z.size(); i += 17) p.z[i] = none;
  p.z[200] = 9000;  // one speckle pixel must not count
  unsigned patches = 0;
  const double expected = opened_by_hand(p, 23, 31, &patches);
  const HeightStatistics s = measure(p);
  EXPECT_EQ(s.patches, patches);
  EXPECT_NEAR(s.opened_max_nm, expected * 1000, 0.5);
  EXPECT_EQ(s.max_nm, 9000000);
}

TEST(ComponentHeight, AThinBodyHasNoCompletePatch) {
  Patch p = noisy(2, 50, 10, 1, 4);
  EXPECT_EQ(measure(p).patches, 0u);
}

TEST(ComponentHeight, TopPlaneIsTheLeastSquaresPlane) {
  Patch p = noisy(40, 60, 0, 2, 5);
  std::size_t i = 0;
  for (int r = 0; r < 40; ++r)
    for (int c = 0; c < 60; ++c) p.z[i++] += static_cast<float>(0.5 * c - 0.25 * r);
  const HeightStatistics s = measure(p);
  ASSERT_TRUE(s.top.defined);
  // standard error of a slope: 2000 nm / sqrt(2400 * 60^2 / 12) = 2.4 nm per column, 3.6 per row; five of
  // them
  EXPECT_NEAR(s.top.slope_col_nm, 500, 12);
  EXPECT_NEAR(s.top.slope_row_nm, -250, 18);
  EXPECT_NEAR(s.top.residual_rms_nm, 2000, 150);  // s / sqrt(2 n) = 29; five of them
}

TEST(ComponentHeight, PixelsOnOneLineDefineNoPlane) {
  Patch p = noisy(1, 50, 10, 1, 6);
  EXPECT_FALSE(measure(p).top.defined);
}

TEST(ComponentHeight, CorrelationOfWhiteNoiseIsOneAndOfABoxItsArea) {
  Patch white = noisy(80, 80, 100, 4, 7);
  // five standard deviations of the first increment: 5 sqrt(2 * 8 / 6400)
  EXPECT_NEAR(measure(white).correlation.sum, 1, 0.25);
  Patch source = noisy(84, 84, 100, 4, 8), smooth(80, 80);
  for (int r = 0; r < 80; ++r)
    for (int c = 0; c < 80; ++c) {
      float sum = 0;
      for (int i = 0; i < 25; ++i) sum += source.z[static_cast<std::size_t>(r + i / 5) * 84 + c + i % 5];
      smooth.z[static_cast<std::size_t>(r) * 80 + c] = sum / 25;
    }
  // a moving average over m x m has S = m^2 = 25; n_eff is about 256, so S is known to sqrt(2 * 81 / 6400) *
  // 25 = 4
  EXPECT_NEAR(measure(smooth).correlation.sum, 25, 8);
}

TEST(ComponentHeight, SameNumbersForOneAndTwoThreads) {
  std::vector<Patch> patches;
  for (unsigned i = 0; i < 9; ++i) patches.push_back(noisy(10 + static_cast<int>(i), 20, 700, 9, i));
  std::vector<BodyPixels> bodies;
  for (Patch& p : patches) bodies.push_back(p.view());
  const std::vector<HeightDemand> demands(9);
  std::vector<HeightStatistics> one(9), two(9);
  Backend backend;
  measure_heights(bodies.data(), demands.data(), 9, backend, one.data());
  backend.threads = 2;
  measure_heights(bodies.data(), demands.data(), 9, backend, two.data());
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(one[i].sum_nm, two[i].sum_nm);
    EXPECT_EQ(one[i].correlation.sum, two[i].correlation.sum);
    EXPECT_EQ(one[i].top.residual_rms_nm, two[i].top.residual_rms_nm);
  }
}

TEST(ComponentHeight, NoPixelsAndNoHeightsAreNotAnError) {
  Patch p(5, 5);
  std::fill(p.z.begin(), p.z.end(), none);
  EXPECT_EQ(measure(p).valid, 0u);
  Patch empty(0, 5);
  EXPECT_EQ(measure(empty).valid, 0u);
}

TEST(ComponentHeight, AHeightBeyondTheRangeIsNone) {
  Patch p(4, 4);
  p.z[0] = 67109;  // max_height_nm is 67.108864 mm
  EXPECT_EQ(measure(p).valid, 15u);
}

TEST(ComponentHeight, RefusesArgumentsThatMeanNothing) {
  Patch p(4, 4);
  const auto refused = [&](const HeightDemand& demand) {
    HeightStatistics s;
    EXPECT_THROW(measure_heights(&p.view(), &demand, 1, Backend{}, &s), std::invalid_argument);
  };
  HeightDemand demand;
  demand.quantiles = {0};
  refused(demand);
  demand.quantiles = {1.01};
  refused(demand);
  demand.quantiles.assign(9, 0.5);
  refused(demand);
  demand.quantiles = {};
  demand.top_counts = {0};
  refused(demand);
  demand.top_counts.assign(9, 1);
  refused(demand);
  demand.top_counts = {};
  p.body.a = std::numeric_limits<double>::quiet_NaN();
  refused(demand);
  p.body.a = 0;
  p.runs[0].length = 0;
  refused(demand);
  p.runs[0].length = 9000;
  refused(demand);
}

}  // namespace
}  // namespace datum
