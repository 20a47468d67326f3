// A panel of boards in one frame: each board by itself, bad boards, and what is stated of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/toml_reader.h"
#include "daemon/inspection/recipe/panel_recipe.h"
#include "tests/daemon/inspection/board/inspect_fixture.h"

namespace datum::inspect_panel_test {
namespace {

using testing::change_pixels;
using ::testing::HasSubstr;
using testing::Scene;

constexpr double mark_um = 100, sticker_mm = 0.9;

/// 3 x 2 boards of 4.4 x 4 mm with two parts and a mark; `more` stands before the packages.
std::string text_of(const std::string& more = "", const std::string& bad_if = "there") {
  return R"(schema = 1
name = "panel"
sensor_serial = "S1"
board = { size_mm = [4.4, 4.0], coordinates = "sensor", origin_mm = [0, 0, 0] }
floor = { inner_margin_mm = 0.2, outer_margin_mm = 0.7, neighbour_margin_mm = 0.2, min_side_pixels = 30, surface_um = 0 }
decision = { rule = "14253" }
[panel]
size_mm = [13.6, 8.2]
keyed_fixture = true
columns = 3
rows = 2
pitch_mm = [4.6, 4.2]
[panel.bad_mark]
centre_mm = [3.6, 0.9]
size_mm = [0.6, 0.6]
height_um = 100
bad_if = ")" +
         bad_if + "\"\n" + more + R"(
[package.P]
body_mm = [1.2, 0.8]
nominal_um = 400
characteristic = "median"
tolerance_um = 50
[[component]]
reference = "U1"
package = "P"
centre_mm = [1.3, 1.2]
[[component]]
reference = "U2"
package = "P"
centre_mm = [3.1, 2.7]
rotation_deg = 90
)";
}

Recipe loaded(const std::string& text) {
  config::Problems problems;
  Recipe recipe = recipe_from_text(text, "panel.toml", problems);
  problems.throw_first();
  return recipe;
}

/// The panel with stickers of `high_um` on the boards named, `off_mm` beside their marks along x.
Scene panel_scene(const std::vector<std::string>& stickers = {}, double high_um = mark_um, double off_mm = 0,
                  const std::string& text = text_of()) {
  Scene s = testing::make_scene();
  const Recipe recipe = loaded(text);
  s.recipe = panel_as_board(recipe);
  for (const PanelPlace& place : recipe.panel->places)
    if (std::find(stickers.begin(), stickers.end(), place.name) != stickers.end()) {
      Component sticker = recipe.panel->bad_mark->feature;
      sticker.body = on_panel(place, sticker.body);
      sticker.body.centre_mm.x() += off_mm;
      sticker.body.size_mm.setConstant(sticker_mm);
      sticker.nominal_height_um = high_um;
      s.recipe.components.push_back(sticker);
    }
  testing::render(s);
  s.recipe = recipe;
  return s;
}

/// Removes the part of one board: its pixels become floor, with the noise of a place beside it.
void remove_part(Scene& s, const std::string& reference) {
  for (const Component& c : panel_as_board(s.recipe).components) {
    if (c.reference != reference) continue;
    const Eigen::Vector2d half = Eigen::Vector2d::Constant(0.9), at = c.body.centre_mm;
    change_pixels(s, at.x() - half.x(), at.y() - half.y(), at.x() + half.x(), at.y() + half.y(),
                  [&](int row, int col, std::int16_t& count, PixelClass&) {
                    count = static_cast<std::int16_t>(std::lround(
                        (2e-3 * testing::noise_of(row, col) - s.frame.z.offset_mm) / s.frame.z.scale_mm));
                  });
  }
}

const PanelBoard& board(const BoardVerdict& v, const std::string& name) {
  for (const PanelBoard& b : v.boards)
    if (b.name == name) return b;
  throw std::invalid_argument(name);
}

std::string words(const BoardVerdict& v) {
  std::string text;
  for (const PanelBoard& b : v.boards) text += (text.empty() ? "" : " ") + b.name + "=" + word_of(b);
  return text;
}

TEST(InspectPanel, MeasuresEachBoardAsIfItLayAlone) {
  Scene s = panel_scene();
  const BoardVerdict all = s.inspect();
  BoardVerdict on_four = s.inspect(4);
  on_four.backend = all.backend;  // names the number of threads
  EXPECT_EQ(all.decision, Decision::pass) << words(all) << all.detail;
  EXPECT_TRUE(to_json(all) == to_json(on_four));
  ASSERT_EQ(all.components.size(), 12u);
  const auto panel = s.recipe.panel;
  for (std::size_t i = 0; i < 6; ++i) {
    s.recipe = panel->boards[i];
    const BoardVerdict alone = s.inspect();
    BoardVerdict rows = alone;
    rows.components = {all.components[2 * i], all.components[2 * i + 1]};
    EXPECT_TRUE(to_json(rows) == to_json(alone)) << "in one call the same bytes";
    EXPECT_EQ(all.components[2 * i].reference, "U1@" + panel->places[i].name);
  }
}

TEST(InspectPanel, SkipsMarkedBoardsAndNoOthers) {
  Scene s = panel_scene({"2-1", "3-2"});
  const BoardVerdict v = s.inspect();
  EXPECT_EQ(words(v), "1-1=PASS 2-1=SKIPPED 3-1=PASS 1-2=PASS 2-2=PASS 3-2=SKIPPED");
  EXPECT_EQ(v.decision, Decision::pass);
  EXPECT_EQ(v.reason, Reason::none);
  EXPECT_THAT(board(v, "2-1").detail, HasSubstr("its bad-board mark is there"));
  ASSERT_TRUE(board(v, "1-1").mark);
  EXPECT_NEAR(board(v, "2-1").mark->checks[0].value, mark_um, 3);
  EXPECT_NEAR(board(v, "1-1").mark->checks[0].value, 0, 3);
  ASSERT_EQ(v.components.size(), 12u) << "rows keep their numbers";
  EXPECT_EQ(v.components[2].reference, "U1@2-1");
  EXPECT_TRUE(is_skipped(v.components[2]));
  EXPECT_EQ(component_counts(v), (std::array<std::uint32_t, 4>{8, 0, 0, 0}));
  EXPECT_EQ(counts_of(v.boards).skipped, 2u);
  EXPECT_TRUE(to_json(verdict_from_json(to_json(v))) == to_json(v));
}

TEST(InspectPanel, ABadPartFailsItsBoardAndThePanel) {
  Scene s = panel_scene({"1-1"});
  remove_part(s, "U2@3-1");
  remove_part(s, "U1@1-1");
  const BoardVerdict v = s.inspect();
  EXPECT_EQ(words(v), "1-1=SKIPPED 2-1=PASS 3-1=FAIL 1-2=PASS 2-2=PASS 3-2=PASS");
  EXPECT_EQ(v.decision, Decision::fail);
  EXPECT_EQ(component_counts(v), (std::array<std::uint32_t, 4>{9, 0, 1, 0}));
}

TEST(InspectPanel, ADoubtfulMarkIsNeitherGoodNorBad) {
  const auto of_first = [](const BoardVerdict& v) {
    const PanelBoard& b = board(v, "1-1");
    return std::string(word_of(b)) + " " + name_of(b.reason);
  };
  EXPECT_EQ(of_first(panel_scene({"1-1"}, mark_um, 0.5).inspect()), "INVALID PANEL")
      << "half of it beside its place";
  EXPECT_EQ(of_first(panel_scene({"1-1"}, mark_um / 2).inspect()), "INVALID PANEL") << "half as high";
  EXPECT_EQ(of_first(panel_scene({"1-1"}, mark_um / 4).inspect()), "PASS NONE") << "dirt";
  EXPECT_EQ(of_first(panel_scene({"1-1"}, 4 * mark_um).inspect()), "INVALID PANEL") << "a part stands there";
  for (const std::vector<std::string>& stickers : {std::vector<std::string>{}, {"1-1"}}) {
    Scene s = panel_scene(stickers);
    int n = 0;
    change_pixels(s, 3.3, 0.6, 3.9, 1.2, [&](int, int col, std::int16_t&, PixelClass& c) {
      if (col > 140) c = PixelClass::no_data, ++n;  // the right half of the mark
    });
    ASSERT_GT(n, 30);
    const BoardVerdict v = s.inspect();
    EXPECT_EQ(of_first(v), "INVALID PANEL") << stickers.size();
    EXPECT_EQ(v.decision, Decision::invalid);
    EXPECT_THAT(board(v, "1-1").detail, HasSubstr("have no height"));
    change_pixels(s, 3, 0.3, 4.2, 1.5,
                  [](int, int, std::int16_t&, PixelClass& c) { c = PixelClass::no_data; });
    EXPECT_EQ(of_first(s.inspect()), "INVALID PANEL") << "nothing is seen of it";
  }
}

TEST(InspectPanel, AMarkMayBeAFeatureThatGoodBoardsHave) {
  const BoardVerdict v =
      panel_scene({"1-1", "2-1", "3-1", "1-2", "2-2"}, mark_um, 0, text_of("", "absent")).inspect();
  EXPECT_EQ(words(v), "1-1=PASS 2-1=PASS 3-1=PASS 1-2=PASS 2-2=PASS 3-2=SKIPPED");
}

TEST(InspectPanel, NothingMeasuredIsNoPass) {
  const BoardVerdict v = panel_scene({"1-1", "2-1", "3-1", "1-2", "2-2", "3-2"}).inspect();
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_EQ(v.reason, Reason::panel);
  EXPECT_THAT(v.detail, HasSubstr("all 6 boards are skipped"));
}

TEST(InspectPanel, TakesSerialsAndBadBoardsFromTheDelivery) {
  Scene s = panel_scene();
  s.frame.panel = PanelStatement{{"A", "B", "", "", "E", "F"}, {"2-2"}};
  const BoardVerdict v = s.inspect();
  EXPECT_EQ(v.decision, Decision::pass);
  EXPECT_EQ(board(v, "2-1").unit_id, "B");
  EXPECT_EQ(board(v, "3-1").unit_id, "");
  EXPECT_EQ(board(v, "2-2").unit_id, "E");
  EXPECT_STREQ(word_of(board(v, "2-2")), "SKIPPED");
}

TEST(InspectPanel, RefusesStatementsThatCannotBeRight) {
  const auto refused = [](PanelStatement stated) {
    Scene s = panel_scene();
    s.frame.panel = std::move(stated);
    const BoardVerdict v = s.inspect();
    EXPECT_EQ(v.decision, Decision::invalid);
    EXPECT_EQ(v.reason, Reason::panel);
    EXPECT_EQ(v.boards.size(), 6u);
    EXPECT_EQ(v.components.size(), 12u);
    return v.detail;
  };
  EXPECT_THAT(refused({{"A", "B", "C", "D", "E", "F", "G"}, {}}),
              HasSubstr("7 serial numbers are stated of a panel of 6"));
  EXPECT_THAT(refused({{"A"}, {}}), HasSubstr("1 serial numbers are stated of a panel of 6"));
  EXPECT_THAT(refused({{"A", "B", "C", "B", "E", "F"}, {}}),
              HasSubstr("the boards 2-1 and 1-2 have the same serial number B"));
  EXPECT_THAT(refused({{}, {"4-1"}}), HasSubstr("board '4-1' is stated as bad"));
  Scene s = panel_scene();
  s.frame.panel = PanelStatement{};
  s.recipe = s.recipe.panel->boards[0];
  EXPECT_THAT(s.inspect().detail, HasSubstr("the recipe describes one board"));
}

TEST(InspectPanel, BoardsOutOfTheFrameAreInvalidEach) {
  Scene s = panel_scene();
  s.frame.x.offset_mm += 7;  // the frame shows the right half alone
  const BoardVerdict v = s.inspect();
  EXPECT_EQ(v.decision, Decision::invalid);
  for (const char* name : {"1-1", "1-2"}) {
    EXPECT_EQ(board(v, name).decision, Decision::invalid);
    EXPECT_THAT(board(v, name).detail, HasSubstr("OUT_OF_VIEW"));
  }
}

TEST(InspectPanel, HundredsOfBoardsOfWhichTheFrameShowsSix) {
  std::string text = text_of();
  const auto change = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  change("size_mm = [13.6, 8.2]", "size_mm = [92.0, 84.0]");
  change("columns = 3\nrows = 2", "columns = 20\nrows = 20");
  Scene s = panel_scene();
  s.recipe = loaded(text);
  const BoardVerdict v = s.inspect();
  EXPECT_EQ(v.decision, Decision::invalid);
  ASSERT_EQ(v.boards.size(), 400u);
  int passed = 0;
  for (const PanelBoard& b : v.boards) {
    passed += b.decision == Decision::pass;
    if (b.decision == Decision::pass) continue;
    EXPECT_EQ(b.decision, Decision::invalid) << b.name;
    EXPECT_EQ(b.reason, Reason::panel) << b.name;
    EXPECT_THAT(b.detail, HasSubstr("OUT_OF_VIEW")) << "its mark is not seen";
  }
  EXPECT_EQ(passed, 6);
}

TEST(InspectPanel, MeasuresTurnedBoards) {
  std::string text = text_of();
  const std::string grid = "columns = 3\nrows = 2\npitch_mm = [4.6, 4.2]\n";
  text.replace(text.find(grid), grid.size(),
               "place = [{ name = \"A\", origin_mm = [0, 0] }, { name = \"B\", origin_mm = [9.2, 4], "
               "rotation_deg = 180 }]\n");
  const BoardVerdict v = panel_scene({"B"}, mark_um, 0, text).inspect();
  EXPECT_EQ(words(v), "A=PASS B=SKIPPED") << v.detail;
  EXPECT_EQ(words(panel_scene({}, mark_um, 0, text).inspect()), "A=PASS B=PASS");
}

TEST(InspectPanel, NoHeightTellsALookAlikePanelThatLiesTurned) {
  const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  const std::string text = replaced(text_of(), R"(centre_mm = [3.1, 2.7]
rotation_deg = 90
)",
                                    "centre_mm = [3.1, 2.8]\n");
  Scene s = panel_scene({}, mark_um, 0, text);
  const Recipe recipe = s.recipe;
  s.recipe = panel_as_board(recipe);
  for (Component& c : s.recipe.components) c.body.centre_mm = recipe.panel->size_mm - c.body.centre_mm;
  testing::render(s);
  s.recipe = recipe;
  EXPECT_EQ(words(s.inspect()), "1-1=PASS 2-1=PASS 3-1=PASS 1-2=PASS 2-2=PASS 3-2=PASS")
      << "so the fixture must take it in one way alone, and the recipe must say so";
  EXPECT_THROW(loaded(replaced(text, "keyed_fixture = true", "")), config::ConfigError);
}

TEST(InspectPanel, AccountsForAFilterBoardByBoard) {
  const BoardVerdict v =
      panel_scene({"2-1"}, mark_um, 0, text_of("[filter]\nkind = \"perona_malik\"\n")).inspect();
  EXPECT_EQ(words(v), "1-1=PASS 2-1=SKIPPED 3-1=PASS 1-2=PASS 2-2=PASS 3-2=PASS") << v.detail;
  const auto& budget = v.components.front().checks.front().budget;
  EXPECT_TRUE(
      std::any_of(budget.begin(), budget.end(), [](const auto& term) { return term.name == "filter"; }));
}

}  // namespace
}  // namespace datum::inspect_panel_test
