#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/inspection/defects/part_edges.h"
#include "daemon/inspection/recipe/defect_recipe.h"
#include "daemon/inspection/verdict/fault_text.h"
#include "daemon/inspection/verdict/plain_reason.h"
#include "tests/daemon/inspection/board/inspect_fixture.h"

namespace datum::inspect_defects_test {
namespace {

using ::testing::HasSubstr;
using testing::make_scene;
using testing::render;
using testing::Scene;

Check check_of(Characteristic what, double lower, double upper) {
  Check check;
  check.characteristic = what;
  check.nominal = 0;
  check.lower = lower;
  check.upper = upper;
  return check;
}

/// The scene as recipe, seen with U1 elsewhere.
Scene with_first(const Eigen::Vector2d& shift_mm, double turn_deg) {
  Scene s = make_scene();
  BoardRect& body = s.recipe.components[0].body;
  const BoardRect nominal = body;
  body.centre_mm += shift_mm;
  body.rotation_deg += turn_deg;
  render(s);
  body = nominal;
  return s;
}

Scene with_defects(Scene s, bool beside_pass_invalid = true) {
  DefectRecipe d;
  d.max_shift_mm = 0.05;
  d.beside_pass_invalid = beside_pass_invalid;
  s.recipe.defects = std::make_shared<DefectRecipe>(d);
  return s;
}

TEST(InspectDefects, OffsetsAreRightUpAndCounterClockwise) {
  Scene s = with_first({0.10, -0.06}, 3);
  s.recipe.components[0].checks = {
      check_of(Characteristic::offset_x, -500, 500), check_of(Characteristic::offset_y, -500, 500),
      check_of(Characteristic::offset, 0, 500), check_of(Characteristic::rotation, -9000, 9000)};
  const BoardVerdict v = s.inspect();
  const auto& checks = v.components[0].checks;
  ASSERT_EQ(v.components[0].decision, Decision::pass) << checks[0].detail;
  EXPECT_GT(checks[0].value, 50) << "to the right of its place";
  EXPECT_LT(checks[1].value, -20) << "below it";
  const double truths[] = {100, -60, std::hypot(100, 60), 3000};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_LT(std::abs(checks[k].value - truths[k]), 3 * checks[k].u)
        << name_of(checks[k].check.characteristic);
    EXPECT_GT(checks[k].u, 0);
  }
  EXPECT_LT(checks[0].u, 12) << "a third of a pixel of 40 um";
  EXPECT_LT(checks[3].u, 1500);
}

TEST(InspectDefects, ALimitOfThePlaceDecidesWithItsUncertainty) {
  Scene s = with_first({0.30, 0}, 0);
  s.recipe.components[0].checks = {check_of(Characteristic::offset_x, -200, 200)};
  EXPECT_EQ(s.inspect().components[0].decision, Decision::fail);
  s.recipe.components[0].checks = {check_of(Characteristic::offset_x, -300, 300)};
  EXPECT_EQ(s.inspect().components[0].decision, Decision::inconclusive);
}

TEST(InspectDefects, APlaceWithoutItsEdgesIsInvalid) {
  Scene s = with_first({0, 0}, 0);
  s.recipe.components[0].checks = {check_of(Characteristic::rotation, -9000, 9000)};
  s.recipe.components[0].overlaps = {"U2"};
  const BoardVerdict v = s.inspect();
  EXPECT_EQ(v.components[0].checks[0].reason, Reason::body_edges);
  EXPECT_EQ(v.components[0].decision, Decision::invalid);
}

TEST(InspectDefects, NoLimitSeesTheShiftAndTheWordDoes) {
  const Scene plain = with_first({0.08, 0}, 0);  // as far as the measured region's rim of two pixels
  const BoardVerdict before = plain.inspect();
  EXPECT_EQ(before.components[0].decision, Decision::pass) << "its height is good";
  EXPECT_FALSE(before.components[0].defect) << "without [defects] only what FAILs is named";

  const BoardVerdict v = with_defects(plain).inspect();
  ASSERT_TRUE(v.components[0].defect);
  EXPECT_EQ(v.components[0].defect->word, Defect::shifted);
  EXPECT_EQ(v.components[0].decision, Decision::invalid);
  EXPECT_EQ(v.components[0].checks[0].reason, Reason::defect);
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_THAT(fault_text(v.components[0]), HasSubstr("shifted: by ["));
  EXPECT_FALSE(v.components[1].defect);
  EXPECT_EQ(v.components[1].decision, Decision::pass);

  const BoardVerdict warned = with_defects(plain, false).inspect();
  EXPECT_EQ(warned.components[0].decision, Decision::pass);
  ASSERT_TRUE(warned.components[0].defect) << "the word stands beside the PASS";
  EXPECT_THAT(plain_reason(warned.components[0]), HasSubstr("shifted"));
}

TEST(InspectDefects, WhatFailsIsNamedAndStaysFail) {
  Scene s = make_scene();
  const double nominal = s.recipe.components[0].nominal_height_um;
  s.recipe.components[0].nominal_height_um = 0;
  render(s);
  s.recipe.components[0].nominal_height_um = nominal;
  for (const bool table : {false, true}) {
    const BoardVerdict v = table ? with_defects(s).inspect() : s.inspect();
    EXPECT_EQ(v.components[0].decision, Decision::fail);
    ASSERT_TRUE(v.components[0].defect);
    EXPECT_EQ(v.components[0].defect->word, Defect::missing);
    const std::string json = to_json(v);
    EXPECT_THAT(json, HasSubstr("\"defect\":{\"word\":\"missing\""));
    const BoardVerdict back = verdict_from_json(json);
    EXPECT_EQ(to_json(back), json);
    EXPECT_EQ(back.components[0].defect->detail, v.components[0].defect->detail);
  }
}

TEST(InspectDefects, AGoodPartHasNoWordAndTheSameBytes) {
  Scene s = make_scene();
  render(s);
  const std::string json = to_json(s.inspect());
  EXPECT_EQ(json.find("\"defect\""), std::string::npos);
  EXPECT_EQ(to_json(with_defects(s).inspect()), json);
}

TEST(InspectDefects, AnObjectOnBareBoardIsARowOfItsOwn) {
  Scene s = with_defects(make_scene());
  DefectRecipe d;
  d.foreign.emplace();
  d.foreign->row.reference = "FOREIGN";
  d.foreign->row.package = foreign_package;
  d.foreign->min_size_mm = 0.6;
  Check check;
  check.characteristic = Characteristic::foreign_height;
  check.upper = 200;
  check.expected = 0;
  d.foreign->row.checks = {check};
  s.recipe.defects = std::make_shared<DefectRecipe>(d);
  render(s);
  BoardVerdict v = s.inspect();
  ASSERT_EQ(v.components.size(), 3u);
  EXPECT_EQ(v.components[2].reference, "FOREIGN");
  EXPECT_EQ(v.components[2].decision, Decision::pass) << v.components[2].checks[0].detail;
  EXPECT_EQ(v.components[2].checks[0].value, 0) << "no object";

  s.recipe.components.push_back(testing::box("X", 5.7, 6.5, 20, 500));
  s.recipe.components.back().body.size_mm = {0.9, 0.7};
  render(s);
  s.recipe.components.pop_back();
  v = s.inspect();
  ASSERT_TRUE(v.components[2].defect) << v.components[2].checks[0].value << v.components[2].checks[0].detail;
  EXPECT_EQ(v.components[2].defect->word, Defect::foreign_object);
  EXPECT_EQ(v.components[2].decision, Decision::fail);
  EXPECT_NEAR(v.components[2].checks[0].value, 500, 5) << "a lower quartile of noise of 2 um below, and more";
  EXPECT_EQ(v.components[0].decision, Decision::pass);
  const std::string json = to_json(v);
  EXPECT_EQ(to_json(verdict_from_json(json)), json);

  // A pixel that can't show the least object: refused.
  d.foreign->min_size_mm = 0.1;
  s.recipe.defects = std::make_shared<DefectRecipe>(d);
  v = s.inspect();
  EXPECT_EQ(v.components[2].checks[0].reason, Reason::body_coverage);
}

/// Of both long edges half is hidden: the outer quarters, or the right half. As many points over the same length tell the same rotation.
TEST(InspectDefects, PointsFarFromAnEdgesMiddleTellNoMoreOfItsRotation) {
  const auto u_of = [](const std::vector<Eigen::Vector2d>& hidden) {
    Scene s = make_scene();
    s.recipe.components[0].checks = {check_of(Characteristic::rotation, -9000, 9000)};
    render(s);
    for (const Eigen::Vector2d& x : hidden)
      for (const double y : {3.4, 4.6})
        testing::change_pixels(s, x[0], y - 0.15, x[1], y + 0.15,
                               [](int, int, std::int16_t&, PixelClass& c) { c = PixelClass::no_data; });
    const BoardVerdict v = s.inspect();
    const CheckVerdict& check = v.components[0].checks[0];
    EXPECT_EQ(check.reason, Reason::none) << check.detail;
    for (const UncertaintyTerm& t : check.budget)
      if (t.name == "scatter") return t.u;
    return 0.0;
  };
  const double middle = u_of({{2.0, 2.6}, {3.4, 4.0}}), left = u_of({{3.2, 4.0}});
  EXPECT_GT(middle, 0);
  EXPECT_NEAR(left / middle, 1, 0.25) << left << " " << middle;
}

/// Numbers of a saw-tooth: uniform at rest, and over one pixel of wandering its mean vanishes but for what is not known of it.
TEST(InspectDefects, RoundingAveragesAlongAnEdgeThatWanders) {
  EXPECT_NEAR(rounding_of_mean_px(0), 1 / std::sqrt(12.0), 2e-3) << "64 harmonics";
  EXPECT_LT(rounding_of_mean_px(3), 0.06);
  EXPECT_GT(rounding_of_mean_px(1), 0.02);
  EXPECT_NEAR(rounding_of_slope_px(0), rounding_of_slope_px(1), 0.1);
  EXPECT_LT(rounding_of_slope_px(10), rounding_of_slope_px(1) / 5);
}

}  // namespace
}  // namespace datum::inspect_defects_test
