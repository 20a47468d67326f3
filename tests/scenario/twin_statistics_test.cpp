// Does the truth lie where the daemon says? 10,000 components on 100 boards whose true heights are known,
// through inspect().
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <string>
#include <thread>

#include "daemon/pipeline.h"
#include "drivers/virtual/twin_produce.h"

namespace datum {
namespace {

constexpr int boards = 100, across = 10, down = 10;
constexpr double pitch_mm = 0.05, cell_x_mm = 6.4, cell_y_mm = 5.2;
constexpr int components = across * down;

/// Four packages in turn, four rotations; a trace of 35 um that no recipe knows runs through every fifth
/// ring.
TwinBoard nominal_board() {
  const struct {
    double x, y, height_um;
  } packages[] = {{3.2, 1.6, 1000}, {2.0, 1.25, 550}, {2.6, 2.2, 1650}, {1.6, 0.8, 450}};
  TwinBoard board;
  board.size_mm = {across * cell_x_mm, down * cell_y_mm};
  for (int i = 0; i < components; ++i) {
    const auto& p = packages[i % 4];
    const int column = i % across, row = i / across;
    const Eigen::Vector2d centre((column + 0.5) * cell_x_mm, (row + 0.5) * cell_y_mm);
    TwinBody body;
    body.reference = "C" + std::to_string(i + 1);
    body.outline = {centre, {p.x, p.y}, (i / 4 % 4) * 30.0};
    body.height_um = p.height_um;
    board.bodies.push_back(body);
    if (i % 5 == 0) board.patches.push_back({{centre + Eigen::Vector2d(1.9, 0), {0.2, cell_y_mm}, 10}, 35});
  }
  return board;
}

TwinView sensor_view() {
  TwinView view;
  view.rows = static_cast<int>((down * cell_y_mm + 1) / pitch_mm);
  view.cols = static_cast<int>((across * cell_x_mm + 1) / pitch_mm);
  view.x = view.y = {pitch_mm, -0.5};
  view.shadow_slope = 0.25;
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translate(Eigen::Vector3d(0, 0, -0.4));
  pose.rotate(Eigen::AngleAxisd(0.004, Eigen::Vector3d(1, -2, 0).normalized()));
  view.sensor_from_board = pose.matrix();
  return view;
}

/// Every error of the twin has its term in the budget: noise, scale, linearity, place.
TwinNoise sensor_noise() {
  TwinNoise n;
  n.white_um = 3;
  n.correlated_um = 1.5;
  n.correlation_px = 4;
  n.dropout_ratio = 0.01;
  n.speckle_ratio = 0.004;
  n.speckle_um = 40;
  n.outlier_ratio = 0.002;
  n.outlier_um = 500;
  n.linearity_um = 0.1;
  return n;
}

TwinSpread production() {
  TwinSpread s;
  s.bow_um = 60;
  s.twist_um = 40;
  s.height_um = 15;
  s.tilt_mdeg = 15;
  s.place_mm = 0.03;
  s.scale_ppm = 80;
  return s;
}

SensorProfile profile() {
  SensorProfile p;
  p.serial = "twin";
  // white, correlated and rounding to counts of 0.25 um
  p.noise = {{0.0}, {std::sqrt(3.0 * 3.0 + 1.5 * 1.5 + 0.25 * 0.25 / 12)}};
  p.z_min_mm = -8;
  p.z_max_mm = 8;
  p.scale_uncertainty_ppm = 80;
  // A triangle wave of amplitude A read at two unrelated phases: its values differ by A sqrt(2 / 3).
  p.linearity_um = 0.1 * std::sqrt(2.0 / 3);
  return p;
}

/// The recipe of one board. Each component stands exactly on a limit: on its upper one, or on its lower one.
Recipe recipe_at_the_limit(const TwinBoard& nominal, const std::vector<TwinTruth>& truth,
                           Characteristic what) {
  Recipe r;
  r.name = "twin";
  r.sensor_serial = "twin";
  r.board_size_mm = nominal.size_mm;
  r.in_machine_coordinates = false;
  r.machine_from_board = Htm<Machine, Board>(sensor_view().sensor_from_board);
  r.floor.inner_margin_mm = 0.3;
  r.floor.outer_margin_mm = 1.1;
  r.floor.form = FloorForm::quadratic;  // the truth stands on the bowed board, not on the ring's plane
  r.body.erode_px = 3;
  r.uncertainty.position_mm = 0.03;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const TwinRect& outline = nominal.bodies[i].outline;
    Component c;
    c.reference = truth[i].reference;
    c.package = "any";
    c.body = {outline.centre_mm, outline.size_mm, outline.rotation_deg};
    c.nominal_height_um = nominal.bodies[i].height_um;
    Check check;
    check.characteristic = what;
    const bool at_upper = i % 2 == 0;
    check.lower = truth[i].height_um - (at_upper ? 100 : 0);
    check.upper = truth[i].height_um + (at_upper ? 0 : 100);
    c.checks.push_back(check);
    r.components.push_back(c);
  }
  return r;
}

struct Tally {
  int measured = 0, within_U = 0, accepted = 0, invalid = 0;
  double sum_um = 0, squares_um2 = 0, sum_normalised2 = 0, u_um = 0;
  void operator+=(const Tally& t) {
    measured += t.measured;
    within_U += t.within_U;
    accepted += t.accepted;
    invalid += t.invalid;
    sum_um += t.sum_um;
    squares_um2 += t.squares_um2;
    sum_normalised2 += t.sum_normalised2;
    u_um += t.u_um;
  }
  double share(int n) const { return static_cast<double>(n) / measured; }
};

Tally tally_of(const BoardVerdict& verdict, const std::vector<TwinTruth>& truth) {
  Tally t;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const CheckVerdict& v = verdict.components[i].checks[0];
    if (v.reason != Reason::none) {
      ++t.invalid;
      continue;
    }
    const double error_um = v.value - truth[i].height_um;
    ++t.measured;
    t.within_U += std::abs(error_um) <= 2 * v.u;
    t.accepted += v.decision == Decision::pass;
    t.sum_um += error_um;
    t.squares_um2 += error_um * error_um;
    t.sum_normalised2 += error_um * error_um / (v.u * v.u);
    t.u_um += v.u;
  }
  return t;
}

struct Tallies {
  Tally median, mean;
};

Tallies measure_board(const TwinBoard& nominal, std::uint64_t seed) {
  const TwinBoard board = produce(nominal, production(), seed);
  TwinSensor sensor;
  sensor.serial = "twin";
  sensor.noise = drift(sensor_noise(), production(), seed);
  const TwinView view = sensor_view();
  HeightFrame frame = render(look_at(board, view), view, sensor, seed);
  frame.frame_id = std::to_string(seed);
  const SensorProfile sensor_profile = profile();
  const std::vector<TwinTruth> truth = truth_of(board);
  InspectionInputs inputs;
  inputs.sensor = &sensor_profile;
  const auto tally = [&](Characteristic what) {
    const Recipe recipe = recipe_at_the_limit(nominal, truth, what);
    inputs.recipe = &recipe;
    return tally_of(inspect(frame, inputs, cpu_backend(1)), truth);
  };
  return {tally(Characteristic::median), tally(Characteristic::mean)};
}

Tallies measure_all() {
  const TwinBoard nominal = nominal_board();
  std::vector<Tallies> each(boards);
  const auto work = [&](int first, int step) {
    for (int k = first; k < boards; k += step)
      each[static_cast<std::size_t>(k)] = measure_board(nominal, 1000 + static_cast<std::uint64_t>(k));
  };
  std::thread other(work, 1, 2);
  work(0, 2);
  other.join();
  Tallies all;
  for (const Tallies& t : each) {
    all.median += t.median;
    all.mean += t.mean;
  }
  return all;
}

void print(const Tally& t, const char* name) {
  std::printf(
      "%s: n %d, invalid %d, bias %.4f um, scatter %.3f um, mean u %.3f um, rms error/u %.4f, within U %.2f "
      "%%, "
      "accepted at the limit %.2f %%\n",
      name, t.measured, t.invalid, t.sum_um / t.measured, std::sqrt(t.squares_um2 / t.measured),
      t.u_um / t.measured, std::sqrt(t.sum_normalised2 / t.measured), 100 * t.share(t.within_U),
      100 * t.share(t.accepted));
}

/// The promise: bias below 0.2 um (its standard error is scatter / 100, below 0.01 um), 94 to 97 % of the
/// truth within U (binomial standard error 0.2 %), at most 5 % accepted where the truth is the limit.
void expect_as_promised(const Tally& t, double most_within) {
  EXPECT_EQ(t.invalid, 0);
  EXPECT_EQ(t.measured, boards * components);
  EXPECT_LT(std::abs(t.sum_um / t.measured), 0.2);
  EXPECT_GE(t.share(t.within_U), 0.94);
  EXPECT_LE(t.share(t.within_U), most_within);
  EXPECT_LE(t.share(t.accepted), 0.05);
}

TEST(TwinStatistics, TrueHeightsLieWithinUAndTheLimitIsGuarded) {
  const Tallies all = measure_all();
  print(all.median, "median");
  print(all.mean, "mean");
  {
    SCOPED_TRACE("median");
    expect_as_promised(all.median, 0.97);
  }
  // Gross outliers of +-500 um enter a mean: its errors have long tails, and u of the few that they hit is
  // large for all of its correlated neighbours. U may then hold more than 97 %, never less than 94 %.
  SCOPED_TRACE("mean");
  expect_as_promised(all.mean, 0.985);
}

}  // namespace
}  // namespace datum
