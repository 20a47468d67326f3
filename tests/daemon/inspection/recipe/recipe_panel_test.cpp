// [panel]: the places it means, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/toml_reader.h"
#include "daemon/inspection/board/warp_recipe.h"
#include "daemon/inspection/recipe/panel_recipe.h"
#include "tests/sample_file.h"

namespace datum::recipe_panel_test {
namespace {

using ::testing::HasSubstr;

const std::string sample = testing::slurp(DATUM_SOURCE_DIR "/config/recipe-sample-panel.toml");

std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

Recipe loaded(const std::string& text) {
  config::Problems problems;
  Recipe recipe = recipe_from_text(text, "r.toml", problems);
  problems.throw_first();
  return recipe;
}

std::string refusal(const std::string& from, const std::string& to) {
  try {
    loaded(with(sample, from, to));
  } catch (const config::ConfigError& error) {
    return error.what();
  }
  return "";
}

const std::string grid =
    "columns = 4                     # along x, 1 to 1000 boards in all; the board at the lower left is "
    "\"1-1\", the one right of it \"2-1\"\nrows = 2\npitch_mm = [22.0, 18.0]         # from board to board; "
    "at least the board's size\n";

TEST(RecipePanel, PlacesBoardsRowByRow) {
  const Recipe r = loaded(sample);
  ASSERT_TRUE(r.panel);
  ASSERT_EQ(r.panel->places.size(), 8u);
  EXPECT_EQ(r.panel->places[0].name, "1-1");
  EXPECT_EQ(r.panel->places[1].name, "2-1");
  EXPECT_EQ(r.panel->places[7].name, "4-2");
  EXPECT_EQ(r.panel->places[7].origin_mm, Eigen::Vector2d(66, 18));
  const Recipe& last = r.panel->boards[7];
  EXPECT_FALSE(last.panel);
  EXPECT_EQ(last.components.front().reference, "C1@4-2");
  EXPECT_EQ(last.components.front().body.centre_mm, Eigen::Vector2d(6, 8)) << "in its own coordinates";
  EXPECT_EQ(last.machine_from_board.matrix()(0, 3), 66);
  EXPECT_EQ(verdict_rows(r).size(), 8u);
  EXPECT_EQ(verdict_rows(r).back()->reference, "C1@4-2");
}

TEST(RecipePanel, PlacesTurnedBoards) {
  const Recipe r = loaded(with(sample, grid,
                               "place = [{name = \"A\", origin_mm = [0, 0]}, {name = \"B\", origin_mm = [42, "
                               "16], rotation_deg = 180}]\n"));
  ASSERT_EQ(r.panel->boards.size(), 2u);
  const Recipe whole = panel_as_board(r);
  EXPECT_EQ(whole.board_size_mm, Eigen::Vector2d(86, 36));
  ASSERT_EQ(whole.components.size(), 2u);
  EXPECT_NEAR((whole.components[1].body.centre_mm - Eigen::Vector2d(36, 8)).norm(), 0, 1e-9);
  const Eigen::Vector4d at = r.panel->boards[1].machine_from_board.matrix() * Eigen::Vector4d(6, 8, 0, 1);
  EXPECT_NEAR((at.head<2>() - Eigen::Vector2d(36, 8)).norm(), 0, 1e-9) << "where it is measured it is drawn";
}

TEST(RecipePanel, RefusesBoardsOnEachOther) {
  EXPECT_THAT(refusal("pitch_mm = [22.0", "pitch_mm = [19.0"),
              HasSubstr("panel.pitch_mm: 19 along x is less than the board, which is 20 mm long there"));
  EXPECT_THAT(
      refusal(grid, "place = [{name = \"A\", origin_mm = [0, 0]}, {name = \"B\", origin_mm = [19, 0]}]\n"),
      HasSubstr("the boards A and B lie on each other"));
  EXPECT_EQ(refusal("pitch_mm = [22.0", "pitch_mm = [20.0"), "") << "cut apart after the measurement";
}

TEST(RecipePanel, RefusesPlacesThatContradictThePanel) {
  EXPECT_THAT(refusal("size_mm = [86.0, 36.0]", "size_mm = [85.0, 36.0]"),
              HasSubstr("board 4-1 reaches to [86, 0] mm"));
  EXPECT_THAT(refusal("#first_mm = [0.0, 0.0]", "first_mm = [0.5, 0.0]"), HasSubstr("beyond the panel"));
  EXPECT_THAT(
      refusal(grid, "place = [{name = \"A\", origin_mm = [0, 0]}, {name = \"A\", origin_mm = [42, 0]}]\n"),
      HasSubstr("'A' is the name of another place"));
  EXPECT_THAT(refusal("rows = 2\n", "rows = 2\nplace = [{name = \"A\", origin_mm = [0, 0]}]\n"),
              HasSubstr("columns: is given beside place"));
  EXPECT_THAT(refusal("columns = 4 ", "columns = 1001 "), HasSubstr("panel.columns"));
}

TEST(RecipePanel, RefusesAnAlignmentThatMixesBoardsUp) {
  const auto aligned = [](const std::string& keys) {
    return refusal("[package.C0603]", "[alignment]\n" + keys + "\n[package.C0603]");
  };
  EXPECT_EQ(aligned("max_shift_mm = 2.0\nmax_rotation_deg = 2.0"), "");
  EXPECT_THAT(aligned("max_shift_mm = 6.5\nmax_rotation_deg = 2.0"),
              HasSubstr("lie 18 mm apart, and alignment.max_shift_mm = 6.5"));
  EXPECT_THAT(aligned("max_shift_mm = 2.0"),
              HasSubstr("an alignment by the shift alone sees the neighbours' parts"));
  EXPECT_THAT(
      aligned("max_shift_mm = 2.0\nmax_rotation_deg = 2.0\nmodel = \"similarity\"\nmax_scale_ppm = 500"),
      HasSubstr("beside [panel]"));
}

/// The sample's panel, which looks alike where C1 lies in the middle of its board.
std::string alike(const std::string& part = "centre_mm = [10.0, 8.0]", const std::string& more = "") {
  return with(with(sample, "size_mm = [86.0, 36.0]", "size_mm = [86.0, 34.0]"), "centre_mm = [6.0, 8.0]",
              part) +
         more;
}

std::string why(const std::string& text) {
  try {
    loaded(text);
  } catch (const config::ConfigError& error) {
    return error.what();
  }
  return "";
}

std::string part(const std::string& name, const std::string& centre, int nominal_um) {
  return "\n[package." + name + "]\nbody_mm = [1.6, 0.8]\nnominal_um = " + std::to_string(nominal_um) +
         "\ncharacteristic = \"median\"\ntolerance_um = 80\n[[component]]\nreference = \"" + name +
         "\"\npackage = \"" + name + "\"\ncentre_mm = " + centre + "\n";
}

TEST(RecipePanel, RefusesAPanelThatWouldNotBeNoticedTurned) {
  const auto refused = HasSubstr("nothing tells it from the board that belongs there");
  EXPECT_THAT(why(alike()),
              HasSubstr("panel.keyed_fixture: turned by 180 degrees the panel shows board 4-2 at place 1-1"));
  EXPECT_THAT(why(alike("centre_mm = [10.5, 8.0]")), refused) << "the turned part lies on it in part";
  EXPECT_THAT(why(alike("centre_mm = [5.0, 8.0]", part("D1", "[15.0, 8.0]", 750))), refused)
      << "their limits have heights in common";
  EXPECT_EQ(why(alike("centre_mm = [5.0, 8.0]", part("D1", "[15.0, 8.0]", 400))), "");
  EXPECT_EQ(why(alike("centre_mm = [10.0, 8.0]", part("D1", "[3.0, 3.0]", 400))), "") << "one that tells";
  EXPECT_EQ(why(with(alike(), "#keyed_fixture = false", "keyed_fixture = true")), "");
}

TEST(RecipePanel, AnAlignmentTellsTurnedBoardsButNotBoardsHeadToTail) {
  const std::string alignment = "\n[alignment]\nmax_shift_mm = 0.5\nmax_rotation_deg = 1\n";
  EXPECT_EQ(why(alike() + alignment), "") << "by its registration it is turned, or INVALID";
  const std::string head_to_tail =
      with(with(sample, "size_mm = [86.0, 36.0]", "size_mm = [42.0, 16.0]"), grid,
           "place = [{name = \"A\", origin_mm = [0, 0]}, {name = \"B\", origin_mm = [42, 16], rotation_deg = "
           "180}]\n");
  EXPECT_THAT(why(head_to_tail + alignment), HasSubstr("the panel shows board B at place A"));
  EXPECT_THAT(why(head_to_tail), HasSubstr("the panel shows board B at place A"));
  EXPECT_EQ(why(head_to_tail + alignment + "search_turned = false\n"), "") << "the fixture tells";
}

TEST(RecipePanel, RefusesAMarkThatAPartHides) {
  EXPECT_THAT(refusal("centre_mm = [17.0, 13.0]", "centre_mm = [6.5, 8.0]"),
              HasSubstr("the mark lies on C1"));
  EXPECT_THAT(refusal("centre_mm = [17.0, 13.0]", "centre_mm = [19.5, 13.0]"),
              HasSubstr("the mark leaves the board"));
}

TEST(RecipePanel, SampleShowsEveryKeyWithItsDefault) {
  const testing::FreshFolder folder;
  const std::string whole = testing::with_every_key(sample);
  const Recipe stated = loaded(whole), code = loaded(sample);
  EXPECT_EQ(stated.panel->places[1].origin_mm, code.panel->places[1].origin_mm);
  EXPECT_EQ(stated.panel->places[1].rotation_deg, code.panel->places[1].rotation_deg);
  EXPECT_EQ(stated.panel->bad_mark->bad_if_there, code.panel->bad_mark->bad_if_there);
  EXPECT_EQ(stated.panel->bad_mark->feature.body.rotation_deg,
            code.panel->bad_mark->feature.body.rotation_deg);
  const auto load = [](const std::filesystem::path& file, config::Problems& problems) {
    load_recipe(file, problems);
  };
  for (const std::string header : {"panel", "panel.bad_mark", "panel.serial"}) {
    auto shown = testing::shown_keys(sample, header);
    if (header == "panel") shown.insert({"bad_mark", "serial"});  // tables of their own
    for (const std::string& key : testing::known_keys(folder, whole, header, load))
      EXPECT_TRUE(shown.count(key)) << "[" << header << "] " << key;
  }
}

}  // namespace
}  // namespace datum::recipe_panel_test
