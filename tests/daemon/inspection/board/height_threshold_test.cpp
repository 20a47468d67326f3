// A threshold on the height flattens the plane through what is left; its bound covers that, and chance causes none.
#include "daemon/inspection/board/height_threshold.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace datum::height_threshold_test {
namespace {

constexpr std::int32_t cols = 120, rows = 80, left = 5;
constexpr double noise_nm = 1000;

/// A top of a slope along its columns in white noise, and the plane through its measured pixels.
struct Top {
  std::vector<PixelRun> runs;
  std::vector<std::uint8_t> classes =
      std::vector<std::uint8_t>(static_cast<std::size_t>((cols + 2 * left) * rows), 0);
  std::vector<double> z_nm;
  TopPlane plane;

  Top(double slope_nm, std::mt19937& random) {
    std::normal_distribution<double> noise(0, noise_nm);
    for (std::int32_t row = 0; row < rows; ++row) {
      runs.push_back({row, left, cols});
      for (std::int32_t col = 0; col < cols; ++col) z_nm.push_back(slope_nm * col + noise(random));
    }
  }
  SlopeLoss loss() {
    return slope_loss(runs.data(), static_cast<std::uint32_t>(runs.size()), classes.data(), cols + 2 * left,
                      plane);
  }
  double share() { return loss().share(noise_nm * 1e-3); }
  /// `gone` of (column, row, height): no height there.
  template <class Gone>
  void without(const Gone& gone) {
    Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
    Eigen::Vector3d right = Eigen::Vector3d::Zero();
    for (std::int32_t row = 0; row < rows; ++row)
      for (std::int32_t col = 0; col < cols; ++col) {
        const double z = z_nm[static_cast<std::size_t>(row * cols + col)];
        if (gone(col, row, z)) {
          classes[static_cast<std::size_t>(row * (cols + 2 * left) + left + col)] = 1;
          continue;
        }
        const Eigen::Vector3d at(1, left + col, row);
        normal += at * at.transpose();
        right += at * z;
      }
    const Eigen::Vector3d fit = normal.ldlt().solve(right);
    const double n = normal(0, 0);
    plane.defined = true;
    plane.slope_col_nm = fit[1];
    plane.slope_row_nm = fit[2];
    plane.mean_col = normal(0, 1) / n;
    plane.mean_row = normal(0, 2) / n;
    plane.scc = normal(1, 1) - n * plane.mean_col * plane.mean_col;
    plane.scr = normal(1, 2) - n * plane.mean_col * plane.mean_row;
    plane.srr = normal(2, 2) - n * plane.mean_row * plane.mean_row;
  }
};

TEST(HeightThreshold, TheBoundCoversWhatIsLostAndLittleMore) {
  std::mt19937 random(11);
  for (const double slope_nm : {60.0, 200.0, 1000.0})
    for (const double at : {0.5, 0.8}) {
      double lost = 0, bound = 0;
      constexpr int times = 40;
      for (int i = 0; i < times; ++i) {
        Top top(slope_nm, random);
        top.without([&](auto, auto, double z) { return z > at * slope_nm * cols; });
        lost += (slope_nm - top.plane.slope_col_nm) / times;
        bound += top.share() * top.plane.slope_col_nm / times;
      }
      // the count's upper limit adds 2 sqrt(E) + 1 of E; E is 13 here at the steepest
      EXPECT_GT(bound, lost) << slope_nm << ' ' << at;
      const double count = rows * noise_nm / slope_nm / std::sqrt(2 * M_PI);
      EXPECT_LT(bound, 1.3 * lost * (1 + 2 / std::sqrt(count) + 1 / count)) << slope_nm << ' ' << at;
    }
}

TEST(HeightThreshold, LowPixelsAreAsGoodAsHighOnes) {
  std::mt19937 random(12);
  Top top(200, random);
  top.without([&](auto, auto, double z) { return z < 0.2 * 200 * cols; });
  EXPECT_GT(top.share() * top.plane.slope_col_nm, 200 - top.plane.slope_col_nm);
  EXPECT_GT(top.share(), 0);
}

TEST(HeightThreshold, PixelsMissingByChanceLoseNothing) {
  std::mt19937 random(13);
  for (const double slope_nm : {0.0, 5.0, 200.0}) {
    Top top(slope_nm, random);
    top.without([&](auto, auto, double) { return random() % 5 == 0; });
    EXPECT_EQ(top.share(), 0) << slope_nm;
  }
}

TEST(HeightThreshold, ASharpBorderLosesLittle) {
  std::mt19937 random(14);
  Top top(200, random);
  top.without([&](std::int32_t col, auto, double) { return col >= 96; });
  // no measured pixel lies beyond the border but those of the histogram's one bin: 1 / 256 of the body
  const double most = cols * rows / 256.0;
  const double share = std::sqrt(2 * M_PI) * (most + 2 * std::sqrt(most) + 1) * 200 * 48 /
                       (200.0 * 200 * rows * 96 * 96 * 96 / 12);
  EXPECT_LE(top.loss().per_um * 1e-3, 1.1 * share);
}

TEST(HeightThreshold, AShadowAcrossTheSlopeLosesNoMoreThanNoiseCanTake) {
  std::mt19937 random(16);
  Top top(1000, random);  // noise crosses one column
  top.without([&](std::int32_t col, std::int32_t row, double) { return col + row / 2 >= 100; });
  // 80 rows on 1 um of height, at 60 um of the centroid at most
  EXPECT_LE(top.share(), 1.3 * 80 * 1.0 * 70 / (80.0 * 80 * 80 * 80 / 12));
  EXPECT_GT(top.loss().per_um * noise_nm * 1e-3, 5 * top.share());
}

TEST(HeightThreshold, NothingMissingOrLevelLosesNothing) {
  std::mt19937 random(15);
  Top whole(200, random);
  whole.without([](auto, auto, double) { return false; });
  EXPECT_EQ(whole.share(), 0);
  Top none(200, random);
  none.without([](auto, std::int32_t row, double) { return row > 2; });
  none.plane.defined = false;
  EXPECT_EQ(none.share(), 0);
}

// Pixels are counted in pieces of a run; where a run ends within a piece, what lies beyond it does not count.
TEST(HeightThreshold, ARunMayBeGivenInPieces) {
  std::mt19937 random(17);
  for (const double slope_nm : {200.0, -1000.0}) {
    Top top(slope_nm, random);
    top.without([&](std::int32_t col, std::int32_t row, double z) {
      return z > 0.7 * std::abs(slope_nm) * cols - (slope_nm < 0 ? std::abs(slope_nm) * cols : 0) ||
             (col + row) % 41 == 0;
    });
    const SlopeLoss whole = top.loss();
    EXPECT_GT(whole.per_um, 0);
    std::vector<PixelRun> pieces;
    for (const PixelRun& run : top.runs)
      for (std::int32_t from = 0, n = 1; from < run.length; from += n) {
        n = std::min(1 + static_cast<std::int32_t>(random() % 70), run.length - from);
        pieces.push_back({run.row, run.col + from, n});
      }
    top.runs = pieces;
    EXPECT_EQ(top.loss().per_um, whole.per_um);
    EXPECT_EQ(top.loss().per_um2, whole.per_um2);
  }
}

}  // namespace
}  // namespace datum::height_threshold_test
