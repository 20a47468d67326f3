// Recipes from designs: what is measured, where the floor is, and that datumd's reader accepts the text.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/toml_reader.h"
#include "daemon/design/centroid.h"
#include "daemon/design/kicad_board.h"
#include "daemon/design/recipe_text.h"
#include "daemon/inspection/recipe/alignment_recipe.h"
#include "daemon/inspection/recipe/panel_recipe.h"
#include "tests/daemon/design/board_of_all_formats.h"
#include "tests/fresh_folder.h"

namespace datum::recipe_draft_test {
namespace {

using namespace design;
using ::testing::Contains;
using ::testing::HasSubstr;

/// 30 x 20 mm with parts of 2.8 x 1.4 mm, by default one in the middle, and what `more` draws.
Design board_with(const std::string& more = "", const std::vector<double>& parts_x = {15}) {
  testing::TrueBoard board;
  board.corner = {0, -20};
  board.size = {30, 20};
  board.parts.clear();
  for (const double x : parts_x)
    board.parts.push_back({fmt::format("U{}", board.parts.size() + 1), Side::top, {x, -10}, 0});
  std::string text = testing::to_kicad(board);
  text.resize(text.rfind(')'));
  return read_kicad_board(text + more + ")", "b.kicad_pcb");
}

struct DraftTest : ::testing::Test {
  DraftTest() {
    library.add_file(folder.write("l.toml",
                                  "schema = 1\n[package.X]\nmatch = [\"SOT-X\"]\nheight_um = "
                                  "1100\ntolerance_um = 60\nsource = \"test\"\nconfirmed = true\n"));
  }
  Draft draft(const std::string& more = "") { return draft_recipe(board_with(more), library, settings); }
  Recipe loaded(const Draft& d) {
    config::Problems problems;
    Recipe recipe = recipe_from_text(
        recipe_text(d, settings, {"r", "S1", "b", "0", "sensor", Point::Zero(), 0, 0}), "r.toml", problems);
    for (const auto& error : problems.errors()) ADD_FAILURE() << error.what();
    return recipe;
  }
  testing::FreshFolder folder;
  PackageLibrary library;
  DraftSettings settings;
};

TEST_F(DraftTest, MeasuresTheBodyAndPutsTheRingAroundItsPads) {
  const Draft d = draft();
  ASSERT_EQ(d.components.size(), 1u);
  const Recipe recipe = loaded(d);
  const datum::Component& c = recipe.components.at(0);
  EXPECT_EQ(c.reference, "U1");
  EXPECT_LT((c.body.centre_mm - Point(15.15, 10.05)).norm(), 2e-4) << "the outline's middle, not the origin";
  EXPECT_LT((c.body.size_mm - Point(2.8, 1.4)).norm(), 2e-4);
  // Pads of 0.6 x 0.4 at x -1.2 and 1.2 reach from -1.5 to 1.5; the body from -1.25 to 1.55, their y from -0.7 to 0.7, the body's from -0.65 to 0.75.
  ASSERT_TRUE(c.floor_outline);
  EXPECT_LT((c.floor_outline->size_mm - Point(3.05, 1.45)).norm(), 2e-4);
  EXPECT_EQ(c.nominal_height_um, 1100);
  EXPECT_TRUE(c.nominal_confirmed);
  EXPECT_EQ(c.surface_um, known_surface_um);
  EXPECT_EQ(d.components[0].ring.surface, Surface::laminate);
  EXPECT_TRUE(d.components[0].ring.is_floor);
  // Outer rectangle less the inner one, in pixels of 0.05 mm; a pixel's middle lies in or out.
  const double whole = ((3.05 + 2.6) * (1.45 + 2.6) - (3.05 + 0.6) * (1.45 + 0.6)) / 0.0025;
  EXPECT_NEAR(d.components[0].ring.whole, whole, 4 * (5.65 + 4 + 3.65 + 2) / 0.05 / 2);
  EXPECT_GT(d.components[0].ring.pixels, 0.9 * whole) << "nothing but the neighbourhood of pads is cut out";
}

TEST_F(DraftTest, ATraceUnderTheRingIsCutOutWithItsMargin) {
  const Draft d = draft("(segment (start 5 8.3) (end 25 8.3) (width 0.25) (layer \"F.Cu\"))");
  EXPECT_EQ(d.components[0].ring.surface, Surface::laminate);
  ASSERT_EQ(d.exclusions.size(), 1u);
  EXPECT_NEAR(d.exclusions[0].size.y(), 0.45, 1e-9) << "0.1 mm on both sides";
  EXPECT_EQ(loaded(d).exclusions.size(), 1u);
  EXPECT_LT(d.components[0].ring.pixels, draft().components[0].ring.pixels);
}

TEST_F(DraftTest, AnUntouchedTraceAndOneOnTheOtherSideMakeNoExclusion) {
  EXPECT_TRUE(draft("(segment (start 5 1) (end 25 1) (width 0.25) (layer \"F.Cu\"))").exclusions.empty());
  EXPECT_TRUE(draft("(segment (start 5 8.3) (end 25 8.3) (width 0.25) (layer \"B.Cu\"))").exclusions.empty());
}

std::string zone(const char* corners) {
  return fmt::format(
      "(zone (net 1) (layer \"F.Cu\") (filled_areas_thickness no) (polygon (pts {0})) (filled_polygon (layer "
      "\"F.Cu\") (pts {0})))",
      corners);
}

TEST_F(DraftTest, APlaneUnderTheRingIsItsFloorAndItsGapsAreCutOut) {
  const Draft d = draft(zone("(xy 0 0) (xy 30 0) (xy 30 11) (xy 0 11)"));  // three quarters of the ring
  EXPECT_EQ(d.components[0].ring.surface, Surface::copper);
  EXPECT_EQ(d.components[0].surface_um, known_surface_um);
  EXPECT_FALSE(d.exclusions.empty()) << "the bare laminate of the ring";
  for (const Box& box : d.exclusions) EXPECT_LT(box.centre.y(), 9.05) << "below the zone's edge at y = 9";
  loaded(d);
}

TEST_F(DraftTest, AnEdgeOfAPlaneIsCutOutOfABareRing) {
  const Draft d =
      draft(zone("(xy 0 0) (xy 30 0) (xy 30 8.5) (xy 0 8.5)"));  // y from 11.5 up in board coordinates
  EXPECT_EQ(d.components[0].ring.surface, Surface::laminate);
  ASSERT_FALSE(d.exclusions.empty());
  for (const Box& box : d.exclusions) EXPECT_GT(box.centre.y(), 11.4);
  EXPECT_LT(d.components[0].ring.pixels, draft().components[0].ring.pixels);
}

TEST_F(DraftTest, WhatTheRingOfANeighbourKeepsOnAnotherLevelIsNoFloor) {
  settings.outer_mm = 4;
  const Design board = board_with(zone("(xy 0 0) (xy 13 0) (xy 13 20) (xy 0 20)"), {10, 20});
  const Draft d = draft_recipe(board, library, settings);
  ASSERT_EQ(d.components[0].ring.surface, Surface::copper);
  ASSERT_EQ(d.components[1].ring.surface, Surface::laminate);
  ASSERT_TRUE(d.components[0].ring.is_floor && d.components[1].ring.is_floor);
  // Outline 3.05 x 1.45 about x = 10.025: the outer border's copper from 4.5 to 13, less the inner rectangle. From 14.5 to 15.55
  // lies laminate that is the floor of U2.
  const double copper = ((13 - 4.5) * 9.45 - 3.65 * 2.05) / 0.0025;
  EXPECT_LE(d.components[0].ring.pixels, 1.01 * copper);
  EXPECT_GT(d.components[0].ring.pixels, 0.8 * copper);
}

TEST_F(DraftTest, OneSurfaceForTheBoardGivesMoreFloorsWhereRingsTakeThemFromEachOther) {
  settings.outer_mm = 4;
  settings.min_sides = 4;
  // U2's ring lies on laminate for two thirds and would cut the copper out of U1's.
  const Design board = board_with(zone("(xy 0 0) (xy 11 0) (xy 11 20) (xy 0 20)"), {8, 12.5});
  const Draft d = draft_recipe(board, library, settings);
  EXPECT_TRUE(d.components[0].ring.is_floor);
  EXPECT_EQ(d.components[0].ring.surface, Surface::copper);
  EXPECT_EQ(d.components[1].ring.surface, Surface::copper);
  EXPECT_FALSE(d.components[1].ring.is_floor);
}

TEST_F(DraftTest, HalfAndHalfIsSaidAndEntersTheUncertainty) {
  const Draft d = draft(zone("(xy 0 0) (xy 30 0) (xy 30 9.95) (xy 0 9.95)"));
  EXPECT_EQ(d.components[0].ring.surface, Surface::both);
  EXPECT_EQ(d.components[0].surface_um, 17.5) << "half of 35 um of copper";
  EXPECT_THAT(recipe_text(d, settings, {"r", "S1", "b", "0"}), HasSubstr("mask over laminate and copper"));
}

TEST_F(DraftTest, ZonesThatAreNotFilledLeaveTheSurfaceUnknown) {
  const Draft d = draft("(zone (net 1) (layer \"F.Cu\") (polygon (pts (xy 0 0) (xy 30 0) (xy 30 20))))");
  EXPECT_EQ(d.components[0].ring.surface, Surface::unknown);
  EXPECT_EQ(d.components[0].surface_um, 17.5);
  EXPECT_THAT(d.remarks, Contains(HasSubstr("zones are not filled")));
}

TEST_F(DraftTest, APartWithoutAFloorIsNamed) {
  const std::string silk =
      "(gr_poly (pts (xy 10 5) (xy 20 5) (xy 20 15) (xy 10 15)) (layer \"F.SilkS\") (width 0) (fill solid))";
  Draft d = draft(silk);
  EXPECT_FALSE(d.components[0].ring.is_floor);
  EXPECT_EQ(d.components[0].ring.pixels, 0u);
  EXPECT_THAT(recipe_text(d, settings, {"r", "S1", "b", "0"}), HasSubstr("NO FLOOR"));
  settings.warp_fallback = true;
  const Recipe recipe = loaded(draft(silk));
  EXPECT_TRUE(recipe.components[0].warp_fallback);
  EXPECT_TRUE(recipe.warp);
}

TEST_F(DraftTest, WhatIsNotMeasuredIsNamedWithItsReason) {
  const Draft d = draft(
      "(footprint \"lib:SOT-X\" (layer \"F.Cu\") (at 5 5) (attr smd dnp) (fp_text reference \"R9\" (at 0 0) "
      "(layer \"F.Fab\")))"
      "(footprint \"lib:Odd\" (layer \"F.Cu\") (at 25 5) (attr smd) (fp_text reference \"J1\" (at 0 0) "
      "(layer \"F.Fab\")) "
      "(pad \"1\" smd rect (at 0 0) (size 1 1) (layers \"F.Cu\" \"F.Mask\")))");
  ASSERT_EQ(d.left_out.size(), 2u);
  EXPECT_EQ(d.left_out[0].reference + ": " + d.left_out[0].why, "R9: not populated");
  EXPECT_THAT(d.left_out[1].why, HasSubstr("no outline of its body is known; give its package a body_mm"));
  EXPECT_THAT(recipe_text(d, settings, {"r", "S1", "b", "0"}), HasSubstr("# Not measured: J1 (Odd)"));
}

TEST_F(DraftTest, APlaceThatIsNotPopulatedMustBeEmptyWhereAsked) {
  settings.empty_places = true;
  Design board = board_with("", {8, 22});
  board.components[1].population = Population::not_populated;
  const Draft d = draft_recipe(board, library, settings);
  const Recipe recipe = loaded(d);
  ASSERT_EQ(recipe.components.size(), 2u);
  ASSERT_EQ(recipe.components[0].checks.size(), 2u);
  EXPECT_EQ(recipe.components[0].checks[0].lower, 1040);
  ASSERT_EQ(recipe.components[1].checks.size(), 2u);
  const Check &height = recipe.components[1].checks[0], &presence = recipe.components[1].checks[1];
  EXPECT_FALSE(height.lower);
  EXPECT_EQ(height.upper, 550) << "half of 1100";
  EXPECT_EQ(presence.characteristic, Characteristic::presence);
  EXPECT_FALSE(presence.lower);
  EXPECT_EQ(presence.upper, empty_permille);
  EXPECT_THAT(recipe_text(d, settings, {"r", "S1", "b", "0"}), HasSubstr("not populated: must be empty"));
}

/// A table as JLC takes it: R + c on the top, 180 - R + c on the bottom, R KiCad's angle and c of the package.
TEST_F(DraftTest, ALibraryTakesTheRotationsOfAHouseOff) {
  library.add_file(
      folder.write("jlc.toml",
                   "schema = 1\n[package.Q]\nmatch = [\"SOT-23*\"]\nbody_mm = [3.0, 1.4]\n"
                   "centroid_rotation_deg = 180.0\ncentroid_offset_mm = [0.5, 0.25]\nheight_um = 1000\n"
                   "source = \"test\"\nconfirmed = true\n"));
  const std::string table =
      "Designator,Val,Package,Mid X,Mid "
      "Y,Rotation,Layer\nQ1,x,SOT-23,10mm,5mm,210,top\nQ2,x,SOT-23,20mm,5mm,330,bottom\n";
  CentroidOptions options;
  options.outline = {{0, 0}, {30, 10}};
  const Design board = read_centroid(table, "cpl.csv", options);
  ASSERT_THAT(board.format, HasSubstr("jlc"));
  const Draft top = draft_recipe(board, library, settings);
  ASSERT_EQ(top.components.size(), 1u);
  EXPECT_NEAR(top.components[0].body.rotation_deg, 30, 1e-9);
  EXPECT_LT((top.components[0].body.centre - (Point(10, 5) + turned({0.5, 0.25}, 30))).norm(), 2e-4);
  settings.side = Side::bottom;  // R = 30: 180 - 30 + 180 = 330; seen from the bottom 150
  const Draft bottom = draft_recipe(board, library, settings);
  ASSERT_EQ(bottom.components.size(), 1u);
  EXPECT_NEAR(bottom.components[0].body.rotation_deg, 150, 1e-9);
  EXPECT_LT((bottom.components[0].body.centre - (Point(10, 5) + turned({0.5, 0.25}, 150))).norm(), 2e-4);
}

TEST_F(DraftTest, TwoMeasuredPartsOfOneReferenceAreRefusedWithBothLines) {
  testing::TrueBoard board;
  board.parts[1].reference = "U1";
  std::string what;
  try {
    draft_recipe(read_kicad_board(testing::to_kicad(board), "b.kicad_pcb"), library, settings);
  } catch (const DesignError& error) {
    what = error.what();
  }
  EXPECT_THAT(what, HasSubstr("'U1' is the reference of two measured parts; the other one is in line 7"));
}

TEST_F(DraftTest, PartsBeyondTheOutlineAreAMirroredFile) {
  testing::TrueBoard board;
  for (auto& part : board.parts) part.at.x() = -part.at.x();
  EXPECT_THROW(draft_recipe(read_kicad_board(testing::to_kicad(board), "b"), library, settings), DesignError);
}

TEST_F(DraftTest, AnUnconfirmedHeightCannotPass) {
  PackageLibrary none;
  none.add_file(folder.write(
      "u.toml", "schema = 1\n[package.X]\nmatch = [\"SOT-X\"]\nheight_um = 1100\nsource = \"a table\"\n"));
  const Draft d = draft_recipe(board_with(), none, settings);
  const Recipe recipe = loaded(d);
  EXPECT_FALSE(recipe.components[0].nominal_confirmed);
  EXPECT_EQ(recipe.components[0].nominal_source, "a table");
}

TEST_F(DraftTest, APanelsRecipePlacesEachBoard) {
  Draft d = draft();
  d.design.panel = {{{0, 0}, {d.size_mm.x() + 3, d.size_mm.y() + 2}, 3, 2, 0, false}};
  RecipeHead head{"r", "S1", "b", "0", "sensor", Point::Zero(), 0, 0};
  head.keyed_fixture = true;  // a part in the middle looks the same turned
  for (const Side side : {Side::top, Side::bottom}) {
    head.panel = panel_places(d.design, d.size_mm, side, Turn::vertical);
    config::Problems problems;
    const Recipe recipe = recipe_from_text(recipe_text(d, settings, head), "r.toml", problems);
    problems.throw_first();
    ASSERT_TRUE(recipe.panel);
    ASSERT_EQ(recipe.panel->places.size(), 6u);
    const PanelPlace& last = recipe.panel->places.back();
    EXPECT_EQ(last.name, "3-2");
    const double x = side == Side::top ? 2 * (d.size_mm.x() + 3) : 0;  // turned over, columns go to the left
    EXPECT_NEAR((last.origin_mm - Point(x, d.size_mm.y() + 2)).norm(), 0, 1e-3);
    EXPECT_NEAR((recipe.panel->size_mm - Point(3 * d.size_mm.x() + 6, 2 * d.size_mm.y() + 2)).norm(), 0,
                1e-3);
  }
}

TEST_F(DraftTest, ProposesFreeHolesAndStraightEdgesForAnAlignment) {
  const auto hole = [](double x, double y, double d) { return Hole{{x, y}, {x, y}, d}; };
  Design board = board_with();
  board.holes = {hole(4, -16, 3.2),  hole(26, -4, 3.2),      // for screws
                 hole(15, -10, 1.5), hole(28.8, -16, 2),     // under U1; at the board's edge
                 hole(20, -16, 0.4), {{4, -5}, {8, -5}, 2},  // too small; a slot
                 hole(10, -4, 1.5),  hole(11.9, -4, 1.5)};   // side by side
  const Draft d = draft_recipe(board, library, settings);
  EXPECT_FALSE(loaded(d).alignment) << "a comment changes nothing";
  std::string text = recipe_text(d, settings, {"r", "S1", "b", "0", "sensor", Point::Zero(), 0, 0});
  for (auto at = text.find("\n#[alignment]"); at != std::string::npos; at = text.find("\n#", at))
    text.erase(at + 1, 1);
  config::Problems problems;
  const Recipe r = recipe_from_text(text, "r.toml", problems);
  problems.throw_first();
  ASSERT_TRUE(r.alignment);
  ASSERT_EQ(r.alignment->holes.size(), 2u) << text;
  EXPECT_LT((r.alignment->holes[0].centre_mm - Point(4, 4)).norm(), 1e-3);
  EXPECT_LT((r.alignment->holes[1].centre_mm - Point(26, 16)).norm(), 1e-3);
  EXPECT_EQ(r.alignment->holes[1].diameter_mm, 3.2);
  ASSERT_EQ(r.alignment->edges.size(), 4u);
  for (const OutlineEdge& e : r.alignment->edges) {
    const Point along = e.to_mm - e.from_mm, in = r.board_size_mm / 2 - e.from_mm;
    EXPECT_GT(along.x() * in.y() - along.y() * in.x(), 0) << e.name << ": the board lies on its left";
    EXPECT_GT(along.norm(), 19.9);
  }
}

TEST(Panel, ItsBoardsLieByItsPitch) {
  Design d;
  d.name = "p.tgz";
  EXPECT_THROW(instance_offset(d, 1, 1, Side::top, Turn::vertical, 0), DesignError) << "no panel";
  d.panel = {{{0, 0}, {40, 30}, 3, 2, 0, false}};
  const auto near = [](const Point& a, const Point& b) { return (a - b).norm() < 1e-9; };
  EXPECT_TRUE(near(instance_offset(d, 1, 1, Side::top, Turn::vertical, 0), {0, 0}));
  EXPECT_TRUE(near(instance_offset(d, 3, 2, Side::top, Turn::vertical, 0), {80, 30}));
  EXPECT_TRUE(near(instance_offset(d, 3, 2, Side::bottom, Turn::vertical, 0), {-80, 30}));
  EXPECT_TRUE(near(instance_offset(d, 3, 2, Side::bottom, Turn::horizontal, 0), {80, -30}));
  EXPECT_TRUE(near(instance_offset(d, 2, 1, Side::top, Turn::vertical, 90), {0, 40}));
  d.panel[0].angle_deg = 90;  // a board that lies as the design draws it means a panel turned by -90
  EXPECT_TRUE(near(instance_offset(d, 2, 1, Side::top, Turn::vertical, 0), {0, -40}));
  EXPECT_THROW(instance_offset(d, 4, 1, Side::top, Turn::vertical, 0), DesignError);
  EXPECT_THROW(instance_offset(d, 1, 0, Side::top, Turn::vertical, 0), DesignError);
  d.panel[0].mirrored = true;
  EXPECT_THROW(instance_offset(d, 1, 1, Side::top, Turn::vertical, 0), DesignError);
}

TEST(RecipeName, KeepsWhatARecipeAllows) {
  EXPECT_EQ(recipe_name("R_0603+x#2"), "R_0603+x#2");
  EXPECT_EQ(recipe_name("U 1\n\"x\""), "U_1__x_");
  EXPECT_EQ(recipe_name(""), "_");
  EXPECT_EQ(recipe_name(std::string(100, 'a')).size(), 64u);
}

}  // namespace
}  // namespace datum::recipe_draft_test
