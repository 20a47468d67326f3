// Each gate is seen to fire, by its name, with its numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/daemon/inspection/board/inspect_fixture.h"

namespace datum::inspect_refusal_test {
namespace {

using testing::change_pixels;
using ::testing::HasSubstr;
using testing::make_scene;
using testing::place;
using testing::render;
using testing::Scene;

Scene good_scene() {
  Scene s = make_scene();
  render(s);
  return s;
}

/// U1 alone is refused with this reason, whatever its ring looks like; U2 passes.
void expect_refused(const Scene& s, Reason reason, const std::string& detail) {
  const BoardVerdict v = s.inspect();
  const CheckVerdict& u1 = v.components.at(0).checks.at(0);
  EXPECT_STREQ(name_of(u1.reason), name_of(reason)) << u1.detail;
  EXPECT_THAT(u1.detail, HasSubstr(detail));
  EXPECT_EQ(u1.decision, Decision::invalid);
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_EQ(v.reason, Reason::none);
  EXPECT_EQ(v.components.at(1).decision, Decision::pass);
}

void expect_board_refused(const Scene& s, Reason reason, const std::string& detail) {
  const BoardVerdict v = s.inspect();
  EXPECT_STREQ(name_of(v.reason), name_of(reason)) << v.detail;
  EXPECT_THAT(v.detail, HasSubstr(detail));
  EXPECT_EQ(v.decision, Decision::invalid);
  ASSERT_EQ(v.components.size(), 2u);
  for (const ComponentVerdict& c : v.components) {
    EXPECT_EQ(c.decision, Decision::invalid);
    EXPECT_EQ(c.checks.at(0).reason, reason);
  }
}

const auto hide = [](int, int, std::int16_t&, PixelClass& c) { c = PixelClass::no_data; };

TEST(Refusal, TooFewRingPixels) {
  Scene s = good_scene();
  change_pixels(s, 1, 4.61, 5, 8, hide);
  change_pixels(s, 1, 0, 5, 3.39, hide);
  change_pixels(s, 1, 0, 1.9, 8, hide);
  change_pixels(s, 4.1, 0, 5, 8, hide);
  expect_refused(s, Reason::floor_too_few, "ring pixels have a height, at least 600 are demanded");
}

TEST(Refusal, SidesNotCovered) {
  Scene s = good_scene();
  change_pixels(s, 1, 4.7, 5, 8, hide);
  change_pixels(s, 4.1, 0, 5, 8, hide);
  expect_refused(s, Reason::floor_sides, "at least 200 on 3 sides are demanded");
}

TEST(Refusal, InlierRatio) {
  Scene s = good_scene();
  s.recipe.floor.min_inlier_ratio = 0.95;
  change_pixels(s, 1.0, 2.0, 5.2, 3.0, [](int row, int col, std::int16_t& count, PixelClass&) {
    count = static_cast<std::int16_t>(count + 200 + (row * 7 + col * 13) % 997);
  });
  expect_refused(s, Reason::floor_inlier_ratio, "at least 0.950 is demanded");
}

TEST(Refusal, ResidualsTooLarge) {
  Scene s = good_scene();
  s.recipe.floor.max_rms_sigmas = 0.9;
  const CheckVerdict u1 = s.inspect().components.at(0).checks.at(0);
  EXPECT_EQ(u1.reason, Reason::floor_rms);
  EXPECT_THAT(u1.detail,
              HasSubstr("at most 1.80 um (floor.max_rms_sigmas = 0.9 times the sensor profile's noise)"));
}

TEST(Refusal, SecondLevel) {
  Scene s = good_scene();
  s.recipe.floor.min_inlier_ratio = 0.1;
  // alternate columns of the ring 35 um higher: two floors of equal right
  change_pixels(s, 0.5, 1, 5.5, 7, [](int, int col, std::int16_t& count, PixelClass&) {
    if (col % 2) count = static_cast<std::int16_t>(count + 70);
  });
  expect_refused(s, Reason::floor_second_level, "another level holds");
}

TEST(Refusal, TiltOfTheFloor) {
  Scene s = good_scene();
  s.recipe.floor.max_tilt_deg = 0.5;
  change_pixels(s, -2, -2, 5.6, 10, [&](int, int col, std::int16_t& count, PixelClass&) {
    count =
        static_cast<std::int16_t>(count + std::lround((s.frame.x.at(col) - 3) * 20 / 0.5));  // 1.15 degrees
  });
  expect_refused(s, Reason::floor_tilt, "at most 0.500 are allowed");
}

TEST(Refusal, OccludedBody) {
  Scene s = good_scene();
  change_pixels(s, 2, 3.4, 3.3, 4.6, hide);
  expect_refused(s, Reason::body_coverage, "of the body's");
}

TEST(Refusal, BodyWithoutATopRegion) {
  Scene s = good_scene();
  s.recipe.components[0].body.size_mm = {0.1, 0.1};
  s.recipe.floor.min_side_pixels = 100;  // a small ring, too
  expect_refused(s, Reason::body_coverage, "of the body's 0 pixels");
}

/// U1's top tilted by 80 um/mm about its middle, so that its height stays 400; pixels above it are of this class.
Scene cut_scene(PixelClass cut) {
  Scene s = good_scene();
  change_pixels(s, 1.98, 3.38, 4.02, 4.62, [&](int, int col, std::int16_t& count, PixelClass& c) {
    const double up_um = (s.frame.x.at(col) - 3) * 80;
    count = static_cast<std::int16_t>(count + std::lround(up_um / 0.5));
    if (up_um > 25) c = cut;
  });
  Check& check = s.recipe.components[0].checks[0];
  check.lower = 200;
  check.upper = 393;  // what is left has a mean of 374
  return s;
}

TEST(Refusal, AClippedTop) {
  for (const PixelClass cut : {PixelClass::out_of_range, PixelClass::saturated})
    expect_refused(cut_scene(cut), Reason::body_clipped, "body.max_clipped_ratio = 0.01");
}

// What is missing for another reason is missing on the high side all the same.
TEST(Inspect, MissingPixelsOfATiltedTopWidenItsUncertainty) {
  for (const Characteristic what : {Characteristic::mean, Characteristic::median}) {
    Scene s = cut_scene(PixelClass::no_data);
    s.recipe.components[0].checks[0].characteristic = what;
    const CheckVerdict v = s.inspect().components[0].checks[0];
    EXPECT_EQ(v.reason, Reason::none) << v.detail;
    EXPECT_LT(v.value, 385);
    EXPECT_LE(std::abs(v.value - 400), 2 * v.u);
    EXPECT_EQ(v.decision_simple, Decision::pass);
    EXPECT_EQ(v.decision, Decision::inconclusive);
  }
}

TEST(Inspect, PresenceCountsMissingPixels) {
  Scene s = cut_scene(PixelClass::no_data);
  Check& check = s.recipe.components[0].checks[0];
  check = {};
  check.characteristic = Characteristic::presence;
  check.lower = 900;
  const CheckVerdict v = s.inspect().components[0].checks[0];
  EXPECT_LT(v.value, 700);
  EXPECT_GE(v.value + 2 * v.u, 1000) << "the missing ones may show the part";
  EXPECT_NE(v.decision, Decision::pass);
}

TEST(Refusal, FewerPixelsThanATopNeeds) {
  Scene s = good_scene();
  s.recipe.body.min_valid_ratio = 0.001;
  int left = 5;
  change_pixels(s, 1.98, 3.38, 4.02, 4.62, [&](int row, int col, std::int16_t&, PixelClass& c) {
    const bool seen = row == 150 && col >= 120 && left-- > 0;
    if (!seen) c = PixelClass::no_data;
  });
  expect_refused(s, Reason::body_coverage,
                 "5 pixels of the body have a height, at least body.min_pixels = 6");
}

TEST(Refusal, AnExtremeThatMayBeAmongTheMissing) {
  for (const Characteristic what :
       {Characteristic::maximum, Characteristic::minimum, Characteristic::top_mean}) {
    Scene s = cut_scene(PixelClass::no_data);
    s.recipe.components[0].checks[0].characteristic = what;
    s.recipe.components[0].checks[0].parameter = 10;
    expect_refused(s, Reason::body_coverage, "body.max_missing_ratio = 0.1");
  }
}

/// A scene whose U1 has one check, of this, on a body of which only some rows are seen.
Scene scene_of(Characteristic characteristic, double parameter, int (*seen)(int row)) {
  Scene s = good_scene();
  s.recipe.body.min_valid_ratio = 0.01;
  s.recipe.body.max_missing_ratio = 1;
  Check& check = s.recipe.components[0].checks[0];
  check.characteristic = characteristic;
  check.parameter = parameter;
  change_pixels(s, 1.98, 3.38, 4.02, 4.62, [&](int row, int, std::int16_t&, PixelClass& c) {
    if (!seen(row)) c = PixelClass::no_data;
  });
  return s;
}

TEST(Refusal, AMaximumWithoutAWholePatch) {
  expect_refused(scene_of(Characteristic::maximum, 0, [](int row) { return row % 3; }), Reason::body_coverage,
                 "no 3 x 3 patch of the body has all its heights");
}

TEST(Refusal, FewerHeightsThanTheHighestThatAreAskedFor) {
  expect_refused(scene_of(Characteristic::top_mean, 9999, [](int) { return 1; }), Reason::body_coverage,
                 "heights are fewer than the 9999 highest");
}

TEST(Refusal, ATiltOfOneRow) {  // 150 is at y = 4
  expect_refused(scene_of(Characteristic::tilt, 0, [](int row) { return int{row == 150}; }),
                 Reason::body_coverage, "the body's pixels with a height do not span a plane");
}

TEST(Refusal, ComponentOutOfView) {
  Scene s = good_scene();
  s.recipe.board_size_mm = {40, 8};
  s.recipe.components[0].body.centre_mm = {13.5, 4};
  expect_refused(s, Reason::out_of_view, "reaches beyond the frame of 400 x 300 pixels");
}

TEST(Refusal, UncertaintyTooLargeForTheTolerance) {
  Scene s = good_scene();
  s.recipe.components[0].checks[0].lower = 399.9;
  s.recipe.components[0].checks[0].upper = 400.1;
  expect_refused(s, Reason::uncertainty, "is below 1");
}

TEST(Refusal, Pose) {
  Scene s = good_scene();
  s.pose.used = true;
  s.pose.reason = Reason::pose_moved;
  s.pose.detail = "moved by 12 um";
  expect_board_refused(s, Reason::pose_moved, "moved by 12 um");
}

TEST(Refusal, Calibration) {
  Scene s = good_scene();
  s.recipe.in_machine_coordinates = true;
  expect_board_refused(s, Reason::calibration, "there is no calibration for sensor 'S1'");
  InspectionInputs without;
  without.recipe = &s.recipe;
  EXPECT_THROW(board_from_sensor(without), CalibrationError) << "what a picture asks for";
  s.calibrated = true;
  s.calibration.id = "C1";
  s.calibration.sensor_serial = "S1";
  s.calibration.expires_utc_s = 999;  // now is 1000
  EXPECT_EQ(s.inspect().reason, Reason::calibration);
  s.calibration.expires_utc_s = 5000;
  EXPECT_EQ(s.inspect().reason, Reason::none);
  s.calibration.temperature = TemperatureWindow{20, 18, 22};
  expect_board_refused(s, Reason::calibration, "no host reported the cell's temperature");
  s.temperature = TemperatureReading{23, 990};
  expect_board_refused(s, Reason::calibration, "the cell has 23.00 degC");
  s.temperature = TemperatureReading{21, 990};
  EXPECT_EQ(s.inspect().reason, Reason::none);
  s.calibration.sensor_serial = "S2";
  EXPECT_EQ(s.inspect().reason, Reason::calibration);
}

/// Of a sensor whose frames datumd makes itself: they hold until 1001 s, at 20 degC told at most a minute ago.
class Reader final : public FrameReader {
 public:
  HeightFrame read(const std::filesystem::path&, const SensorProfile&) const override { return {}; }
  std::vector<std::string> files_of(const std::string&) const override { return {}; }
  std::string refusal(const CellMoment& now) const override {
    if (now.utc_s > 1001) return "it has expired";
    if (!now.temperature_degc) return "nobody told the temperature";
    return *now.temperature_degc == 20 && now.utc_s - now.temperature_utc_s <= now.temperature_max_age_s
               ? ""
               : "another temperature";
  }
};

TEST(Refusal, WhatMadeTheHeights) {
  Scene s = good_scene();
  s.sensor.reader = std::make_shared<Reader>();
  expect_board_refused(s, Reason::calibration, "nobody told the temperature");
  s.temperature = TemperatureReading{20, 990};
  EXPECT_EQ(s.inspect().reason, Reason::none);
  s.temperature = TemperatureReading{21, 990};
  expect_board_refused(s, Reason::calibration, "another temperature");
}

TEST(Refusal, BoardSeenFromBelowOrTooSteep) {
  Scene s = good_scene();
  place(s, Eigen::Isometry3d(Eigen::AngleAxisd(M_PI, Eigen::Vector3d::UnitX())));
  expect_board_refused(s, Reason::calibration, "from below or on edge");
  place(s, Eigen::Isometry3d(Eigen::AngleAxisd(0.2, Eigen::Vector3d::UnitX())));
  expect_board_refused(s, Reason::floor_tilt, "11.459 degrees to the sensor, at most 5.000");
}

TEST(Refusal, AnotherSensor) {
  Scene s = good_scene();
  s.frame.sensor_serial = "S9";
  expect_board_refused(s, Reason::sensor_mismatch, "the frame is from sensor 'S9', the recipe is for 'S1'");
  s.frame.sensor_serial = "S1";
  s.sensor.serial = "S7";
  expect_board_refused(s, Reason::sensor_mismatch, "the profile is of 'S7'");
}

TEST(Refusal, FrameThatContradictsItself) {
  Scene s = good_scene();
  s.frame.classes.pop_back();
  expect_board_refused(s, Reason::frame, "300 x 400 pixels but 120000 heights and 119999 classes");
  s = good_scene();
  s.frame.x.scale_mm = std::numeric_limits<double>::quiet_NaN();
  expect_board_refused(s, Reason::frame, "scale");
}

TEST(Refusal, RefusedVerdictsAreWrittenAndReadBack) {
  Scene s = good_scene();
  s.frame.sensor_serial = "S9";
  const std::string json = to_json(s.inspect());
  EXPECT_EQ(to_json(verdict_from_json(json)), json);
}

}  // namespace
}  // namespace datum::inspect_refusal_test
