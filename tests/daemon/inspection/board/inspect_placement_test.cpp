// What is not known of a body's place enters its height by the slope of its top.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/inspection/recipe/alignment_recipe.h"
#include "daemon/inspection/verdict/uncertainty.h"
#include "tests/daemon/inspection/board/inspect_fixture.h"

namespace datum::inspect_placement_test {
namespace {

using testing::change_pixels;
using testing::make_scene;
using testing::render;
using testing::Scene;

constexpr double slope = 5e-3;
/// Three standard deviations of a slope's own noise, as a share of it: 0.5 um and counts of 0.5 um over 1269 pixels whose places
/// scatter by 0.31 mm along y (0.54 mm along x) make 0.05 um/mm of 5 um/mm.
constexpr double slope_noise = 0.03;

/// U1's top rises by 5 um/mm along the sensor's x. The board lies in the machine where the sensor sees it, which is turned
/// against the machine by 90 degrees: sensor x is machine y.
Scene sloping_scene() {
  Scene s = make_scene();
  render(s, 0.5);
  change_pixels(s, 1.98, 3.38, 4.02, 4.62, [&](int, int col, std::int16_t& count, PixelClass&) {
    count = static_cast<std::int16_t>(count + std::lround((s.frame.x.at(col) - 3) * slope * 1e3 / 0.5));
  });
  Eigen::Isometry3d turn(Eigen::AngleAxisd(M_PI / 2, Eigen::Vector3d::UnitZ()));
  s.recipe.in_machine_coordinates = true;
  s.recipe.machine_from_board = Htm<Machine, Board>(turn.matrix());
  s.calibrated = true;
  s.calibration.id = "C1";
  s.calibration.sensor_serial = "S1";
  s.calibration.expires_utc_s = 5000;
  s.calibration.machine_from_sensor = Htm<Machine, Sensor>(turn.matrix());
  return s;
}

/// Of U1's height.
double term(const BoardVerdict& v, const std::string& name) {
  for (const UncertaintyTerm& t : v.components.at(0).checks.at(0).budget)
    if (t.name == name) return t.u;
  return std::nan("");
}

void expect_um(double um, double expected_um) { EXPECT_NEAR(um, expected_um, slope_noise * expected_um); }

TEST(InspectPlacement, AHeadThatWasNotCalibratedThereIsRefused) {
  Scene s = sloping_scene();
  s.pose.used = true;
  ASSERT_NE(s.inspect().reason, Reason::calibration);
  s.pose.after.head_deg = {{0, 0, 15}};
  EXPECT_EQ(s.inspect().reason, Reason::calibration) << "made without a head";
  s.calibration.head = HeadPosition{"turned", {0, 0, 15}, 0.01, 0, 0};
  const BoardVerdict v = s.inspect();
  EXPECT_NE(v.reason, Reason::calibration) << v.detail;
  EXPECT_EQ(v.calibration_head, "turned");
  s.pose.after.head_deg->at(2) = 15.02;
  EXPECT_EQ(s.inspect().reason, Reason::calibration);
  s.pose.after.head_deg.reset();
  EXPECT_EQ(s.inspect().reason, Reason::calibration) << "a position that does not say where the head stands";
}

TEST(InspectPlacement, TheCalibrationsShiftEntersAlongTheSlope) {
  Scene s = sloping_scene();
  EXPECT_EQ(term(s.inspect(), "calibration"), 0) << "none is stated";
  s.calibration.covariance.diagonal() << 0, 0, 0, 0, 0.02 * 0.02, 0;  // 20 um along machine y
  const BoardVerdict v = s.inspect();
  ASSERT_EQ(v.components.at(0).checks.at(0).reason, Reason::none) << v.detail;
  expect_um(term(v, "calibration"), slope * 20);
  EXPECT_DOUBLE_EQ(v.components[0].checks[0].u, combined(v.components[0].checks[0].budget));
  s.calibration.covariance.diagonal() << 0, 0, 0, 0.02 * 0.02, 0, 0.02 * 0.02;
  EXPECT_LT(term(s.inspect(), "calibration"), slope_noise * slope * 20) << "across the slope, and along z";
}

// Turned by 1 mrad about the sensor's z a body at (3, 4) mm moves by 4 um along x.
TEST(InspectPlacement, TheCalibrationsTurnEntersByItsArm) {
  Scene s = sloping_scene();
  s.calibration.covariance.diagonal() << 0, 0, 1e-6, 0, 0, 0;
  expect_um(term(s.inspect(), "calibration"), slope * 4);
}

TEST(InspectPlacement, TheStageEntersByItsWay) {
  Scene s = sloping_scene();
  s.pose.used = true;
  s.pose.q_mm = {0, 100, 0};
  Eigen::Matrix4d moved = s.recipe.machine_from_board.matrix();
  moved(1, 3) += 100;
  s.recipe.machine_from_board = Htm<Machine, Board>(moved);
  EXPECT_EQ(term(s.inspect(), "stage"), 0) << "nobody stated any";
  s.calibration.stage_u.scale_ppm = {0, 300, 0};  // 30 um over 100 mm
  expect_um(term(s.inspect(), "stage"), slope * 30);
  s.calibration.stage_u = {};
  s.calibration.stage_u.position_um = {0, 10, 0};  // there and when it was calibrated
  expect_um(term(s.inspect(), "stage"), slope * 10 * std::sqrt(2.0));
}

TEST(InspectPlacement, ThePairingEnters) {
  Scene s = sloping_scene();
  s.pose.used = true;
  s.pose.pairing.emplace();
  s.pose.pairing->u_um = 20;
  expect_um(term(s.inspect(), "pairing"), slope * 20);
}

TEST(InspectPlacement, AnAlignmentStandsInForTheShiftAndLeavesTheTurn) {
  Scene s = sloping_scene();
  s.pose.used = true;
  s.pose.pairing.emplace();
  s.pose.pairing->u_um = 20;
  s.calibration.covariance.diagonal() << 0, 0, 0, 1, 1, 1;
  AlignmentRecipe a;
  a.max_shift_mm = 1;
  s.recipe.alignment = std::make_shared<AlignmentRecipe>(a);
  BoardVerdict v = s.inspect();
  ASSERT_EQ(v.reason, Reason::none) << v.detail;
  const double cell_um = alignment_grid(s.recipe).cell_mm * 1e3;
  expect_um(term(v, "alignment"), slope * std::sqrt((cell_um * cell_um + 40 * 40) / 12));
  EXPECT_EQ(term(v, "calibration"), 0);
  EXPECT_TRUE(std::isnan(term(v, "pairing"))) << "the board is found where it is";
  s.calibration.covariance.diagonal() << 0, 0, 1e-6, 0, 0, 0;
  s.recipe.board_size_mm.y() = 12;  // its middle is 2 mm beside U1 along y: 2 um
  v = s.inspect();
  ASSERT_EQ(v.reason, Reason::none) << v.detail;
  const double shift_mm = v.stages.at(0).health.at(1).second * 1e-3;
  EXPECT_NEAR(term(v, "calibration"), slope * 2, slope * (0.1 + std::abs(shift_mm)));
}

// Top and floor each carry a linearity deviation of their own.
TEST(InspectPlacement, AHeightsLinearityCountsAtBothEnds) {
  Scene s = sloping_scene();
  s.sensor.linearity_um = 1.5;
  EXPECT_DOUBLE_EQ(term(s.inspect(), "linearity"), 1.5 * std::sqrt(2.0));
}

}  // namespace
}  // namespace datum::inspect_placement_test
