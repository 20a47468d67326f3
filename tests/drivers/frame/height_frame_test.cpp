#include "drivers/frame/height_frame.h"

#include <gmock/gmock.h>

#include <functional>
#include <limits>

#include "drivers/frame/frame_error.h"
#include "tests/drivers/frame/make_frame.h"

namespace datum {
namespace {

using ::testing::ElementsAre;
using testing::make_frame;

TEST(HeightFrame, CountsOfEveryKindReadAsMillimetres) {
  HeightFrame frame = make_frame();
  EXPECT_EQ(frame.z_mm(1, 0), 2.0 + 0.001 * 40);
  frame.counts = std::vector<std::int32_t>{0, 0, 70000, 0, -5, 0};
  EXPECT_EQ(frame.z_mm(0, 2), 2.0 + 0.001 * 70000);
  EXPECT_EQ(frame.z_mm(1, 1), 2.0 + 0.001 * -5);
  frame.counts = std::vector<float>{0, 0, 0, 0, 0, 1.5f};
  EXPECT_EQ(frame.z_mm(1, 2), 2.0 + 0.001 * 1.5);
}

TEST(HeightFrame, ZeroIsAHeightUnlessItsClassSaysOtherwise) {
  HeightFrame frame = make_frame();
  frame.counts = std::vector<std::int16_t>(6, 0);
  EXPECT_EQ(frame.count_of(PixelClass::ok), 6u);
  frame.classes[4] = PixelClass::zero_pad;
  EXPECT_EQ(frame.class_at(1, 1), PixelClass::zero_pad);
  EXPECT_EQ(frame.count_of(PixelClass::zero_pad), 1u);
  EXPECT_EQ(frame.count_of(PixelClass::ok), 5u);
}

TEST(HeightFrame, EveryClassAndClockHasItsOwnName) {
  std::vector<std::string> names;
  for (int c = 0; c <= static_cast<int>(PixelClass::unwrap); ++c) {
    names.emplace_back(name_of(static_cast<PixelClass>(c)));
  }
  EXPECT_THAT(names, ElementsAre("OK", "NO_DATA", "SENTINEL", "ZERO_PAD", "SATURATED", "LOW_MODULATION",
                                 "SHADOW", "OUT_OF_RANGE", "SEAM", "SPECKLE", "UNWRAP"));
  EXPECT_STREQ(name_of(ClockDomain::host_monotonic), "host_monotonic");
  EXPECT_STREQ(name_of(ClockDomain::utc), "utc");
}

// Mirroring is x -> -x: the points after it are those before it with x negated. The new offset and each
// coordinate are rounded once, on numbers below 16: 2 x 2^-50 mm.
TEST(Mirror, NegatesXAndKeepsEveryPoint) {
  const HeightFrame before = make_frame();
  HeightFrame after = before;
  after.delivered = Handedness::left;
  mirror_to_right_handed(after);
  for (int row = 0; row < before.rows; ++row) {
    for (int col = 0; col < before.cols; ++col) {
      const int twin = before.cols - 1 - col;
      EXPECT_NEAR(after.x.at(twin), -before.x.at(col), 0x1p-49);
      EXPECT_EQ(after.z_mm(row, twin), before.z_mm(row, col));
      EXPECT_EQ(after.y.at(row), before.y.at(row));
    }
  }
  EXPECT_GT(after.x.scale_mm, 0);
}

TEST(Mirror, MovesClassesAndIntensityWithTheHeights) {
  HeightFrame frame = make_frame();
  frame.delivered = Handedness::left;
  frame.classes[0] = PixelClass::shadow;
  frame.intensity = IntensityImage{2, 3, {1, 2, 3, 4, 5, 6}, 8};
  mirror_to_right_handed(frame);
  EXPECT_EQ(frame.class_at(0, 2), PixelClass::shadow);
  EXPECT_EQ(frame.class_at(0, 0), PixelClass::ok);
  EXPECT_THAT(frame.intensity->grey, ElementsAre(3, 2, 1, 6, 5, 4));
  EXPECT_THAT(std::get<std::vector<std::int16_t>>(frame.counts), ElementsAre(30, 20, 10, 60, 50, 40));
}

TEST(Mirror, HappensOnceAndOnlyToLeftHandedFrames) {
  HeightFrame right = make_frame();
  mirror_to_right_handed(right);
  EXPECT_FALSE(right.mirrored);
  EXPECT_THAT(std::get<std::vector<std::int16_t>>(right.counts), ElementsAre(10, 20, 30, 40, 50, 60));

  HeightFrame left = make_frame();
  left.delivered = Handedness::left;
  mirror_to_right_handed(left);
  const auto once = left.counts;
  EXPECT_TRUE(left.mirrored);
  mirror_to_right_handed(left);
  EXPECT_EQ(left.counts, once);
}

struct Refusal {
  const char* name;
  std::function<void(HeightFrame&)> spoil;
  const char* message;
};

class Check : public ::testing::TestWithParam<Refusal> {};

TEST_P(Check, RefusesWithItsMessage) {
  HeightFrame frame = make_frame();
  EXPECT_NO_THROW(check(frame));
  GetParam().spoil(frame);
  try {
    check(frame);
    FAIL() << "not refused; expected: " << GetParam().message;
  } catch (const FrameError& e) {
    EXPECT_STREQ(e.what(), GetParam().message);
  }
}

constexpr double inf = std::numeric_limits<double>::infinity();

INSTANTIATE_TEST_SUITE_P(
    Frames, Check,
    ::testing::Values(
        Refusal{"empty", [](HeightFrame& f) { f.rows = 0; }, "tiny: the frame is empty (0 rows, 3 columns)"},
        Refusal{"negative", [](HeightFrame& f) { f.cols = -3; },
                "tiny: the frame is empty (2 rows, -3 columns)"},
        Refusal{"huge", [](HeightFrame& f) { f.rows = f.cols = 0x7fffffff; }, "tiny: more than 2^28 pixels"},
        Refusal{"few_heights", [](HeightFrame& f) { f.rows = 3; },
                "tiny: rows x columns is 9 but there are 6 heights and 6 validity classes"},
        Refusal{"few_classes", [](HeightFrame& f) { f.classes.pop_back(); },
                "tiny: rows x columns is 6 but there are 6 heights and 5 validity classes"},
        Refusal{"x_scale", [](HeightFrame& f) { f.x.scale_mm = -0.5; },
                "tiny: axis x has scale -0.5 mm and offset 10 mm; x and y need a positive scale, z one that "
                "is not 0, "
                "all finite"},
        Refusal{"y_far_edge",
                [](HeightFrame& f) {
                  f.y = {1e308, 1e308};
                },
                "tiny: axis y has scale 1e+308 mm and offset 1e+308 mm; x and y need a positive scale, z one "
                "that is "
                "not 0, all finite"},
        Refusal{"z_scale", [](HeightFrame& f) { f.z.scale_mm = 0; },
                "tiny: axis z has scale 0 mm and offset 2 mm; x and y need a positive scale, z one that is "
                "not 0, all "
                "finite"},
        Refusal{"z_offset", [](HeightFrame& f) { f.z.offset_mm = inf; },
                "tiny: axis z has scale 0.001 mm and offset inf mm; x and y need a positive scale, z one "
                "that is not "
                "0, all finite"},
        Refusal{"serial", [](HeightFrame& f) { f.sensor_serial.clear(); }, "tiny: no sensor serial number"},
        Refusal{"id", [](HeightFrame& f) { f.frame_id.clear(); }, "tiny: no frame id"},
        Refusal{"id_control", [](HeightFrame& f) { f.frame_id = "7\n8"; },
                "tiny: the frame id has a character that is not printable ASCII"},
        Refusal{"job", [](HeightFrame& f) { f.job = "\xff"; },
                "tiny: the job name has a character that is not printable ASCII"},
        Refusal{"intensity",
                [](HeightFrame& f) {
                  f.intensity = IntensityImage{2, 2, {1, 2, 3, 4}, 8};
                },
                "tiny: the intensity image has 2 x 2 pixels, the height map 2 x 3"},
        Refusal{"not_finite",
                [](HeightFrame& f) { f.counts = std::vector<float>{0, 0, 0, 0, static_cast<float>(inf), 0}; },
                "tiny: row 1, column 1 is classed OK but its height is not finite"}),
    [](const auto& info) { return info.param.name; });

TEST(Check, AcceptsANegativeHeightScaleAndUnmeasuredNan) {
  HeightFrame frame = make_frame();
  frame.z.scale_mm = -0.001;
  frame.counts = std::vector<float>{0, 0, 0, 0, std::numeric_limits<float>::quiet_NaN(), 0};
  frame.classes[4] = PixelClass::no_data;
  EXPECT_NO_THROW(check(frame));
}

}  // namespace
}  // namespace datum
