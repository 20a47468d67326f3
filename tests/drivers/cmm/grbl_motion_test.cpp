#include "drivers/cmm/grbl_motion.h"

#include <gmock/gmock.h>

#include <limits>

#include "drivers/cmm/presets.h"
#include "tests/refusal.h"

namespace datum::grbl_motion_test {
namespace {

using ::testing::HasSubstr;

constexpr MotionSettings allowed{true, 120, 50};

TEST(GrblMotion, GoesTheDifferenceAndStopsAtContact) {
  EXPECT_EQ(grbl_move_until_contact(grbl_1_1(), allowed, {1, 2, 3}, {4.5, 2, 1.25}),
            "G21 G91 G94 G38.3 X3.500 Z-1.750 F120\n");
  EXPECT_EQ(grbl_move_back(grbl_1_1(), allowed, {4.5, 2, 1.25}, {1, 2, 3}),
            "G21 G91 G94 G1 X-3.500 Z1.750 F120\n");
  EXPECT_EQ(grbl_move_back(grbl_1_1(), allowed, {1, 2, 3}, {1, 2, 3.0001}), "");
}

// A reversed axis, and one of another scale: the reader's conversion is inverted.
TEST(GrblMotion, SpeaksInTheDevicesOwnAxes) {
  CmmSettings settings = grbl_1_1();
  settings.axes[0].reversed = true;
  settings.axes[1].scale = 2;
  settings.axes[0].machine_axis = 2;
  settings.axes[2].machine_axis = 0;
  EXPECT_EQ(grbl_move_until_contact(settings, allowed, {0, 0, 0}, {1, 2, 3}),
            "G21 G91 G94 G38.3 X-3.000 Y1.000 Z1.000 F120\n");
}

TEST(GrblMotion, IsOffUnlessAllowedAndKeepsToItsLimits) {
  const auto with = [](CmmSettings cmm, MotionSettings motion, std::array<double, 3> to) {
    return testing::refusal_of<RefusedError>([&] { grbl_move_until_contact(cmm, motion, {0, 0, 0}, to); });
  };
  EXPECT_THAT(with(grbl_1_1(), {}, {1, 0, 0}), HasSubstr("probe motion: not allowed"));
  EXPECT_THAT(with(acurite_vro(), allowed, {1, 0, 0}), HasSubstr("preset acurite_vro takes no commands"));
  EXPECT_EQ(with(grbl_1_1(), allowed, {51, 0, 0}), "probe motion: 51.000 mm at once; allowed: 50 mm");
  EXPECT_THAT(with(grbl_1_1(), allowed, {std::numeric_limits<double>::quiet_NaN(), 0, 0}),
              HasSubstr("a position that is no number"));
  EXPECT_THAT(with(grbl_1_1(), {true, 0, 50}, {1, 0, 0}),
              HasSubstr("feed_mm_per_min = 0; allowed: 1 to 10000"));
  CmmSettings cmm = grbl_1_1();
  cmm.axes[1].max_mm = 10;
  EXPECT_EQ(with(cmm, allowed, {0, 11, 0}), "probe motion: Y = 11 mm; allowed: -1000000 to 10 mm");
  cmm = grbl_1_1();
  cmm.axes.pop_back();
  cmm.fixed_mm[2] = 5;
  EXPECT_EQ(with(cmm, allowed, {0, 0, 1}), "probe motion: the device has no axis Z");
}

}  // namespace
}  // namespace datum::grbl_motion_test
