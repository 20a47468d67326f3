// What an operator looks at: faces where they were seen, residuals as long as they are.
#include "daemon/calibration/calibration_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/calibration/calibration_page.h"

namespace datum {
namespace {

/// 40 x 20 pixels, one without a height in its corner of lowest row and column; the upper half belongs to LL.
struct Seen {
  HeightFrame frame;
  std::vector<std::int8_t> face_of;
  Seen() : face_of(800, -1) {
    frame.rows = 20;
    frame.cols = 40;
    frame.x = {0.1, 0};
    frame.y = {0.1, 0};
    frame.z = {0.001, 0};
    frame.counts = std::vector<std::int16_t>(800, 7);
    frame.classes.assign(800, PixelClass::ok);
    frame.classes[0] = PixelClass::no_data;
    for (std::size_t i = 400; i < 800; ++i) face_of[i] = static_cast<std::int8_t>(index_of(Face::ll));
  }
};

/// How many pixels have about this hue: the face's colour, darkened by any height.
int count_of(const Page& page, Rgb hue) {
  int n = 0;
  for (const Rgb& c : page.pixels().pixels) {
    const double f = static_cast<double>(c.b) / hue.b;
    if (f > 0.4 && f < 1.01 && std::abs(c.r - f * hue.r) < 3 && std::abs(c.g - f * hue.g) < 3) ++n;
  }
  return n;
}

TEST(CalibrationPicture, ShowsEachFaceWhereItWasSeen) {
  const Seen seen;
  const Page page = draw_scan(seen.frame, seen.face_of, "t");
  const PixelImage image = page.pixels();
  constexpr int legend = 18 * 16, border = 2 * (18 + 16);  // of a swatch that begins between pixels
  EXPECT_NEAR(count_of(page, color_of(Face::ll)), 400 + legend, border + 80);
  EXPECT_NEAR(count_of(page, color_of(Face::lp)), legend, border);
  // Row 0 is the lowest: y up. The one pixel without a height is at the lower left.
  const auto face = [&](int y) {
    const Rgb c = image.at(30, y);
    return c.b > c.r + 40;
  };
  int first = 0, last = 0;
  for (int y = 0; y < 60; ++y)
    if (face(y)) {
      first = first == 0 ? y : first;
      last = y;
    }
  EXPECT_NEAR(last - first, 9, 1) << "LL has the upper rows";
  const Rgb corner = image.at(16, first + 19), beside = image.at(18, first + 19);
  EXPECT_NE(corner, beside) << "below them the pixel without a height";
  const Page nothing = draw_scan(seen.frame, {}, "t");
  EXPECT_EQ(count_of(nothing, color_of(Face::ll)), 0);
  constexpr Rgb red{205, 32,
                    20};  // of nothing else; how many pixels a sentence has depends on the font's rendering
  EXPECT_GT(count_of(nothing, red), count_of(page, red)) << "it says so in red";
}

TEST(CalibrationPicture, DrawsResidualsToScale) {
  const auto red = [](double rms_um) {
    return count_of(draw_residuals({{"LP scan", 100, rms_um}, {"LP touch", 4, 10}}, 50, "t"), {205, 32, 20});
  };
  const int line = red(10);
  EXPECT_GT(red(60), line + 1000) << "beyond the limit it is red";
  EXPECT_LE(red(49), line + 100);
  const auto length = [](double rms_um) {
    const Page c = draw_residuals({{"LP scan", 100, 50}, {"SL scan", 1, rms_um}}, 50, "t");
    return count_of(c, color_of(Face::sl));
  };
  // 640 pixels stand for 1.05 * 50 um, 22 high: 25 um more are 305 columns, one more or less by rounding.
  EXPECT_NEAR((length(35) - length(10)) / 22.0, 25 * 640 / 52.5, 2);
}

TEST(CalibrationPage, SaysWhatItRestsOnAndEscapesIt) {
  ArtefactDrawing drawing;
  drawing.serial = "AS<1>";
  CalibrationSession session(drawing, "J. \"M\" & Co", 20.5, MachineSetup{});
  const std::string page = page_of(session, {"accepted as x", "2026-03-01T08:30:00Z", "S1", "0.1.0",
                                             "x.jsonl", "x_scan.png", "x_residuals.png"});
  using ::testing::HasSubstr;
  EXPECT_THAT(page, HasSubstr("accepted as x"));
  EXPECT_THAT(page, HasSubstr("J. &quot;M&quot; &amp; Co"));
  EXPECT_THAT(page, HasSubstr("AS&lt;1>"));
  EXPECT_THAT(page, ::testing::Not(HasSubstr("AS<1>")));
  EXPECT_THAT(page, HasSubstr("<img src=\"x_scan.png\""));
  EXPECT_THAT(page, HasSubstr("scan: needed"));
}

}  // namespace
}  // namespace datum
