// DataMatrix codes of libzint, read by ZXing: what is printed is read, or nothing is; never anything else.
#include "drivers/codes/data_matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drivers/scanner/settings.h"
#include "tests/drivers/codes/printed_code.h"
#include "tests/refusal.h"

namespace datum {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Print;
using testing::printed;
using ::testing::SizeIs;

const std::string envelope =
    "[)>\x1E"
    "06\x1D"
    "1PPN-4711\x1D"
    "SB0001\x1E\x04";

TEST(DataMatrix, ModulesFromTwoPixelsOnInAnyTurn) {
  for (const double module_px : {2.0, 3.0, 4.0, 6.5, 12.0})
    for (const double turn_deg : {0.0, 7.0, 45.0, 90.0, 133.0, 180.0, 270.0}) {
      if (module_px < 3 && turn_deg != 0 && turn_deg != 90 && turn_deg != 180 && turn_deg != 270) continue;
      Print p;
      p.module_px = module_px;
      p.turn_deg = turn_deg;
      EXPECT_THAT(read_data_matrix(printed("SN-00042", p)), ElementsAre(ReadCode{"SN-00042", false}))
          << module_px << " px, " << turn_deg << " degrees";
    }
}

TEST(DataMatrix, BlurNoiseGlareAndLightOnDark) {
  Print blurred, noisy, glaring, light;
  blurred.module_px = 5;
  blurred.blur_px = 1.5;
  noisy.module_px = 5;
  noisy.noise = 20;
  glaring.module_px = 6;
  glaring.glare_px = 7;
  light.light_on_dark = true;
  for (const Print& p : {blurred, noisy, glaring, light})
    for (const double turn_deg : {0.0, 21.0})
      for (std::uint32_t seed = 1; seed <= 3; ++seed) {
        Print turned = p;
        turned.turn_deg = turn_deg;
        turned.seed = seed;
        EXPECT_THAT(read_data_matrix(printed("SN-00042", turned)), ElementsAre(ReadCode{"SN-00042", false}))
            << "blur " << p.blur_px << ", noise " << p.noise << ", glare " << p.glare_px << ", turn "
            << turn_deg;
      }
}

TEST(DataMatrix, WhatIsTooBadIsNotReadAsSomethingElse) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    Print p;
    p.module_px = 3 + seed % 3;
    p.turn_deg = 17.0 * seed;
    p.noise = 12.0 * (seed % 6);
    p.blur_px = 0.5 * (seed % 4);
    p.glare_px = 3.0 * (seed % 7);
    p.seed = seed;
    for (const ReadCode& code : read_data_matrix(printed("SN-00042", p)))
      EXPECT_EQ(code.bytes, "SN-00042") << seed;
  }
  EXPECT_THAT(read_data_matrix(testing::blank(300, 300)), IsEmpty());
}

TEST(DataMatrix, KeepsTheControlBytesOfAnEnvelope) {
  const auto codes = read_data_matrix(printed(envelope, {}));
  ASSERT_THAT(codes, SizeIs(1));
  EXPECT_EQ(codes[0].bytes, envelope);
  ScanPayload payload;
  payload.format = ScanFormat::iso15434;
  EXPECT_EQ(serial_of(codes[0].bytes, payload).text, "B0001");
}

TEST(DataMatrix, SaysThatACodeIsMirrored) {
  Print p;
  p.mirrored = true;
  EXPECT_THAT(read_data_matrix(printed("SN-1", p)), ElementsAre(ReadCode{"SN-1", true}));
}

TEST(DataMatrix, ReadsEachOfSeveralCodes) {
  GreyImage image = testing::blank(400, 200);
  Print left, right;
  left.centre_x = -90;
  right.centre_x = 90;
  testing::print(image, testing::data_matrix("SN-1"), left);
  testing::print(image, testing::data_matrix("SN-2"), right);
  EXPECT_THAT(read_data_matrix(image), ElementsAre(ReadCode{"SN-1", false}, ReadCode{"SN-2", false}));
}

TEST(DataMatrix, RefusesAnImageThatIsNone) {
  const auto refused = [](const GreyImage& image) {
    return testing::refusal_of<CodeError>([&] { read_data_matrix(image); });
  };
  EXPECT_EQ(refused({0, 0, {}}), "an image of 0 x 0 pixels");
  EXPECT_EQ(refused({100, 100, {1, 2, 3}}), "an image of 100 x 100 pixels");
  EXPECT_EQ(refused({-5, -5, std::vector<std::uint8_t>(25)}), "an image of -5 x -5 pixels");
}

}  // namespace
}  // namespace datum
