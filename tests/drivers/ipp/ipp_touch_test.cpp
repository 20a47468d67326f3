// Parameters sent to a moving machine, computed with its limits, and refusals before any command.
#include "drivers/ipp/ipp_touch.h"

#include <gmock/gmock.h>

#include <limits>

#include "tests/drivers/ipp/ipp_moving.h"

namespace datum {
namespace {

using ::testing::HasSubstr;
using testing::moving_cell;
using testing::reference_limits;
using testing::refusal;
using ::testing::StartsWith;
using testing::to;
using testing::Xyz;

TEST(IppTouch, SaysWhereTo) {
  const CmmSettings s = moving_cell();
  EXPECT_EQ(go_to_command(s, {4, 6, 3}), "GoTo(X(4.00000), Y(6.00000), Z(3.00000))");
  IppTouchWay touch;
  touch.nominal_mm = {4, 6, 3};
  touch.direction = {0.6, 0.8, 0};
  EXPECT_EQ(touch_command(s, touch),
            "PtMeas(X(4.00000), Y(6.00000), Z(3.00000), IJK(-0.600000, -0.800000, -0.000000))");
  CmmSettings mapped = s;  // the controller's X is the machine's -Y + 50, its Y the machine's X
  mapped.axes[0].machine_axis = 1;
  mapped.axes[0].reversed = true;
  mapped.axes[0].offset_mm = 50;
  mapped.axes[1].machine_axis = 0;
  EXPECT_EQ(touch_command(mapped, touch),
            "PtMeas(X(44.00000), Y(4.00000), Z(3.00000), IJK(0.800000, -0.600000, -0.000000))");
}

// From the centre to a wall expected 4 mm away and searched up to 5 mm.
TEST(IppTouch, ReckonsWithApproachPartApproachAndRadius) {
  const CmmSettings s = moving_cell();
  const Xyz from{10, 20, 30};
  const ProbeWay way = to({15, 20, 30}, true);
  IppLimits limits = reference_limits();
  limits.part_approach = 0.25;
  const IppTouch t = plan_touch(s, limits, from, way);
  const IppTouchWay w = touch_way(s, limits, t, from, way);
  // nominal - (Approach + Part.Approach + Tool.Radius) is the tip's position, whoever adds the radius.
  EXPECT_NEAR(w.nominal_mm[0] - t.approach - 0.25 - 0.5, 10, 1e-9);
  EXPECT_NEAR(w.approach_least_mm, 0, 1e-9);
  EXPECT_NEAR(w.approach_most_mm, 0.5, 1e-9) << "of a controller that adds none";
  EXPECT_GE(w.nominal_mm[0] - 0.5 + t.search, 15 - 1e-9)
      << "who ends its search by the radius earlier gets there";
  EXPECT_EQ(t.probing_speed, 2);
  EXPECT_EQ(t.travel_speed, 20);
  EXPECT_EQ(t.retract, 3.5) << "from where contacts begin back to the middle";
}

// 10 mm is a reference server's default: in this bore it leads through the opposite wall.
TEST(IppTouch, ARetractThroughTheOtherWallIsRefused) {
  const CmmSettings s = moving_cell();
  const Xyz from{10, 20, 30};
  const ProbeWay way = to({15, 20, 30}, true);
  IppLimits limits = reference_limits();
  IppTouch t = plan_touch(s, limits, from, way);
  t.retract = 10;
  EXPECT_THAT(
      refusal([&] { touch_way(s, limits, t, from, way); }),
      StartsWith("probe motion: Retract 10 mm leads to the other side of the bore: free are 7.000 mm"));
  limits.retract = {7.5, 100};
  EXPECT_THAT(refusal([&] { plan_touch(s, limits, from, way); }), HasSubstr("the machine's least is 7.5"));
  limits = reference_limits();
  limits.part_retract = 4;  // together 7.5
  EXPECT_THAT(refusal([&] { plan_touch(s, limits, from, way); }), HasSubstr("and Part.Retract 4 mm"));
}

TEST(IppTouch, ARadiusWithoutRoomIsRefused) {
  const CmmSettings s = moving_cell();
  ProbeWay way = to({10.6, 20, 30}, true);
  way.room.free_mm = 0.2;
  EXPECT_THAT(
      refusal([&] {
        plan_touch(s, reference_limits(), {10, 20, 30}, way);
      }),
      StartsWith("probe motion: the machine backs away by 0.300 mm before the touch (Tool.Radius 0.5); free: "
                 "0.200 mm"));
}

TEST(IppTouch, UsesTheLeastThatTheMachineAllows) {
  const CmmSettings s = moving_cell();
  const Xyz from{10, 20, 30};
  ProbeWay way = to({11.2, 20, 30}, true);
  way.room.free_mm = 0.8;
  const IppTouch t = plan_touch(s, reference_limits(), from, way);
  const IppTouchWay w = touch_way(s, reference_limits(), t, from, way);
  EXPECT_EQ(t.approach, 1);
  EXPECT_EQ(t.search, 1);
  EXPECT_EQ(t.retract, 1);
  EXPECT_NEAR(w.nominal_mm[0], 11.5, 1e-9);
  EXPECT_THAT(words_of(t, w), HasSubstr("Search 1 mm (to 1.300 mm beyond what was asked for)"));
}

TEST(IppTouch, AFasterMachineIsRefused) {
  CmmSettings s = moving_cell();
  s.ipp.motion->probing_speed_mm_s = 0.5;
  EXPECT_EQ(refusal([&] {
              plan_touch(s, reference_limits(), {10, 20, 30}, to({15, 20, 30}, true));
            }),
            "probe motion: cmm.ipp.motion.probing_speed_mm_per_s = 0.5; the machine's slowest is 1 mm/s");
}

TEST(IppTouch, WhatIsNeverSaid) {
  const CmmSettings s = moving_cell();
  const auto refused = [&](const CmmSettings& c, const Xyz& target) {
    return refusal([&] { check_move(c, {10, 20, 60}, to(target)); });
  };
  EXPECT_EQ(refused(s, {12, 20, 50}), "");
  EXPECT_THAT(refused(testing::ipp_cell(), {4, 6, 50}), StartsWith("probe motion: not allowed"));
  EXPECT_EQ(refused(s, {4, 6, 99.6}),
            "probe motion: target Z = 99.6000 mm, with the tip's radius of 0.5 mm, is outside the box of "
            "motion, 0 to "
            "100 mm");
  EXPECT_THAT(refusal([&] {
                check_move(s, {0.4, 1, 50}, to({1, 1, 50}));
              }),
              StartsWith("probe motion: start X = 0.4000 mm"));
  EXPECT_EQ(refused(s, {std::numeric_limits<double>::quiet_NaN(), 0, 0}),
            "probe motion: a target that is no number");
  EXPECT_THAT(refusal([&] {
                check_move(s, {1, 1, 99}, to({99, 99, 40}));
              }),
              HasSubstr("mm at once; allowed: 100 mm"));
  CmmSettings limited = s;
  limited.axes[1].max_mm = 5;
  EXPECT_THAT(refusal([&] {
                check_move(limited, {1, 2, 60}, to({4, 6, 60}));
              }),
              HasSubstr("target Y = 6.0000 mm is outside its axis, -1000000 to 5 mm"));
}

// Both ends are free, the path is not: through the plate from beside the bore, and from one bore to above
// another.
TEST(IppTouch, TheWayIsLookedAtNotItsEnds) {
  const CmmSettings s = moving_cell();
  EXPECT_EQ(refusal([&] { check_move(s, {10, 20, 33}, to({10, 20, 30})); }), "") << "down the axis";
  EXPECT_THAT(refusal([&] { check_move(s, {30, 20, 32}, to({10, 20, 30})); }), HasSubstr("not surely free"));
  EXPECT_THAT(refusal([&] { check_move(s, {30, 20, 30}, to({10, 20, 33})); }), HasSubstr("not surely free"));
  EXPECT_EQ(refusal([&] { check_move(s, {14.2, 20, 30}, to({10, 20, 30})); }), "") << "from the wall inwards";
  EXPECT_THAT(refusal([&] {
                check_move(s, {10, 20, 30}, to({14.2, 20, 30}));
              }),
              HasSubstr("not surely free"));
  EXPECT_THAT(refusal([&] { check_move(s, {10, 20, 30}, to({10, 20, 28})); }), HasSubstr("not surely free"));
}

}  // namespace
}  // namespace datum
