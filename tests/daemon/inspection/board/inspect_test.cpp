#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/inspection/board/inspect_fixture.h"

namespace datum::inspect_test {
namespace {

using testing::change_pixels;
using ::testing::HasSubstr;
using testing::make_scene;
using testing::place;
using testing::render;
using testing::Scene;

const CheckVerdict& first(const BoardVerdict& v, std::size_t component) {
  return v.components.at(component).checks.at(0);
}

/// Noise of 2 um on about 1000 top and 4000 ring pixels: median 2 * 1.8 / sqrt(1000) = 0.11 (a uniform
/// distribution), rounding 0.5 / sqrt(12) = 0.14, plane 0.04: 0.2 um together. Four of them.
constexpr double tolerance_um = 0.8;

void expect_heights(const BoardVerdict& v) {
  ASSERT_EQ(v.components.size(), 2u);
  EXPECT_EQ(v.decision, Decision::pass) << first(v, 0).detail << first(v, 1).detail << v.detail;
  EXPECT_NEAR(first(v, 0).value, 400, tolerance_um);
  EXPECT_NEAR(first(v, 1).value, 600, tolerance_um);
}

TEST(Inspect, MeasuresBoxesOnALevelBoard) {
  Scene s = make_scene();
  render(s);
  const BoardVerdict v = s.inspect();
  expect_heights(v);
  EXPECT_GT(first(v, 0).u, 0);
  EXPECT_EQ(first(v, 0).p_conform, 1);
  EXPECT_EQ(v.recipe_sha256, "0123");
  EXPECT_EQ(v.frame_sha256, "beef");
  EXPECT_EQ(v.calibration, "none");
  EXPECT_EQ(v.backend, "cpu scalar x1");
  EXPECT_FALSE(v.code.empty());
  // 2.0 x 1.2 mm less 2 pixels on each side reach 0.92 and 0.52 mm from a pixel's centre: 2 * 23 + 1 and 2 *
  // 13 + 1
  EXPECT_EQ(v.components[0].body_pixels, 47u * 27u);
  for (std::uint32_t n : v.components[0].floor.side_inliers) EXPECT_GT(n, 400u);
}

TEST(Inspect, HoldsWhatFollowsFromAnUnconfirmedNominal) {
  Scene s = make_scene();
  s.recipe.components[0].nominal_confirmed = false;
  s.recipe.components[0].nominal_source = "the package's name";
  Check tilt;
  tilt.characteristic = Characteristic::tilt;
  tilt.upper = 2000;
  s.recipe.components[0].checks.push_back(tilt);
  s.recipe.rule = DecisionRule::simple;  // no rule makes it a PASS
  render(s);
  BoardVerdict v = s.inspect();
  EXPECT_EQ(v.decision, Decision::inconclusive);
  EXPECT_EQ(v.components[0].decision, Decision::inconclusive);
  EXPECT_EQ(v.components[1].decision, Decision::pass);
  EXPECT_EQ(first(v, 0).decision, Decision::inconclusive);
  EXPECT_EQ(first(v, 0).reason, Reason::nominal_unconfirmed);
  EXPECT_NEAR(first(v, 0).value, 400, tolerance_um) << "it is measured";
  for (const char* word : {"nominal_um = 400", "the package's name", "nominal_confirmed = false"})
    EXPECT_THAT(first(v, 0).detail, HasSubstr(word));
  EXPECT_EQ(v.components[0].checks[1].decision, Decision::pass) << "a tilt needs no nominal height";
  s.recipe.components[0].checks[0].upper = 390;  // it would be FAIL
  s.recipe.components[0].checks[0].nominal.reset();
  v = s.inspect();
  EXPECT_EQ(first(v, 0).decision, Decision::inconclusive) << "nor is it proven bad by such limits";
  s.recipe.components[0].nominal_confirmed = true;
  EXPECT_EQ(first(s.inspect(), 0).decision, Decision::fail);
}

TEST(Inspect, ARingOfItsOwnSurfaceHasItsOwnTerm) {
  Scene s = make_scene();
  s.recipe.floor.surface_um = 17.5;
  s.recipe.components[0].surface_um = 5;
  render(s);
  const BoardVerdict v = s.inspect();
  const auto term = [&](std::size_t component) {
    for (const UncertaintyTerm& t : first(v, component).budget)
      if (t.name == "floor_surface") return t.u;
    return -1.0;
  };
  EXPECT_DOUBLE_EQ(term(0), 5 / std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(term(1), 17.5 / std::sqrt(3.0));
}

TEST(Inspect, MeasuresPerpendicularOnATiltedTurnedBoard) {
  Scene s = make_scene();
  Eigen::Isometry3d t(Eigen::Translation3d(0.5, -0.3, 0.4));
  t.rotate(Eigen::AngleAxisd(0.2, Eigen::Vector3d::UnitZ()));
  t.rotate(Eigen::AngleAxisd(0.05, Eigen::Vector3d(1, 2, 0).normalized()));
  place(s, t);
  render(s);
  const BoardVerdict v = s.inspect();
  expect_heights(v);
  EXPECT_NEAR(v.components[0].floor.tilt_deg, 0.05 * 180 / M_PI, 0.02);
}

TEST(Inspect, AppliesTheCalibrationAndTheStage) {
  Scene s = make_scene();
  Eigen::Isometry3d sensor_from_board(Eigen::Translation3d(0.4, 0.2, -0.3));
  sensor_from_board.rotate(Eigen::AngleAxisd(-0.1, Eigen::Vector3d::UnitZ()));
  s.sensor_from_board = sensor_from_board;
  render(s);
  Eigen::Isometry3d machine_from_sensor(Eigen::Translation3d(210, -50, 33));
  machine_from_sensor.rotate(Eigen::AngleAxisd(1.1, Eigen::Vector3d(0.1, 0, 1).normalized()));
  s.calibrated = true;
  s.calibration.id = "C1";
  s.calibration.sensor_serial = "S1";
  s.calibration.expires_utc_s = 2000;
  s.calibration.machine_from_sensor = Htm<Machine, Sensor>(machine_from_sensor.matrix());
  s.calibration.stage.q_cal_mm = {100, 20, 3};
  // E5: p_C = R p_S + T + (q - q_cal): the stage has moved by (5, -2, 1), so the board lies there in the
  // machine
  s.pose.used = true;
  s.pose.q_mm = {105, 18, 4};
  const Eigen::Isometry3d moved = Eigen::Translation3d(5, -2, 1) * machine_from_sensor * sensor_from_board;
  s.recipe.in_machine_coordinates = true;
  s.recipe.machine_from_board = Htm<Machine, Board>(moved.matrix());
  const BoardVerdict v = s.inspect();
  expect_heights(v);
  EXPECT_EQ(v.calibration, "C1");
  s.pose.q_mm = {100, 20, 3};  // the position before the move: the bodies are elsewhere
  EXPECT_NE(s.inspect().decision, Decision::pass);
}

TEST(Inspect, AMirroredLeftHandedFrameGivesTheMirroredPlaces) {
  Scene right = make_scene();
  render(right);
  Scene left = right;
  auto& counts = std::get<std::vector<std::int16_t>>(left.frame.counts);
  for (auto row = counts.begin(); row != counts.end(); row += left.frame.cols)
    std::reverse(row, row + left.frame.cols);
  left.frame.x.offset_mm = -left.frame.x.at(left.frame.cols - 1);
  left.frame.delivered = Handedness::left;
  EXPECT_EQ(left.inspect().reason, Reason::frame);  // not mirrored yet
  mirror_to_right_handed(left.frame);
  const BoardVerdict a = right.inspect(), b = left.inspect();
  EXPECT_NEAR(b.components[0].floor.centre_x_mm, a.components[0].floor.centre_x_mm, 1e-9);
  EXPECT_NEAR(first(b, 1).value, first(a, 1).value, 1e-6);
}

/// As a sensor of the other hand delivers it: within its picture, or about its x = 0.
void mirror(HeightFrame& frame, bool about_zero) {
  auto& counts = std::get<std::vector<std::int16_t>>(frame.counts);
  for (auto row = counts.begin(); row != counts.end(); row += frame.cols) std::reverse(row, row + frame.cols);
  if (about_zero) frame.x.offset_mm = -frame.x.at(frame.cols - 1);
}

TEST(Inspect, AnAsymmetricalBoardSeenByTheWrongHandIsInvalid) {
  for (const bool about_zero : {false, true}) {
    Scene s = make_scene();
    s.recipe.components.resize(1);
    render(s);
    // U1 alone, 4.5 mm left of the sensor's x = 0 and 3 mm left of the picture's middle, which lies at -1.5 mm.
    s.frame.x.offset_mm -= 7.5;
    place(s, Eigen::Isometry3d(Eigen::Translation3d(-7.5, 0, 0)));
    ASSERT_EQ(s.inspect().decision, Decision::pass);
    mirror(s.frame, about_zero);
    const BoardVerdict v = s.inspect();
    EXPECT_EQ(v.decision, Decision::invalid);
    EXPECT_EQ(v.reason, Reason::frame) << v.detail;
    EXPECT_THAT(v.detail, HasSubstr("good in its mirror image"));
    s.recipe.components[0].checks[0].lower = 450;  // bad in the mirror too: the board, not the hand
    EXPECT_NE(s.inspect().decision, Decision::pass);
    EXPECT_EQ(s.inspect().detail.find("mirror"), std::string::npos);
  }
}

// A part that is too high, with an upper limit alone, is good where the mirror shows bare board.
TEST(Inspect, APartThatIsTooHighIsNotTheHand) {
  Scene s = make_scene();
  s.recipe.components.resize(1);
  s.recipe.components[0].nominal_height_um = 550;
  render(s);
  s.recipe.components[0].nominal_height_um = 400;
  s.recipe.components[0].checks[0].lower.reset();
  s.recipe.components[0].checks[0].upper = 480;
  const BoardVerdict v = s.inspect();
  EXPECT_EQ(v.decision, Decision::fail) << v.detail;
  EXPECT_EQ(v.reason, Reason::none);
}

/// U1 and U2 are each other's mirror image about the picture's middle at 5.98 mm.
Scene mirrored_pair() {
  Scene s = make_scene();
  s.recipe.components = {testing::box("U1", 3, 4, 0, 400), testing::box("U2", 8.96, 4, 0, 400)};
  render(s);
  return s;
}

// U1 is out of its limits and U2's are wider: in the mirror both are good.
TEST(Inspect, PartsThatDifferAreNotTheHand) {
  Scene s = mirrored_pair();
  change_pixels(s, 1.9, 3.3, 4.1, 4.7, [](int, int, std::int16_t& count, PixelClass&) {
    if (count > 200) count = static_cast<std::int16_t>(count - 80);  // a top of 400 um, 40 um lower
  });
  s.recipe.components[0].checks[0].lower = 375;
  const BoardVerdict v = s.inspect();
  EXPECT_EQ(v.decision, Decision::fail) << v.detail;
  EXPECT_EQ(v.reason, Reason::none);
  EXPECT_EQ(v.components[1].decision, Decision::pass);
}

// Random levels around the rings: the floor is one of them in the frame and another in its mirror image.
TEST(Inspect, RandomLevelsAroundRingsAreNotTheHand) {
  for (int seed = 0; seed < 40; ++seed) {
    Scene s = mirrored_pair();
    change_pixels(s, 0, 0, 12, 8, [&](int row, int col, std::int16_t& count, PixelClass&) {
      const bool level = testing::noise_of(1000 * seed + row / 12, col / 12) > 0;
      if (count < 200 && level)
        count = static_cast<std::int16_t>(count + 600);  // tiles of the board, 300 um higher
    });
    const BoardVerdict v = s.inspect();
    EXPECT_NE(v.reason, Reason::frame) << seed << ": " << v.detail;
  }
}

// What is as good in a mirror can't be told from it: no measurement of heights knows the hand of a symmetrical board.
TEST(Inspect, ABadSymmetricalBoardIsBadByEitherHand) {
  Scene s = make_scene();
  s.recipe.components = {testing::box("U1", 6, 4, 0, 400)};
  render(s);
  s.recipe.components[0].checks[0].lower = 450;
  EXPECT_EQ(s.inspect().decision, Decision::fail);
}

TEST(Inspect, LeavesOutNeighboursExclusionsHolesAndWhatLiesBesideTheBoard) {
  Scene s = make_scene();
  s.recipe.components.push_back(testing::box("U3", 4.6, 4, 90, 300));  // within U1's ring
  s.recipe.exclusions.push_back({{1.6, 4}, {0.3, 2}, 0});
  s.recipe.holes.push_back({{3, 5.1}, 0.5});
  render(s);
  const auto all = [](int, int, std::int16_t& count, PixelClass&) { count = 20000; };
  change_pixels(s, 1.46, 3.01, 1.74, 4.99, all);
  change_pixels(s, 2.83, 4.93, 3.17, 5.27, all);  // inscribed square of the hole
  const BoardVerdict v = s.inspect();
  EXPECT_NEAR(first(v, 0).value, 400, tolerance_um);
  EXPECT_NEAR(first(v, 2).value, 300, tolerance_um);
  EXPECT_EQ(v.components[0].floor.inlier_ratio, 1);  // nothing foreign was left in the ring
}

TEST(Inspect, SameBytesForThreadsAndDeliveries) {
  Scene s = make_scene();
  Eigen::Isometry3d t(Eigen::AngleAxisd(0.02, Eigen::Vector3d::UnitX()));
  place(s, t);
  render(s);
  BoardVerdict one = s.inspect(1), two = s.inspect(2);
  two.backend = one.backend;
  EXPECT_EQ(to_json(one), to_json(two));
  const auto int16 = std::get<std::vector<std::int16_t>>(s.frame.counts);
  s.frame.counts = std::vector<std::int32_t>(int16.begin(), int16.end());
  EXPECT_EQ(to_json(s.inspect(1)), to_json(one));
}

TEST(Inspect, SameBytesForEveryInstructionSet) {
  Scene s = make_scene();
  render(s);
  Backend scalar, best = cpu_backend(2);
  BoardVerdict a = inspect(s.frame, s.inputs(), scalar), b = inspect(s.frame, s.inputs(), best);
  EXPECT_EQ(b.backend, std::string("cpu ") + name_of(best.isa) + " x2");
  b.backend = a.backend;
  EXPECT_EQ(to_json(a), to_json(b));
}

TEST(Inspect, EveryCharacteristicOfAKnownTop) {
  Scene s = make_scene();
  Component& u1 = s.recipe.components[0];
  u1.checks.clear();
  for (int i = 0; i <= static_cast<int>(Characteristic::presence); ++i) {
    Check c;
    c.characteristic = static_cast<Characteristic>(i);
    c.parameter = c.characteristic == Characteristic::percentile ? 0.9 : 100;
    c.lower = -1e6;
    u1.checks.push_back(c);
  }
  render(s, 0.5);
  // the top rises by 10 um over the 2 mm along x: 5 mrad = 286.5 mdeg
  change_pixels(s, 1.98, 3.38, 4.02, 4.62, [&](int, int col, std::int16_t& count, PixelClass&) {
    count = static_cast<std::int16_t>(count + std::lround((s.frame.x.at(col) - 3) * 5 / 0.5));
  });
  const BoardVerdict v = s.inspect();
  const auto value = [&](Characteristic c) {
    return v.components[0].checks[static_cast<std::size_t>(c)].value;
  };
  EXPECT_NEAR(value(Characteristic::mean), 400, 0.3);
  EXPECT_NEAR(value(Characteristic::median), 400, 0.5);
  // eroded by 2 px the top reaches +-0.92 mm: +-4.6 um, uniform; noise of 0.5 um, uniform within +-0.87 um
  EXPECT_NEAR(value(Characteristic::percentile), 400 + 0.8 * 4.6, 0.7);
  EXPECT_NEAR(value(Characteristic::minimum), 400 - 4.6 - 0.9, 0.8);
  EXPECT_GT(value(Characteristic::maximum), 400 + 4.6 - 0.9 - 0.4);  // lowest of a patch, two pixels in
  EXPECT_LT(value(Characteristic::maximum), 400 + 4.6 + 0.9);
  EXPECT_NEAR(value(Characteristic::top_mean), 404.4, 0.8);
  EXPECT_NEAR(value(Characteristic::tilt), 286.5, 6);
  EXPECT_EQ(value(Characteristic::presence), 1000);
}

TEST(Inspect, AMissingComponentFailsAndIsNotInvalid) {
  Scene s = make_scene();
  render(s);
  Scene bare = s;
  for (Component& c : bare.recipe.components) c.nominal_height_um = 0;
  render(bare);
  s.frame = bare.frame;
  const BoardVerdict v = s.inspect();
  EXPECT_EQ(v.decision, Decision::fail);
  EXPECT_EQ(first(v, 0).reason, Reason::none);
  EXPECT_NEAR(first(v, 0).value, 0, tolerance_um);
}

TEST(Inspect, TheBoardIsAsBadAsItsWorstComponent) {
  Scene s = make_scene();
  render(s);
  s.recipe.components[1].checks[0].upper = 580;
  s.recipe.components[1].checks[0].lower = 500;
  EXPECT_EQ(s.inspect().decision, Decision::fail);
  change_pixels(s, 1, 2, 5, 6, [](int, int, std::int16_t&, PixelClass& c) { c = PixelClass::shadow; });
  EXPECT_EQ(s.inspect().decision, Decision::invalid);
}

TEST(Inspect, QuadraticFormFindsTheFloorUnderTheBodyOfABowedBoard) {
  Scene s = make_scene();
  render(s);
  // bow of 0.8 um per mm^2 along x about U1's centre: the ring reaches 1.8 mm, its mean square is about 1.5
  // mm^2
  change_pixels(s, 0, 0, 6, 8, [&](int row, int col, std::int16_t& count, PixelClass&) {
    const double x = s.frame.x.at(col) - 3, y = s.frame.y.at(row) - 4;
    const bool top = std::abs(x) <= 1 && std::abs(y) <= 0.6;
    count = static_cast<std::int16_t>(count + (top ? 0 : std::lround(0.8 * x * x / 0.5)));
  });
  s.recipe.floor.form_um = 2;  // else the ring's ends are left out of the plane
  const BoardVerdict plane = s.inspect();
  s.recipe.floor.form = FloorForm::quadratic;
  const BoardVerdict v = s.inspect();
  ASSERT_EQ(first(plane, 0).reason, Reason::none) << first(plane, 0).detail;
  ASSERT_EQ(first(v, 0).reason, Reason::none) << first(v, 0).detail;
  EXPECT_LT(first(plane, 0).value, 399.5);
  EXPECT_NEAR(first(v, 0).value, 400, 4 * first(v, 0).u);
  EXPECT_LT(first(v, 0).u, 1);
}

TEST(Inspect, FieldOfViewIsCheckedByComponent) {
  Scene s = make_scene();
  render(s);
  EXPECT_TRUE(check_field_of_view(s.frame, s.inputs()).empty());
  place(s, Eigen::Isometry3d(Eigen::Translation3d(4, 0, 0)));
  const auto lines = check_field_of_view(s.frame, s.inputs());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("U2: the floor ring reaches beyond the frame of 400 x 300 pixels"));
  place(s, Eigen::Isometry3d(Eigen::Translation3d(1e12, 0, 0)));
  EXPECT_EQ(check_field_of_view(s.frame, s.inputs()).size(), 2u);
}

/// U1's term of this name in its first check's budget; none: -1.
double term_of(const BoardVerdict& v, const std::string& name) {
  for (const UncertaintyTerm& t : v.components.at(0).checks.at(0).budget)
    if (t.name == name) return t.u;
  return -1;
}

// Heights from phases: the model's uncertainty enters twice, of top and floor; the phase's noise as far as the top does not
// show it, over the root of its pixels.
TEST(Inspect, PhasesBringTheirUncertainty) {
  Scene s = make_scene();
  render(s);
  const BoardVerdict plain = s.inspect();
  EXPECT_EQ(term_of(plain, "phase_model"), -1);
  s.frame.phase_uncertainty = PhaseUncertainty{30, 0.8};
  s.frame.stages = {{"fringe demodulation", "1", {}, "", "", {}, {}}};
  const BoardVerdict v = s.inspect();
  EXPECT_DOUBLE_EQ(term_of(v, "phase_model"), std::sqrt(2.0) * 0.8);
  const double pixels = v.components.at(0).body_valid;
  EXPECT_LE(term_of(v, "phase_noise"), 30);
  EXPECT_GT(term_of(v, "phase_noise"), 0.9 * 30 / std::sqrt(pixels))
      << "at most as many independent ones as there are";
  EXPECT_GT(v.components.at(0).checks.at(0).u, plain.components.at(0).checks.at(0).u);
  EXPECT_EQ(v.stages.size(), 1u);
  s.frame.phase_uncertainty->noise_um = 0;
  EXPECT_EQ(term_of(s.inspect(), "phase_noise"), 0) << "the top shows more";
}

}  // namespace
}  // namespace datum::inspect_test
