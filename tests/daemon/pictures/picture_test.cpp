#include "daemon/pictures/picture.h"

#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <set>

#include "daemon/pictures/picture_map.h"
#include "daemon/pictures/picture_parts.h"
#include "daemon/pictures/picture_warp.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

/// A board of 40 x 30 mm with pixels of 0.1 mm, flat except for two bodies of 1 mm; a corner without heights.
HeightFrame frame_of(int rows = 300, int cols = 400) {
  HeightFrame f;
  f.rows = rows;
  f.cols = cols;
  f.x = f.y = {40.0 / cols, 0};
  f.z = {0.001, 0};
  f.sensor_serial = "S1";
  f.frame_id = "000007";
  std::vector<std::int16_t> counts(f.size(), 0);
  f.classes.assign(f.size(), PixelClass::ok);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      const double x = f.x.at(c), y = f.y.at(r);
      const std::size_t i = static_cast<std::size_t>(r) * cols + c;
      const bool body = std::abs(y - 10) < 2 && (std::abs(x - 10) < 3 || std::abs(x - 28) < 3);
      if (body) counts[i] = 1000;
      if (x < 4 && y < 3) f.classes[i] = PixelClass::no_data;
    }
  }
  f.counts = counts;
  return f;
}

Recipe recipe_of() {
  Recipe r;
  r.name = "two";
  r.board_size_mm = {40, 30};
  r.in_machine_coordinates = false;
  r.floor.inner_margin_mm = 1;
  r.floor.outer_margin_mm = 3;
  for (const char* reference : {"U1", "U2"}) {
    Component c;
    c.reference = reference;
    c.body = {{r.components.empty() ? 10.0 : 28.0, 10}, {6, 4}, 0};
    r.components.push_back(c);
  }
  return r;
}

BoardVerdict verdict_of(Decision first, Decision second) {
  BoardVerdict v;
  v.decision = std::max(first, second);
  v.recipe = "two";
  v.frame_id = "000007";
  v.sensor_serial = "S1";
  for (const auto& [reference, decision] : {std::pair{"U1", first}, std::pair{"U2", second}}) {
    ComponentVerdict c;
    c.reference = reference;
    c.decision = decision;
    v.components.push_back(c);
  }
  return v;
}

struct Scene {
  HeightFrame frame = frame_of();
  Recipe recipe = recipe_of();
  Htm<Sensor, Board> pose;
  PictureMap map{frame, pose, 1600};
  /// Pixel of the map's origin in the picture.
  PixelPoint origin(const Canvas& canvas) const {
    // margin 14 at the left; footer and lower margins are equal for all verdicts with one line of identity
    for (int y = 0; y < canvas.height(); ++y)
      if (canvas.at(14, y) == height_colors()[0] || canvas.at(14, y) == Rgb{128, 128, 128})
        return {14.0, double(y)};
    return {};
  }
  Rgb at_board(const Canvas& canvas, double x_mm, double y_mm) const {
    const PixelPoint p = map.of_board({x_mm, y_mm}), o = origin(canvas);
    return canvas.at(static_cast<int>(std::lround(p.x + o.x)), static_cast<int>(std::lround(p.y + o.y)));
  }
};

TEST(Picture, OutlinesHaveTheColourOfTheirVerdict) {
  const Scene s;
  for (const Decision d : {Decision::pass, Decision::fail}) {
    const Canvas canvas = draw_picture(s.frame, s.recipe, verdict_of(d, Decision::pass), s.pose);
    EXPECT_EQ(s.at_board(canvas, 7, 10), color_of(d));                // left edge of U1's body
    EXPECT_EQ(s.at_board(canvas, 10, 8), color_of(d));                // its lower edge
    EXPECT_EQ(s.at_board(canvas, 6, 10), color_of(d));                // the ring's inner edge
    EXPECT_EQ(s.at_board(canvas, 4, 10), color_of(d));                // and its outer edge
    EXPECT_EQ(s.at_board(canvas, 25, 10), color_of(Decision::pass));  // U2 has its own verdict
  }
}

TEST(Picture, DashedAndDottedLinesStillShowTheirColour) {
  const Scene s;
  for (const Decision d : {Decision::inconclusive, Decision::invalid}) {
    const Canvas canvas = draw_picture(s.frame, s.recipe, verdict_of(d, Decision::pass), s.pose);
    int coloured = 0;
    for (int k = 0; k < 40; ++k) coloured += s.at_board(canvas, 7, 8.05 + 0.0975 * k) == color_of(d);
    EXPECT_GT(coloured, 12) << name_of(d);
    EXPECT_LT(coloured, 40) << name_of(d);
  }
}

TEST(Picture, HeightsHaveTheirColourAndWhatIsMissingIsGrey) {
  const Scene s;
  const Canvas canvas = draw_picture(s.frame, s.recipe, verdict_of(Decision::pass, Decision::pass), s.pose);
  EXPECT_EQ(s.at_board(canvas, 8, 9), height_colors()[255]);  // top of U1: the 99 % quantile
  EXPECT_EQ(s.at_board(canvas, 20, 25), height_colors()[0]);  // floor
  EXPECT_EQ(s.at_board(canvas, 1, 1), (Rgb{128, 128, 128}));  // no height
  // the board's origin is at the lower left: the grey corner is in the map's last row
  const PixelPoint p = s.map.of_board({0, 0});
  EXPECT_NEAR(p.x, 0, 1);
  EXPECT_NEAR(p.y, s.map.height() - 1, 1);
}

TEST(Picture, ABoardThatLiesTurnedUnderTheSensorIsDrawnUpright) {
  const HeightFrame frame = frame_of();
  for (int quarters = 0; quarters < 4; ++quarters) {
    Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
    const double c[] = {1, 0, -1, 0}, s[] = {0, 1, 0, -1};
    m.topLeftCorner<2, 2>() << c[quarters], -s[quarters], s[quarters], c[quarters];
    const PictureMap map(frame, Htm<Sensor, Board>(m), 1600);
    const PixelPoint origin = map.of_board({0, 0}), x = map.of_board({1, 0}), y = map.of_board({0, 1});
    EXPECT_NEAR(x.x - origin.x, 1 / map.mm_per_px(), 1e-9) << quarters;
    EXPECT_NEAR(x.y, origin.y, 1e-9) << quarters;
    EXPECT_NEAR(origin.y - y.y, 1 / map.mm_per_px(), 1e-9) << quarters;
    EXPECT_EQ(map.width(), quarters % 2 == 0 ? 800 : 600) << quarters;  // 400 x 300 drawn twice as large
    // A point of the frame is at the place of its height: the corner without heights is at (0, 0).
    const HeightImage image = map.heights();
    const Eigen::Vector3d corner = Htm<Sensor, Board>(m).inverse() * Eigen::Vector3d(1, 1, 0);
    const PixelPoint p = map.of_board(corner.head<2>());
    EXPECT_TRUE(std::isnan(
        image.um[static_cast<std::size_t>(std::lround(p.y)) * static_cast<std::size_t>(image.width) +
                 static_cast<std::size_t>(std::lround(p.x))]))
        << quarters;
  }
}

TEST(Picture, LargeFramesAreShrunkByTheMeanOfValidPixels) {
  HeightFrame frame = frame_of();
  auto& counts = std::get<std::vector<std::int16_t>>(frame.counts);
  counts[150 * 400 + 200] = 30;
  counts[150 * 400 + 201] = 10;
  counts[151 * 400 + 200] = 20;
  frame.classes[151 * 400 + 201] = PixelClass::no_data;
  const PictureMap map(frame, {}, 200);  // blocks of 2 x 2
  EXPECT_EQ(map.width(), 200);
  EXPECT_EQ(map.height(), 150);
  EXPECT_DOUBLE_EQ(map.mm_per_px(), 0.2);
  EXPECT_FLOAT_EQ(map.heights().um[(149 - 75) * 200 + 100],
                  20);  // mean of 30, 10, 20; row 75 counted from below
}

TEST(Picture, TheStretchIsNearestRank) {
  HeightImage image{10, 10, {}};
  for (int i = 100; i >= 1; --i) image.um.push_back(static_cast<float>(i));
  image.um[0] = std::nanf("");  // 100 is removed: 1 .. 99
  const picture::Stretch s = picture::stretch_of(image, 0.05, 0.9);
  EXPECT_EQ(s.low_um, 5);    // ceil(0.05 * 99) = 5
  EXPECT_EQ(s.high_um, 90);  // ceil(0.9 * 99) = 90
  EXPECT_EQ(picture::stretch_of({1, 1, {std::nanf("")}}, 0.05, 0.9).high_um, 1);
}

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Picture, TheSameBoardGivesTheSamePng) {
  const Scene s;
  const fs::path folder = fs::path(::testing::TempDir()) / "datum_picture";
  fs::create_directories(folder);
  const BoardVerdict verdict = verdict_of(Decision::fail, Decision::invalid);
  write_picture(folder / "a.png", s.frame, s.recipe, verdict, s.pose);
  write_picture(folder / "b.png", s.frame, s.recipe, verdict, s.pose);
  write_picture(folder / "c.png", s.frame, s.recipe, verdict_of(Decision::pass, Decision::pass), s.pose);
  EXPECT_EQ(bytes_of(folder / "a.png"), bytes_of(folder / "b.png"));
  EXPECT_NE(bytes_of(folder / "a.png"), bytes_of(folder / "c.png"));
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_TRUE(png_image_begin_read_from_file(&image, (folder / "a.png").c_str())) << image.message;
  const Canvas canvas = draw_picture(s.frame, s.recipe, verdict, s.pose);
  EXPECT_EQ(static_cast<int>(image.width), canvas.width());
  EXPECT_EQ(static_cast<int>(image.height), canvas.height());
  png_image_free(&image);
  fs::remove_all(folder);
}

/// A bow of 200 um along x, measured at 9 x 7 places; `corner`: with the last of them.
BoardVerdict bowed(bool corner) {
  BoardVerdict v = verdict_of(Decision::pass, Decision::pass);
  ComponentVerdict& row = v.components.emplace_back();
  row.reference = "BOARD";
  row.decision = Decision::pass;
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
  bow.value = 0.5;
  bow.u = 0.01;
  bow.decision = Decision::pass;
  return v;
}

/// The map is 900 pixels wide; its upper left corner follows the margin and the header of one line.
constexpr int warp_left = 14, warp_top = 28 + 36;

TEST(WarpPicture, TheMiddleOfABowIsLightAndContoursLieBetween) {
  const auto canvas = draw_warp_picture(recipe_of(), bowed(true));
  ASSERT_TRUE(canvas);
  const auto lightness = [&](int x, int y) { return oklab_of(canvas->at(warp_left + x, warp_top + y)).l; };
  EXPECT_GT(lightness(450, 500), 0.85) << "high is light";
  EXPECT_LT(lightness(4, 500), 0.35);
  EXPECT_LT(lightness(894, 500), 0.35) << "the slope of 3 um/mm is no form";
  // 200 um above its plane in steps of 20 um: 10 steps, and each level crosses a line of pixels twice
  int lines = 0;
  const auto contour = [&](int x) { return canvas->at(warp_left + x, warp_top + 500) == picture::halo; };
  for (int x = 1; x < 899; ++x) lines += contour(x) && !contour(x - 1);
  EXPECT_GE(lines, 16);
  EXPECT_LE(lines, 20);
}

TEST(WarpPicture, WhatWasNotSeenIsGrey) {
  const auto canvas = draw_warp_picture(recipe_of(), bowed(false));
  ASSERT_TRUE(canvas);
  EXPECT_EQ(canvas->at(warp_left + 892, warp_top + 8), picture::no_height);
  EXPECT_NE(canvas->at(warp_left + 892, warp_top + 660), picture::no_height);
}

TEST(WarpPicture, LiesBesideTheBoardsWhereThereIsASurface) {
  const Scene s;
  const fs::path folder = fs::path(::testing::TempDir()) / "datum_warp_picture";
  fs::remove_all(folder);
  fs::create_directories(folder);
  write_picture(folder / "a.png", s.frame, s.recipe, bowed(true), s.pose);
  write_picture(folder / "b.png", s.frame, s.recipe, bowed(true), s.pose);
  EXPECT_EQ(bytes_of(folder / "a-warp.png"), bytes_of(folder / "b-warp.png"));
  EXPECT_FALSE(bytes_of(folder / "a-warp.png").empty());
  BoardVerdict none = bowed(true);
  none.components.back().warp->lambda = 0;
  write_picture(folder / "c.png", s.frame, s.recipe, none, s.pose);
  EXPECT_FALSE(fs::exists(folder / "c-warp.png"));
  fs::remove_all(folder);
}

TEST(Picture, AFolderThatIsNotThereIsNamed) {
  const Scene s;
  try {
    write_picture("/nonexistent/a.png", s.frame, s.recipe, verdict_of(Decision::pass, Decision::pass),
                  s.pose);
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("/nonexistent/a.png"), std::string::npos) << e.what();
  }
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
    last = l;
  }
}

TEST(Canvas, TextIsDrawnInItsGlyphsAndNothingOutside) {
  Canvas canvas(20, 10, {0, 0, 0});
  canvas.text(1, 1, "I", {9, 9, 9}, 1);
  EXPECT_EQ(canvas.at(2, 1), (Rgb{9, 9, 9}));  // .###.
  EXPECT_EQ(canvas.at(1, 1), (Rgb{0, 0, 0}));
  EXPECT_EQ(canvas.at(3, 4), (Rgb{9, 9, 9}));  // ..#..
  EXPECT_EQ(canvas.at(2, 4), (Rgb{0, 0, 0}));
  canvas.text(8, 1, "L", {9, 9, 9}, 1);
  EXPECT_EQ(canvas.at(8, 1), (Rgb{9, 9, 9}));  // #....
  EXPECT_EQ(canvas.at(12, 1), (Rgb{0, 0, 0}));
  canvas.text(-3, 8, "WWWWWW", {9, 9, 9}, 3);  // clipped at the image's border
  EXPECT_EQ(Canvas::text_width("AB", 2), 22);
  EXPECT_THROW(Canvas(0, 10, {}), std::invalid_argument);
}

}  // namespace
}  // namespace datum
