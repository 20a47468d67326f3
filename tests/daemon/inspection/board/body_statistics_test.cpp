// Does the truth lie where the daemon says, for every characteristic of a top, where the noise is not white?
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "daemon/inspection/verdict/decision.h"
#include "tests/daemon/inspection/board/hostile_scene.h"

namespace datum {
namespace {

using testing::HostileBoard;
using testing::HostileNoise;
using testing::HostileScene;

struct Cell {
  int n = 0, invalid = 0, outside = 0, wrong_at = 0, wrong_beyond = 0;
  double error = 0, error2 = 0, u = 0;
};
using Row = std::array<Cell, 8>;

/// A true value that stands on the limit, or at 1.25 times a tolerance of four times the measurement's own U.
void count(Cell& cell, const CheckVerdict& v, double truth) {
  ++cell.n;
  if (v.reason != Reason::none) {
    ++cell.invalid;
    return;
  }
  const double error = v.value - truth;
  cell.error += error;
  cell.error2 += error * error;
  cell.u += v.u;
  cell.outside += std::abs(error) > 2 * v.u;
  const auto passes = [&](std::optional<double> lower, std::optional<double> upper) {
    Check check = v.check;
    check.lower = lower;
    check.upper = upper;
    return conformance_probability(check, v.value, v.u) >= 0.95;
  };
  const bool tilt = v.check.characteristic == Characteristic::tilt;
  const double beyond = tilt ? truth / 5 : 7.5;
  const bool low = !tilt && cell.n % 2;
  cell.wrong_at += low ? passes(truth, {}) : passes({}, truth);
  cell.wrong_beyond += low ? passes(truth + beyond, {}) : passes({}, truth - beyond);
}

Row measure(const HostileScene& scene, int frames, std::uint64_t seed) {
  Row row;
  for (int k = 0; k < 2 * frames; ++k) {
    HostileScene one = scene;
    const bool tilted = k % 2;
    if (!tilted) one.tilt_mdeg = 0;
    const HostileBoard board = hostile_board(one, seed + static_cast<std::uint64_t>(k));
    const BoardVerdict v = board.inspect();
    for (const ComponentVerdict& c : v.components)
      for (std::size_t i = 0; i < row.size(); ++i) {
        const double truth = i == 6 ? scene.tilt_mdeg : i == 7 ? 1000 : scene.height_um;
        if ((i == 6) == tilted) count(row[i], c.checks[i], truth);
      }
  }
  return row;
}

constexpr const char* names[] = {"mean",    "median",   "percentile", "maximum",
                                 "minimum", "top_mean", "tilt",       "presence"};

/// A share that chance alone would exceed once in some thousand cells.
double most(double share, int n) { return share + 3.5 * std::sqrt(share * (1 - share) / n); }

struct Size {
  const char* name;
  double x_mm, y_mm, erode_px, tilt_mdeg;
  int frames, grid;
};

/// Noise of low frequencies makes steps between halves of a ring that are as real as a carrier's: such floors are refused.
constexpr double refused_of_low_frequencies = 0.25;

void expect_true(const HostileNoise& noise, const char* kind, double refused = 0.01) {
  // true tilts are what each body can tell from its noise
  const Size sizes[] = {{"01005", 0.4, 0.2, 1, 3000, 14, 3},
                        {"0201", 0.6, 0.3, 1, 1500, 14, 3},
                        {"0402", 1.0, 0.5, 2, 500, 30, 2},
                        {"0805", 2.0, 1.25, 2, 100, 20, 2},
                        {"5 x 5 mm", 5, 5, 2, 30, 6, 2}};
  for (const Size& size : sizes) {
    HostileScene s;
    s.body_mm = {size.x_mm, size.y_mm};
    s.erode_px = size.erode_px;
    s.tilt_mdeg = size.tilt_mdeg;
    s.across = s.down = size.grid;
    s.noise = noise;
    const Row row = measure(s, size.frames, 7);
    for (std::size_t i = 0; i < row.size(); ++i) {
      SCOPED_TRACE(std::string(kind) + ", " + size.name + ", " + names[i]);
      const int n = row[i].n - row[i].invalid;
      const bool no_patch = i == 3 && s.body_mm.y() < 0.3;  // two rows hold no 3 x 3 pixels
      EXPECT_LE(row[i].invalid, no_patch ? row[i].n : most(refused, row[i].n) * row[i].n);
      if (n == 0) continue;
      EXPECT_LE(row[i].outside, most(0.06, n) * n);
      EXPECT_LE(row[i].wrong_at, most(0.05, n) * n);
      EXPECT_LE(row[i].wrong_beyond, 0.01 * n);
    }
  }
}

TEST(BodyStatistics, White) { expect_true({}, "white"); }

TEST(BodyStatistics, CorrelatedOverTwoPixels) {
  HostileNoise n;
  n.kernel_px = 2;
  expect_true(n, "over 2 px", refused_of_low_frequencies);
}

TEST(BodyStatistics, CorrelatedOverTenPixels) {
  HostileNoise n;
  n.kernel_px = 10;
  expect_true(n, "over 10 px", refused_of_low_frequencies);
}

TEST(BodyStatistics, RowsOfTheirOwn) {
  HostileNoise n;
  n.row_um = 1.5;
  expect_true(n, "rows");
}

TEST(BodyStatistics, LowFrequencies) {
  HostileNoise n;
  n.low_um = 1;
  n.low_px = 20;
  expect_true(n, "low frequencies", refused_of_low_frequencies);
}

TEST(BodyStatistics, StepsCoarserThanTheNoise) {
  HostileNoise n;
  n.lsb_um = 5;
  n.sigma_um = 1;
  expect_true(n, "LSB of 5 um");
}

TEST(BodyStatistics, ATopNoisierThanTheFloor) {
  HostileNoise n;
  n.top_factor = 3;
  expect_true(n, "three times");
}

TEST(BodyStatistics, SpikesAtWalls) {
  HostileNoise n;
  n.spike_um = 40;
  n.spike_px = 4;
  expect_true(n, "spikes");
}

}  // namespace
}  // namespace datum
