// The board's form, scales of colours, and the page itself.
#include "daemon/pictures/picture_warp.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <set>

#include "daemon/pictures/color_scale.h"
#include "daemon/pictures/picture.h"
#include "daemon/pictures/picture_parts.h"
#include "tests/daemon/pictures/drawn_boards.h"
#include "tests/daemon/pictures/page_checks.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace picture_warp_test {
namespace {

namespace fs = std::filesystem;
using testing::all_text, testing::bytes_of, testing::expect_readable;
using testing::DrawnBoard;
using ::testing::HasSubstr;

/// A bow of 200 um along x, measured at 9 x 7 places; `corner`: with the last of them.
DrawnBoard bowed(bool corner) {
  DrawnBoard b(40, 30, 0.1);
  b.add("U1", {{10, 10}, {6, 4}, 0}, 1000, 1000);
  ComponentVerdict& row = b.verdict.components.emplace_back();
  row.reference = "BOARD";
  row.decision = Decision::fail;
  row.warp.emplace();
  row.warp->lambda = 1e-8;
  for (int j = 0; j < 7; ++j)
    for (int i = 0; i < 9; ++i) {
      if (!corner && i == 8 && j == 6) continue;
      const double x = 5.0 * i, u = x / 20 - 1;
      row.warp->knots.push_back({"K", x, 5.0 * j, 200 * (1 - u * u) + 3 * x, 0.5});
    }
  row.warp->hull_mm = {{0, 0}, {40, 0}, {40, 25}, {35, 30}, {0, 30}};
  if (corner) row.warp->hull_mm = {{0, 0}, {40, 0}, {40, 30}, {0, 30}};
  CheckVerdict& bow = row.checks.emplace_back();
  bow.check.characteristic = Characteristic::bow;
  bow.check.upper = 0.45;
  bow.value = 0.5;
  bow.u = 0.01;
  bow.decision = Decision::fail;
  return b;
}

/// The map is 900 pixels wide; its upper left corner follows the header and the line of one check.
struct WarpMap {
  PixelImage image;
  PagePoint corner;
  WarpMap(const DrawnBoard& b, const Page& page) : image(page.pixels()) {
    using picture::margin, picture::axis_left;
    const double header = picture::header_height({Decision::fail, "", picture::words_of(b.verdict)},
                                                 page.box().width - 2 * margin);
    corner = {margin + axis_left, std::ceil(2 * margin + header + Page::height_of() + 8)};
  }
  Rgb at(int x, int y) const {
    return image.at(static_cast<int>(corner.x) + x, static_cast<int>(corner.y) + y);
  }
};

TEST(WarpPicture, TheMiddleOfABowIsLightAndContoursLieBetween) {
  const DrawnBoard b = bowed(true);
  const auto page = draw_warp_picture(b.recipe, b.verdict);
  ASSERT_TRUE(page);
  const WarpMap map(b, *page);
  const auto lightness = [&](int x, int y) { return oklab_of(map.at(x, y)).l; };
  EXPECT_GT(lightness(455, 250), 0.85) << "high is light";
  EXPECT_LT(lightness(4, 250), 0.4);
  EXPECT_LT(lightness(894, 250), 0.4) << "the slope of 3 um/mm is no form";
  // 200 um above its plane in steps of 20 um: 10 steps, and each level crosses a line of pixels twice
  int lines = 0;
  const auto dark = [&](int x) {
    return lightness(x, 250) < lightness(x - 3, 250) - 0.2 &&
           lightness(x, 250) < lightness(x + 3, 250) - 0.08;
  };
  for (int x = 4; x < 896; ++x) lines += dark(x) && !dark(x - 1);
  EXPECT_GE(lines, 10);
  EXPECT_LE(lines, 20);
}

TEST(WarpPicture, StatesKLimitsAndReferences) {
  const DrawnBoard b = bowed(true);
  const auto page = draw_warp_picture(b.recipe, b.verdict);
  ASSERT_TRUE(page);
  expect_readable(*page);
  EXPECT_THAT(all_text(*page),
              HasSubstr("bow 0.5 percent, U (k=2) = 0.02, limit 0.45 (IPC-TM-650 2.4.22): FAIL"));
  EXPECT_THAT(all_text(*page), HasSubstr("U1"));
  EXPECT_THAT(all_text(*page), HasSubstr("board x, mm"));
}

TEST(WarpPicture, WhatWasNotSeenIsStriped) {
  const DrawnBoard b = bowed(false);
  const auto page = draw_warp_picture(b.recipe, b.verdict);
  ASSERT_TRUE(page);
  const WarpMap map(b, *page);
  std::set<int> seen;
  for (int k = 0; k < 6; ++k) seen.insert(map.at(890 + k, 8).r);
  EXPECT_EQ(seen, (std::set<int>{picture::no_value(0, 0).r, picture::no_value(3, 0).r}));
  EXPECT_LT(oklab_of(map.at(892, 640)).l, 0.4);
}

TEST(WarpPicture, LiesBesideTheBoardsWhereThereIsASurface) {
  testing::FreshFolder folder;
  DrawnBoard b = bowed(true);
  write_picture(folder / "a.png", b.frame, b.recipe, b.verdict, {});
  EXPECT_FALSE(bytes_of(folder / "a-warp.png").empty());
  b.verdict.components.back().warp->lambda = 0;
  write_picture(folder / "c.png", b.frame, b.recipe, b.verdict, {});
  EXPECT_FALSE(fs::exists(folder / "c-warp.png"));
}

TEST(ColorScale, TheStretchIsNearestRankAndStatesWhatLiesBeyond) {
  std::vector<float> um;
  for (int i = 100; i >= 1; --i) um.push_back(static_cast<float>(i));
  um[0] = std::nanf("");  // 100 is removed: 1 .. 99
  const picture::ColorScale s = picture::height_scale(um, 0.05, 0.9, 0);
  EXPECT_EQ(s.low, 5);    // ceil(0.05 * 99) = 5
  EXPECT_EQ(s.high, 90);  // ceil(0.9 * 99) = 90
  EXPECT_NEAR(s.share_below, 4 / 99.0, 1e-12);
  EXPECT_NEAR(s.share_above, 9 / 99.0, 1e-12);
  EXPECT_EQ(s.lowest, 1);
  EXPECT_EQ(s.highest, 99);
  EXPECT_EQ(picture::height_scale(std::vector<float>{std::nanf("")}, 0.05, 0.9, 0).high, 1);
  Page page(200, 300, picture::paper);
  picture::draw_color_bar(page, {0, 0, 128, 300}, s);
  EXPECT_THAT(all_text(page), HasSubstr("9.1 % above,\nto 99"));
  EXPECT_THAT(all_text(page), HasSubstr("4 % below,\nto 1\n"));
  expect_readable(page);
}

TEST(ColorScale, AKneeKeepsLowPartsApart) {
  std::vector<float> um;
  for (int i = 0; i <= 6000; ++i) um.push_back(static_cast<float>(i));
  const picture::ColorScale s = picture::height_scale(um, 0, 1, 500);
  EXPECT_EQ(s.knee, 500);
  EXPECT_GT(s.part_of(500), 0.25) << "of 0.083 on a linear scale";
  for (const double v : {0.0, 1.0, 499.0, 501.0, 3000.0, 6000.0})
    EXPECT_NEAR(s.value_at(s.part_of(v)), v, 1e-6) << v;
  EXPECT_EQ(picture::height_scale(um, 0, 1, 1500).knee, 0) << "6000 is not much more than 1500";
}

TEST(ColorMap, StepsAreEqualAndLightnessOnlyRises) {
  // A step of the path is about 1.02 / 255 = 0.004. Rounding to bytes moves a colour by up to 0.5 / 255 in each of three
  // channels, at most 0.003 in OKLab. Over 16 steps (0.064) that is 10 %.
  const auto& colors = height_colors();
  const auto distance = [](const OkLab& p, const OkLab& q) {
    return std::hypot(p.l - q.l, p.a - q.a, p.b - q.b);
  };
  double total = 0;
  for (std::size_t k = 0; k + 16 < 256; k += 16)
    total += distance(oklab_of(colors[k]), oklab_of(colors[k + 16]));
  for (std::size_t k = 0; k + 16 < 256; k += 16) {
    const OkLab p = oklab_of(colors[k]), q = oklab_of(colors[k + 16]);
    EXPECT_NEAR(distance(p, q), total / 15, 0.1 * total / 15) << k;
    EXPECT_GT(q.l, p.l) << k;
  }
}

TEST(ColorMap, VerdictsDifferInLightnessToo) {
  std::set<double> lightness;
  for (const Decision d : {Decision::pass, Decision::inconclusive, Decision::fail, Decision::invalid})
    lightness.insert(oklab_of(color_of(d)).l);
  double last = -1;
  for (double l : lightness) {
    EXPECT_GT(l - last, 0.04);  // twice the just noticeable difference of 0.02
    EXPECT_LT(l, 0.7) << "readable on white";
    last = l;
  }
}

TEST(Page, TextFillsItsBoxAndNothingElse) {
  Page page(120, 60, {255, 255, 255});
  page.text({20, 20}, "Hxg", {0, 0, 0});
  const PageBox box = page.texts().front().box;
  const PixelImage image = page.pixels();
  int inked = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      if (image.at(x, y) == Rgb{255, 255, 255}) continue;
      ++inked;
      EXPECT_TRUE(PageBox({double(x), double(y), 1, 1}).within(box.grown(1))) << x << " " << y;
    }
  EXPECT_GT(inked, 60);
  EXPECT_THROW(Page(0, 10, {}), std::invalid_argument);
  EXPECT_THROW(page.line({{0, 0}, {std::nan(""), 3}}, {{}, 1}), std::invalid_argument);
}

}  // namespace
}  // namespace picture_warp_test
}  // namespace datum
