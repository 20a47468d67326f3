// Pictures of compared surfaces: visibility and colours.
#include "daemon/pictures/surface_picture.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "daemon/pictures/color_scale.h"
#include "daemon/pictures/deviation_colors.h"
#include "daemon/pictures/surface_pixels.h"
#include "tests/daemon/inspection/surface/surface_scene.h"

namespace datum {
namespace {

using namespace testing;
using Eigen::Vector3d;

TEST(SurfaceView, NamedViewsAreRightHandedAndUpright) {
  for (const char* name : {"top", "bottom", "front", "back", "left", "right", "isometric", "0.3:-2:1"}) {
    const SurfaceView v = view_of(name);
    EXPECT_NEAR((v.right.cross(v.up) - v.towards).norm(), 0, 1e-12) << name;
    EXPECT_GE(v.up.z(), 0) << name;
  }
  EXPECT_EQ(view_of("top").right, Vector3d(1, 0, 0));
  EXPECT_EQ(view_of("front").right, Vector3d(1, 0, 0));  // from -y: x to the right, z up
  EXPECT_EQ(view_of("right").right, Vector3d(0, 1, 0));
  for (const char* wrong : {"", "above", "1:2", "0:0:0", "1:2:3:4", "1,2,3", "nan:0:1"})
    EXPECT_THROW(view_of(wrong), std::invalid_argument) << wrong;
}

TEST(SurfaceView, UpIsUpAndRightIsRight) {
  const TriangleModel box = triangle_model(box_model(40, 30, 20, 1));
  const SurfaceRaster top = look_at(box, view_of("top"), 205), front = look_at(box, view_of("front"), 205);
  EXPECT_NEAR((top.at(view_of("top"), {-20, 15, 10}) - Vector3d(2, 2, 10)).norm(), 0, 1e-9);
  EXPECT_NEAR((top.at(view_of("top"), {20, -15, 0}) - Vector3d(202, 152, 0)).norm(), 0, 1e-9);
  EXPECT_NEAR((front.at(view_of("front"), {-20, -15, 10}) - Vector3d(2, 2, 15)).norm(), 0, 1e-9);
}

TEST(SurfaceView, TheNearestFacetIsSeen) {
  const TriangleModel box = triangle_model(box_model(40, 30, 20, 1));
  const SurfaceRaster top = look_at(box, view_of("top"), 205);
  EXPECT_EQ(top.width, 205);
  EXPECT_DOUBLE_EQ(top.mm_per_px, 0.2);
  std::size_t seen = 0;
  for (std::size_t i = 0; i < top.facet.size(); ++i) {
    if (top.facet[i] == no_facet) continue;
    ++seen;
    EXPECT_EQ(box.normal[top.facet[i]][0][2], 1) << i;
    EXPECT_NEAR(top.depth_mm[i], 10, 1e-5);
  }
  // 200 x 150 pixels, plus or minus one where a pixel is on the border
  EXPECT_GE(seen, 199u * 149);
  EXPECT_LE(seen, 201u * 151);
  const SurfaceRaster corner = look_at(box, view_of("isometric"), 200);
  bool faces[3] = {};
  for (const std::uint32_t f : corner.facet)
    if (f != no_facet)
      for (std::size_t k = 0; k < 3; ++k) faces[k] = faces[k] || std::abs(box.normal[f][0][k]) == 1;
  EXPECT_TRUE(faces[0] && faces[1] && faces[2]);
  EXPECT_THROW(look_at(box, view_of("top"), 15), std::invalid_argument);
}

TEST(DeviationColors, StepsMeetAtTheirBorders) {
  EXPECT_EQ(deviation_step(0, 95), 10u);
  EXPECT_EQ(deviation_step(-1e9, 95), 0u);
  EXPECT_EQ(deviation_step(1e9, 95), 20u);
  for (std::size_t k = 1; k < deviation_steps; ++k) {
    // the middle of each of the 19 steps of 10 um; a border may round to either
    EXPECT_NEAR(step_begin_um(k, 95), -95 + 10.0 * static_cast<double>(k - 1), 1e-12);
    EXPECT_EQ(deviation_step(step_begin_um(k, 95) + 5, 95), k);
    EXPECT_EQ(deviation_step(step_begin_um(k, 95) - 5, 95), k - 1);
  }
}

/// A sheet with a dent of 80 um within 4 mm of the middle; its right quarter has no data.
SurfaceMap dented() {
  std::vector<ModelPoint> points;
  add_points(points, -20, 10, 0.25, [](double x, double y) { return std::hypot(x, y) < 4 ? -0.08 : 0.01; });
  SurfaceMap map = compared(sheet_model(4), points);
  map.regions = {{"all", -0.05, 0.05}};
  map.region_of_facet.assign(map.model->corner.size(), 0);
  return map;
}

TEST(SurfacePicture, PixelsShowWhatLiesThere) {
  const SurfaceMap map = dented();
  const SurfaceView view = view_of("top");
  const SurfaceRaster raster = look_at(*map.model, view, 405);
  const SurfacePixels pixels = pixels_of(map, view, raster, 0.3);
  const auto at = [&](double x, double y) {
    const Vector3d p = raster.at(view, {x, y, 0});
    return raster.index(static_cast<int>(std::lround(p.x())), static_cast<int>(std::lround(p.y())));
  };
  EXPECT_EQ(pixels.what[at(0, 0)], SurfacePixel::face);
  EXPECT_NEAR(pixels.um[at(0, 0)], -80, 0.01);
  EXPECT_NEAR(pixels.um[at(-10, 10)], 10, 0.01);
  EXPECT_NEAR(pixels.um[at(0, 3.5)], -80, 0.01);  // y points up
  EXPECT_NEAR(pixels.um[at(-4.5, 0)], 10, 0.01);
  EXPECT_EQ(pixels.what[at(15, 0)], SurfacePixel::no_data);
  EXPECT_EQ(pixels.what[at(10.5, 0)], SurfacePixel::no_data);  // beyond reach_mm from the last point at 9.875
  EXPECT_EQ(pixels.what[0], SurfacePixel::beside);
  EXPECT_EQ(std::count(pixels.what.begin(), pixels.what.end(), SurfacePixel::edge), 0);
}

TEST(SurfacePicture, EdgesHaveNoDeviationAndTheFarSideIsNotShown) {
  // points beside the box's upper edge are nearest to the edge; points below it belong to the underside
  std::vector<ModelPoint> points{{20.05f, 0, 10.05f}, {0, 0, -10.1f}};
  const SurfaceMap map = compared(box_model(40, 30, 20, 2), points);
  ASSERT_EQ(map.distances[0].kind, MatchClass::edge);
  const SurfaceView view = view_of("isometric");
  const SurfacePixels pixels = pixels_of(map, view, look_at(*map.model, view, 205), 0.5);
  EXPECT_GT(std::count(pixels.what.begin(), pixels.what.end(), SurfacePixel::edge), 0);
  EXPECT_EQ(std::count(pixels.what.begin(), pixels.what.end(), SurfacePixel::face), 0);
}

TEST(SurfacePicture, ALevelIsNotColouredByTheNextOne) {
  RawModel stairs;
  for (const double z : {0.0, 5.0})
    add_patch(stairs, 1, 1, [&](double u, double v) {
      return Place3{20 * u + (z > 0 ? 0 : -20), 30 * v - 15, z};
    });
  std::vector<ModelPoint> points;
  add_points(points, -20, 0, 0.25, [](double, double) { return -2.47; });  // from the middle between 0 and 5
  const SurfaceMap map = compared(stairs, points);
  const SurfaceView view = view_of("top");
  const SurfaceRaster raster = look_at(*map.model, view, 405);
  const SurfacePixels pixels = pixels_of(map, view, raster, 1);
  for (std::size_t i = 0; i < pixels.what.size(); ++i) {
    if (raster.facet[i] == no_facet) continue;
    EXPECT_EQ(pixels.what[i], raster.depth_mm[i] > 2 ? SurfacePixel::no_data : SurfacePixel::face);
  }
}

TEST(SurfacePicture, SamePointsInAnyOrderGiveTheSameBytes) {
  SurfaceMap map = dented();
  BoardVerdict verdict;
  verdict.decision = Decision::fail;
  verdict.recipe = "sheet";
  const SurfacePictureSettings settings{300, 0, 0.3};
  const PixelImage a = draw_surface(map, verdict, view_of("isometric"), settings).pixels();
  std::reverse(map.points.begin(), map.points.end());
  std::reverse(map.distances.begin(), map.distances.end());
  const PixelImage b = draw_surface(map, verdict, view_of("isometric"), settings).pixels();
  ASSERT_EQ(a.width, b.width);
  EXPECT_TRUE(a.pixels == b.pixels);
}

TEST(SurfacePicture, ColoursTellInToleranceFromOut) {
  const SurfaceMap map = dented();
  EXPECT_DOUBLE_EQ(range_of(map), 100);
  const PixelImage image = draw_surface(map, {}, view_of("top"), {405, 0, 0.3}).pixels();
  // in a view along its normal the sheet is lit evenly: two colours, each dimmed by one factor, and NO DATA
  const double lit = 0.72 + 0.28 / std::sqrt(1 + 0.35 * 0.35 + 0.45 * 0.45);
  const auto count = [&](Rgb c) {
    const auto dim = [&](std::uint8_t v) { return static_cast<std::uint8_t>(std::lround(lit * v)); };
    const Rgb wanted{dim(c.r), dim(c.g), dim(c.b)};
    int n = 0;
    for (const Rgb& pixel : image.pixels) n += pixel == wanted;
    return n;
  };
  const double px_per_mm2 = 10 * 10;
  // the dent's border is 25 mm long, and a point's pixels may be on either side of it
  // every fourth row of negative deviations is lighter
  EXPECT_NEAR(count(deviation_colors[deviation_step(-80, 100)]), 0.75 * 16 * M_PI * px_per_mm2,
              26 * 0.2 * px_per_mm2);
  EXPECT_NEAR(count(within_color), (900 - 16 * M_PI) * px_per_mm2, (26 * 0.2 + 30 * 0.4) * px_per_mm2);
  int striped = 0;
  for (const Rgb& pixel : image.pixels)
    striped += pixel == picture::no_value(0, 0) || pixel == picture::no_value(3, 0);
  EXPECT_NEAR(striped, 300 * px_per_mm2, (30 * 0.4 + 140 * 0.1) * px_per_mm2);
}

TEST(SurfacePicture, ARegionThatFailedIsNamedAtItsExtreme) {
  const SurfaceMap map = dented();
  BoardVerdict verdict;
  verdict.decision = Decision::fail;
  ComponentVerdict& row = verdict.components.emplace_back();
  row.reference = "sheet";
  row.decision = Decision::fail;
  row.region.emplace();
  row.region->lowest_um = -80;
  row.region->highest_um = 10;
  for (std::size_t k = 0; k < 3; ++k) row.region->lowest_at_mm[k] = map.model->origin[k];
  CheckVerdict& profile = row.checks.emplace_back();
  profile.check.characteristic = Characteristic::profile;
  profile.check.upper = 100;
  profile.value = 160.4;
  profile.decision = Decision::fail;
  const auto names_it = [](const Page& page) {
    return std::any_of(page.texts().begin(), page.texts().end(), [](const Page::Text& t) {
      return t.text == "sheet profile 60.4 um too high: 160.4 um, limit 100";
    });
  };
  EXPECT_TRUE(names_it(draw_surface(map, verdict, view_of("top"), {405, 0, 0.3})));
  row.region->highest_um = 500;  // at a place beside the part
  for (double& mm : row.region->highest_at_mm) mm = 1e9;
  const Page beside = draw_surface(map, verdict, view_of("top"), {405, 0, 0.3});
  EXPECT_FALSE(names_it(beside));
  EXPECT_TRUE(std::any_of(beside.texts().begin(), beside.texts().end(),
                          [](const Page::Text& t) { return t.text.ends_with("(not on this side)"); }));
  for (std::size_t i = 0; i < beside.texts().size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      EXPECT_FALSE(beside.texts()[i].box.grown(-0.5).overlaps(beside.texts()[k].box.grown(-0.5)))
          << beside.texts()[i].text << " | " << beside.texts()[k].text;
}

}  // namespace
}  // namespace datum
