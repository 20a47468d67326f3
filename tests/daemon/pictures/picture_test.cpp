#include "daemon/pictures/picture.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <set>

#include "daemon/inspection/verdict/fault_text.h"
#include "daemon/pictures/color_scale.h"
#include "daemon/pictures/picture_map.h"
#include "daemon/pictures/picture_parts.h"
#include "daemon/pictures/picture_warp.h"
#include "tests/daemon/pictures/drawn_boards.h"
#include "tests/daemon/pictures/page_checks.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace picture_test {
namespace {

namespace fs = std::filesystem;
using testing::all_text, testing::bytes_of, testing::expect_readable;
using ::testing::Contains;
using testing::DrawnBoard;
using ::testing::HasSubstr;
using ::testing::Not;

Page drawn(const DrawnBoard& b, BoardValues values = BoardValues::heights) {
  return draw_picture(b.frame, b.recipe, b.verdict, {}, values);
}

/// The map's place: margin and axis at the left, margins and the header above.
struct Map {
  BoardWindow window;
  Map(const DrawnBoard& b, const Page& page) : window(PictureMap(b.frame, {}).whole(1600)) {
    using namespace picture;
    const Header header{b.verdict.decision, "", words_of(b.verdict)};
    window.corner = {margin + axis_left, 2 * margin + header_height(header, page.box().width - 2 * margin)};
  }
  Rgb pixel(const PixelImage& image, double x_mm, double y_mm) const {
    const PagePoint p = window.at({x_mm, y_mm});
    return image.at(static_cast<int>(p.x), static_cast<int>(p.y));
  }
  PageBox body(const Component& c) const { return bounds_of(window.corners(c.body)); }
};

struct BoardPicture : ::testing::TestWithParam<std::tuple<const char*, BoardValues>> {
  DrawnBoard board = std::string(std::get<0>(GetParam())) == "connector" ? testing::connector_board()
                                                                         : testing::large_board();
  Page page = drawn(board, std::get<1>(GetParam()));
};

TEST_P(BoardPicture, TextsOverlapNeitherEachOtherNorTheEdgeOfThePage) { expect_readable(page); }

TEST_P(BoardPicture, LabelsLieOverNoOtherBody) {
  const Map map(board, page);
  const PageBox whole = map.window.box();
  std::size_t labels = 0;
  for (const Page::Text& t : page.texts()) {
    if (!t.box.within(whole)) continue;
    ++labels;
    for (const Component& c : board.recipe.components) {
      const bool own = t.box.within(map.body(c));
      EXPECT_FALSE(t.box.overlaps(map.body(c)) && !own) << t.text << " over " << c.reference;
    }
  }
  EXPECT_GE(labels, 5u);
}

TEST_P(BoardPicture, EachPartThatFailedIsNamedWithItsNumbers) {
  const std::string text = all_text(page);
  int failed = 0;
  for (const ComponentVerdict& c : board.verdict.components) {
    if (c.decision == Decision::pass) continue;
    ++failed;
    const std::string fault = fault_text(c);
    EXPECT_THAT(text, HasSubstr(c.reference + " " + fault.substr(0, fault.find(": ")))) << c.reference;
    EXPECT_THAT(text, HasSubstr(fault.substr(fault.find(": ") + 2))) << c.reference;
  }
  EXPECT_THAT(
      text, HasSubstr(fmt::format("{} of {} components not PASS", failed, board.verdict.components.size())));
  EXPECT_THAT(text, Not(HasSubstr("Without a place"))) << "each has its place in the map";
}

INSTANTIATE_TEST_SUITE_P(Drawn, BoardPicture,
                         ::testing::Combine(::testing::Values("connector", "large"),
                                            ::testing::Values(BoardValues::heights,
                                                              BoardValues::deviations)));

TEST(Picture, SvgAndPdfAreWrittenByTheFilesEnding) {
  testing::FreshFolder folder;
  const DrawnBoard b = testing::connector_board();
  for (const char* end : {".png", ".svg", ".pdf"}) {
    write_picture(folder.path() / ("a" + std::string(end)), b.frame, b.recipe, b.verdict, {});
    write_picture(folder.path() / ("b" + std::string(end)), b.frame, b.recipe, b.verdict, {});
    // an SVG's names of things count on within the process
    const bool same = bytes_of(folder.path() / ("a" + std::string(end))) ==
                      bytes_of(folder.path() / ("b" + std::string(end)));
    EXPECT_TRUE(same || std::string(end) == ".svg") << end;
    EXPECT_FALSE(bytes_of(folder.path() / ("a-deviation" + std::string(end))).empty()) << end;
  }
  EXPECT_EQ(bytes_of(folder / "a.png").substr(1, 3), "PNG");
  EXPECT_EQ(bytes_of(folder / "a.pdf").substr(0, 5), "%PDF-");
  const std::string svg = bytes_of(folder / "a.svg");
  for (const char* word : {"C11 missing: 2.5 um, limit 460", "C38 INVALID", "C20 470 um too high", "tilted"})
    EXPECT_THAT(svg, HasSubstr(word));
  EXPECT_THROW(write_picture(folder / "a.bmp", b.frame, b.recipe, b.verdict, {}), std::invalid_argument);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_TRUE(png_image_begin_read_from_file(&image, (folder / "a.png").c_str())) << image.message;
  EXPECT_EQ(image.width, drawn(b).box().width);
  png_image_free(&image);
}

TEST(Picture, HeightsHaveTheirColourAndWhatIsMissingIsStriped) {
  DrawnBoard b(40, 30, 0.1);
  b.add("U1", {{10, 10}, {6, 4}, 0}, 1000, 1000);
  for (int row = 0; row < 30; ++row)
    for (int col = 0; col < 40; ++col)
      b.frame.classes[static_cast<std::size_t>(row) * 400 + col] = PixelClass::no_data;
  const Page page = drawn(b);
  const PixelImage image = page.pixels();
  const Map map(b, page);
  EXPECT_GT(oklab_of(map.pixel(image, 8.01, 9.01)).l, 0.85) << "high is light";
  EXPECT_LT(oklab_of(map.pixel(image, 20.01, 25.01)).l, 0.35);
  std::set<int> seen;  // the lower left corner, below the board's x and left of its y
  for (int k = 0; k < 10; ++k) seen.insert(map.pixel(image, 1.01 + 0.05 * k, 1.01).r);
  EXPECT_EQ(seen, (std::set<int>{picture::no_value(0, 0).r, picture::no_value(3, 0).r}));
}

TEST(Picture, OutlinesHaveTheColourOfTheirVerdict) {
  for (const Decision d : {Decision::fail, Decision::inconclusive, Decision::invalid}) {
    DrawnBoard b(40, 30, 0.1);
    DrawnBoard::make(b.add("U1", {{10, 10}, {6, 4}, 0}, 1000, 1000), d, Reason::none, b.verdict);
    const Page page = drawn(b);
    const PixelImage image = page.pixels();
    const Map map(b, page);
    const Rgb wanted = color_of(b.verdict.decision);
    int found = 0;
    for (int k = 0; k < 60; ++k) found += map.pixel(image, 7.01, 8.5 + 0.05 * k) == wanted;
    EXPECT_GE(found, 20) << name_of(d);
    EXPECT_EQ(found == 60, d == Decision::fail) << "the others are dashed or dotted";
  }
}

// The top lies 70 um over nominal 1000 on a floor that is tilted by 3 um/mm and 200 um high: only the 70 um count.
TEST(Picture, ADeviationIsMeasuredFromTheFloorOfTheVerdict) {
  DrawnBoard b(40, 30, 0.1);
  ComponentVerdict& row = b.add("U1", {{20, 15}, {12, 8}, 0}, 1000, 1070);
  auto& counts = std::get<std::vector<std::int16_t>>(b.frame.counts);
  for (int r = 0; r < 300; ++r)
    for (int c = 0; c < 400; ++c)
      counts[static_cast<std::size_t>(r) * 400 + c] +=
          static_cast<std::int16_t>(200 + 3 * (b.frame.x.at(c) - 20));
  row.floor.a = 0.003;
  row.floor.c_um = 200;
  const Page page = drawn(b, BoardValues::deviations);
  const PixelImage image = page.pixels();
  const Map map(b, page);
  const auto scale = picture::deviation_scale({}, 160, 80);  // limits of 8 %
  for (const double x : {15.01, 20.01, 25.01}) {
    const Rgb c = map.pixel(image, x, 13.01);
    EXPECT_TRUE(c == scale.color(62) || c == scale.color(70) || c == scale.color(78)) << x;  // noise of 6 um
  }
  EXPECT_EQ(map.pixel(image, 5.01, 5.01), picture::paper) << "no deviation beside the parts";
}

TEST(Picture, ABoardThatLiesTurnedUnderTheSensorIsDrawnUpright) {
  DrawnBoard b(40, 30, 0.1);
  b.frame.classes[0] = PixelClass::no_data;
  for (const double degrees : {0.0, 90.0, 180.0, 270.0, 20.0}) {
    Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
    const double a = degrees * M_PI / 180;
    m.topLeftCorner<2, 2>() << std::cos(a), -std::sin(a), std::sin(a), std::cos(a);
    const Htm<Sensor, Board> pose(m);
    const PictureMap map(b.frame, pose);
    const BoardWindow w = map.whole(1600);
    const PagePoint origin = w.at({0, 0}), x = w.at({1, 0}), y = w.at({0, 1});
    EXPECT_NEAR(x.x - origin.x, 1 / w.mm_per_px, 1e-9) << degrees;
    EXPECT_NEAR(x.y, origin.y, 1e-9) << degrees;
    EXPECT_NEAR(origin.y - y.y, 1 / w.mm_per_px, 1e-9) << degrees;
    const bool upright = std::lround(degrees / 90) % 2 == 0;
    EXPECT_TRUE(degrees == 20 || w.width == (upright ? 800 : 600)) << degrees;
    // each place of the frame is sampled at its own pixel
    const Eigen::Vector3d pixel(b.frame.x.at(30), b.frame.y.at(40), 0), board = pose.inverse() * pixel;
    const auto sample = map.sample(board.head<2>(), w.mm_per_px);
    ASSERT_TRUE(sample) << degrees;
    EXPECT_NEAR((sample->head<2>() - pixel.head<2>()).norm(), 0, 1e-9) << degrees;
    const Eigen::Vector3d corner = pose.inverse() * Eigen::Vector3d(b.frame.x.at(0), b.frame.y.at(0), 0);
    EXPECT_FALSE(map.sample(corner.head<2>(), w.mm_per_px)) << degrees;
    const PagePoint p = w.at(corner.head<2>());
    EXPECT_TRUE(p.x >= 0 && p.y >= 0 && p.x <= w.width && p.y <= w.height) << degrees;
  }
}

TEST(Picture, LargeFramesAreShrunkByTheMeanOfValidPixels) {
  DrawnBoard b(40, 30, 0.1);
  auto& counts = std::get<std::vector<std::int16_t>>(b.frame.counts);
  for (const int i : {0, 1, 400, 401})
    b.frame.classes[static_cast<std::size_t>(150 * 400 + 200 + i)] = PixelClass::ok;
  counts[150 * 400 + 200] = 30;
  counts[150 * 400 + 201] = 10;
  counts[151 * 400 + 200] = 20;
  b.frame.classes[151 * 400 + 201] = PixelClass::no_data;
  const PictureMap map(b.frame, {});
  const BoardWindow w = map.whole(200);
  EXPECT_EQ(w.width, 200);
  EXPECT_EQ(w.height, 150);
  EXPECT_DOUBLE_EQ(w.mm_per_px, 0.2);
  const auto sample =
      map.sample(w.board_mm(100.5, 149 - 75 + 0.5), w.mm_per_px);  // row 75 counted from below
  ASSERT_TRUE(sample);
  EXPECT_NEAR(map.height_um(*sample), 20, 1e-9);
}

// What a host, a sidecar or an operator wrote reaches the page as text.
TEST(Picture, HostileTextsAndNumbersAreDrawnOrRefused) {
  testing::FreshFolder folder;
  DrawnBoard b = testing::connector_board();
  const std::string hostile[] = {std::string(70'000, 'W'), "\x1b[2J\x07", "\xff\xfe\xc0\x80",
                                 "</desc><script>&amp;",   "%s%n%p",      std::string("a\0b", 3),
                                 "\u202e\u0301\U0001F600", "((\\)"};
  for (const std::string& text : hostile) {
    b.verdict.unit_id = b.verdict.frame_id = b.verdict.recipe = b.verdict.measured_at = text;
    b.verdict.components[10].reference = b.recipe.components[10].reference = text;
    const Page page = drawn(b);
    for (const char* end : {".svg", ".pdf"}) page.write(folder.path() / ("a" + std::string(end)), text);
    for (const Page::Text& t : page.texts()) {
      EXPECT_TRUE(t.box.within(page.box())) << t.text.substr(0, 80);
      for (const char c : t.text) EXPECT_TRUE(c >= ' ' && c <= '~');
    }
    EXPECT_THAT(bytes_of(folder / "a.svg"), Not(HasSubstr("<script")));
  }
  b = testing::connector_board();
  for (const double bad : {std::nan(""), 1.0 * INFINITY, -1.0 * INFINITY, 1e300, -1e300}) {
    for (CheckVerdict& v : b.verdict.components[11].checks) v.value = bad;
    b.verdict.components[11].floor.a = b.verdict.components[11].floor.c_um = bad;
    EXPECT_NO_THROW(drawn(b, BoardValues::deviations)) << bad;
  }
  b.recipe.components[3].body.centre_mm.x() = 1e9;
  EXPECT_THAT(all_text(drawn(b)), HasSubstr("C11 missing"))
      << "a part that is not in view does not hide the others";
  b.frame.x.offset_mm = 1e200;
  try {
    drawn(b);
  } catch (const std::invalid_argument&) {  // said instead of drawn
  }
}

TEST(Picture, AFolderThatIsNotThereIsNamed) {
  const DrawnBoard b = testing::connector_board();
  try {
    write_picture("/nonexistent/a.png", b.frame, b.recipe, b.verdict, {});
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("/nonexistent/a.png"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace picture_test
}  // namespace datum
