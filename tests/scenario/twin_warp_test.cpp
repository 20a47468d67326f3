// Bow and twist of a board, and heights over its surface, against the truth. Twin boards of a production with known form,
// measured with a complete recipe.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstdio>
#include <string>

#include "config/toml_reader.h"
#include "daemon/inspection/board/pipeline.h"
#include "tests/virtual_cell/twin_produce.h"

namespace datum {
namespace {

constexpr int boards = 24;
const Eigen::Vector2d size_mm(48, 36);

/// Nine components, 16 x 12 mm apart.
TwinBoard nominal_board() {
  TwinBoard board;
  board.size_mm = size_mm;
  for (int i = 0; i < 9; ++i) {
    TwinBody body;
    body.reference = "C" + std::to_string(i + 1);
    const int row = i / 3, column = i % 3;
    body.outline = {{8.0 + column * 16, 6.0 + row * 12}, {3.2, 1.6}, i * 10.0};
    body.height_um = 800;
    board.bodies.push_back(body);
  }
  return board;
}

/// The board is 0.4 mm below the sensor's zero, tilted by 5 mrad about x and -8 mrad about y.
Eigen::Matrix4d sensor_from_board() {
  Eigen::Isometry3d pose(Eigen::Translation3d(0, 0, -0.4));
  pose.rotate(Eigen::AngleAxisd(0.005, Eigen::Vector3d::UnitX()));
  pose.rotate(Eigen::AngleAxisd(-0.008, Eigen::Vector3d::UnitY()));
  return pose.matrix();
}

std::string matrix_text() {
  const Eigen::Matrix4d m = sensor_from_board();
  std::string text;
  for (int i = 0; i < 16; ++i) {
    char number[32];
    std::snprintf(number, sizeof number, "%s%.17g", i ? ", " : "", m(i / 4, i % 4));
    text += number;
  }
  return "sensor_from_board = [" + text + "]\n";
}

std::string recipe_text(const TwinBoard& board, double bow_percent, bool fallback) {
  std::string text = R"(schema = 1
name = "warped"
sensor_serial = "twin"
[board]
size_mm = [48, 36]
coordinates = "sensor"
)" + matrix_text() + R"([floor]
inner_margin_mm = 0.3
outer_margin_mm = 1.1
form = "quadratic"
[body]
erode_px = 3
[decision]
rule = "14253"
[warp]
patch_mm = 2
[[warp.check]]
characteristic = "bow"
upper_percent = )" + std::to_string(bow_percent) +
                     R"(
[[warp.check]]
characteristic = "twist"
upper_percent = 2
[[warp.bare]]
centre_mm = [24, 1]
size_mm = [48, 2]
columns = 7
[[warp.bare]]
centre_mm = [24, 35]
size_mm = [48, 2]
columns = 7
[[warp.bare]]
centre_mm = [1, 18]
size_mm = [2, 24]
rows = 4
[[warp.bare]]
centre_mm = [47, 18]
size_mm = [2, 24]
rows = 4
[package.P]
body_mm = [3.2, 1.6]
nominal_um = 800
characteristic = "median"
tolerance_um = 200
)";
  if (fallback) text += "fallback = \"warp\"\n";
  for (const TwinBody& b : board.bodies)
    text += "[[component]]\nreference = \"" + b.reference + "\"\npackage = \"P\"\ncentre_mm = [" +
            std::to_string(b.outline.centre_mm.x()) + ", " + std::to_string(b.outline.centre_mm.y()) +
            "]\nrotation_deg = " + std::to_string(b.outline.rotation_deg) + "\n";
  return text;
}

TwinSpread production() {
  TwinSpread s;
  s.bow_um = 60;
  s.twist_um = 40;
  s.height_um = 10;
  s.scale_ppm = 80;
  return s;
}

SensorProfile profile() {
  SensorProfile p;
  p.serial = "twin";
  p.noise = {{0.0}, {std::sqrt(3.0 * 3.0 + 1.5 * 1.5 + 0.25 * 0.25 / 12)}};
  p.z_min_mm = -8;
  p.z_max_mm = 8;
  p.scale_uncertainty_ppm = 80;
  return p;
}

BoardVerdict inspected(const TwinBoard& board, const std::string& recipe_toml, std::uint64_t seed) {
  TwinView view;
  view.rows = 760;
  view.cols = 1000;
  view.x = view.y = {0.05, -1};
  view.sensor_from_board = sensor_from_board();
  TwinSensor sensor;
  sensor.serial = "twin";
  sensor.noise.white_um = 3;
  sensor.noise.correlated_um = 1.5;
  sensor.noise.correlation_px = 4;
  sensor.noise.dropout_ratio = 0.01;
  sensor.noise = drift(sensor.noise, production(), seed);
  const HeightFrame frame = render(look_at(board, view), view, sensor, seed);
  config::Problems problems;
  const Recipe recipe = recipe_from_text(recipe_toml, "recipe", problems);
  problems.throw_first();
  const SensorProfile sensor_profile = profile();
  InspectionInputs inputs;
  inputs.recipe = &recipe;
  inputs.sensor = &sensor_profile;
  return inspect(frame, inputs, cpu_backend(1));
}

/// 100 R / L of the worse pair of edges: the twin's bow is a parabola along each of them, its twist a straight line.
double true_bow_percent(const TwinShape& s) {
  return 0.1 * std::max(std::abs(s.bow_x_um) / size_mm.x(), std::abs(s.bow_y_um) / size_mm.y());
}
/// The fourth corner rises above the plane of the others by 4 times a corner's rise.
double true_twist_percent(const TwinShape& s) {
  return 0.1 * 4 * std::abs(s.twist_um) / (2 * size_mm.norm());
}

TEST(TwinWarp, TrueBowAndTwistLieWithinU) {
  int within = 0, measured = 0;
  double normalised = 0, u_um = 0;
  for (std::uint64_t seed = 1; seed <= boards; ++seed) {
    const TwinBoard board = produce(nominal_board(), production(), seed);
    const BoardVerdict v = inspected(board, recipe_text(board, 2, false), seed);
    const ComponentVerdict& row = v.components.back();
    ASSERT_EQ(row.reference, "BOARD");
    const double truth[2] = {true_bow_percent(board.shape), true_twist_percent(board.shape)};
    for (std::size_t i = 0; i < 2; ++i) {
      const CheckVerdict& c = row.checks[i];
      ASSERT_EQ(c.reason, Reason::none) << c.detail;
      const double error = c.value - truth[i];
      within += std::abs(error) <= 2 * c.u;
      normalised += error * error / (c.u * c.u);
      u_um += c.u;
      ++measured;
    }
  }
  std::printf("bow and twist of %d boards: within U %d of %d, rms error/u %.2f, mean u %.4f %%\n", boards,
              within, measured, std::sqrt(normalised / measured), u_um / measured);
  // 95 % of 48; u comes from a model and may be too large, but not useless
  EXPECT_GE(within, 46);
  EXPECT_LT(u_um / measured, 0.02);
}

TEST(TwinWarp, ABoardOverTheLimitFails) {
  TwinBoard board = nominal_board();
  board.shape.bow_x_um = 480;  // 1 %
  const BoardVerdict v = inspected(board, recipe_text(board, 0.75, false), 5);
  EXPECT_EQ(v.decision, Decision::fail);
  const CheckVerdict& bow = v.components.back().checks[0];
  EXPECT_EQ(bow.decision, Decision::fail);
  EXPECT_LE(std::abs(bow.value - 1), 2 * bow.u);
  EXPECT_EQ(v.components.back().warp->shape, "convex");
  for (int i = 0; i < 9; ++i)
    EXPECT_EQ(v.components[static_cast<std::size_t>(i)].decision, Decision::pass) << i;
}

TEST(TwinWarp, HeightsOverTheSurfaceLieWithinU) {
  int within = 0;
  double normalised = 0, u_um = 0, own_um = 0;
  constexpr int n = 16;
  for (std::uint64_t seed = 1; seed <= n; ++seed) {
    TwinBoard board = produce(nominal_board(), production(), seed);
    const std::size_t hidden = 4;  // in the middle: all others are its neighbours
    apply_defect(board, "occluded=C5");
    const BoardVerdict v = inspected(board, recipe_text(board, 2, true), seed);
    const CheckVerdict& c = v.components[hidden].checks[0];
    ASSERT_EQ(c.reason, Reason::none) << c.detail;
    ASSERT_TRUE(v.components[hidden].warp_floor);
    const double error = c.value - board.bodies[hidden].height_um;
    within += std::abs(error) <= 2 * c.u;
    normalised += error * error / (c.u * c.u) / n;
    u_um += c.u / n;
    own_um += v.components[0].checks[0].u / n;
  }
  std::printf(
      "heights over the surface: within U %d of %d, rms error/u %.2f, mean u %.2f um (over a ring %.2f um)\n",
      within, n, std::sqrt(normalised), u_um, own_um);
  EXPECT_GE(within, 15);
  EXPECT_GT(u_um, own_um);
}

TEST(TwinWarp, WithoutLeaveARefusedRingIsInvalid) {
  TwinBoard board = nominal_board();
  apply_defect(board, "occluded=C5");
  const BoardVerdict v = inspected(board, recipe_text(board, 2, false), 3);
  EXPECT_EQ(v.components[4].decision, Decision::invalid);
  EXPECT_FALSE(v.components[4].warp_floor);
}

}  // namespace
}  // namespace datum
