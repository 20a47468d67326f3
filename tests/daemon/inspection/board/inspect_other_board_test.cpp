// A recipe without [alignment] that is shown a board turned by 180 degrees, or another board.
#include <gtest/gtest.h>

#include <random>

#include "daemon/inspection/recipe/panel_orientation.h"
#include "tests/daemon/inspection/board/inspect_fixture.h"

namespace datum::inspect_other_board_test {
namespace {

using testing::Scene;

constexpr double low_um = 400, high_um = 600;  // limits of +- 50 um have no height in common

/// Four parts of two heights, one in each quarter of the board, their rings free. Symmetric: the third and fourth lie where the first two come to
/// lie when the board is turned.
Scene drawn(unsigned seed, bool symmetric) {
  std::mt19937 random(seed);
  const auto draw = [&](double from, double to) {
    return std::uniform_real_distribution<>(from, to)(random);
  };
  Scene s = testing::make_scene();
  s.recipe.floor.outer_margin_mm = 0.6;
  s.recipe.components.clear();
  for (int k = 0; k < 4; ++k) {
    Component c = testing::box("U" + std::to_string(k + 1), draw(2.2, 3.8) + 6 * (k % 2),
                               draw(1.8, 2.2) + 4 * (k / 2), 0, random() % 2 ? low_um : high_um);
    if (symmetric && k >= 2)
      c.body.centre_mm = s.recipe.board_size_mm - s.recipe.components[std::size_t(3 - k)].body.centre_mm;
    s.recipe.components.push_back(c);
  }
  return s;
}

/// What the recipe of one scene says of the board of another one, turned by 180 degrees about its middle if asked.
BoardVerdict shown_to(const Recipe& recipe, Scene other, bool is_turned) {
  if (is_turned)
    for (Component& c : other.recipe.components)
      c.body.centre_mm = other.recipe.board_size_mm - c.body.centre_mm;
  testing::render(other);
  other.recipe = recipe;
  return other.inspect();
}

int missing_parts(const BoardVerdict& v) {
  int n = 0;
  for (const ComponentVerdict& c : v.components) n += c.defect && c.defect->word == Defect::missing;
  return n;
}

TEST(InspectOtherBoard, ATurnedBoardPassesWhereTheRecipeIsWarnedOfItAlone) {
  int warned = 0, noticed = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const Scene s = drawn(seed, seed % 2 == 0);
    ASSERT_EQ(shown_to(s.recipe, s, false).decision, Decision::pass) << seed;
    const BoardVerdict turned = shown_to(s.recipe, s, true);
    if (turned_unnoticed(s.recipe).empty()) {
      EXPECT_EQ(turned.decision, Decision::fail) << seed;
      ++noticed;
    } else {
      ++warned;  // equal heights change places: no height tells them apart
    }
  }
  EXPECT_GE(noticed, 3);
  EXPECT_GE(warned, 1);
}

TEST(InspectOtherBoard, AnotherBoardFailsAndItsPartsAreMissing) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const Scene s = drawn(2 * seed + 1, false);
    const BoardVerdict v = shown_to(s.recipe, drawn(seed + 100, seed % 2 == 0), seed % 3 == 0);
    EXPECT_NE(v.decision, Decision::pass) << seed;
  }
  Scene bare = drawn(1, false);
  const Recipe recipe = bare.recipe;
  for (Component& c : bare.recipe.components) c.body.centre_mm.y() = 4;  // between the recipe's places
  const BoardVerdict v = shown_to(recipe, bare, false);
  EXPECT_NE(v.decision, Decision::pass);
  EXPECT_GE(missing_parts(v), 1) << "named in a word";
}

/// U1 and U2 change places and are alike: U3 tells, whose place is bare when the board lies turned, if its limits ask for it.
TEST(InspectOtherBoard, APartWhosePlaceIsBareTellsTheTurnIfItsLimitsDo) {
  Recipe recipe = testing::make_scene().recipe;
  recipe.components = {testing::box("U1", 3, 4, 0, low_um), testing::box("U2", 9, 4, 0, low_um),
                       testing::box("U3", 3, 1.5, 0, low_um)};
  EXPECT_EQ(turned_unnoticed(recipe), "");
  recipe.components[2].checks[0].lower.reset();
  EXPECT_EQ(turned_unnoticed(recipe), "U2 would be measured as U1");
  recipe.components[2].checks[0].lower = low_um / 2 - 1;  // bare board and noise may reach it
  EXPECT_EQ(turned_unnoticed(recipe), "U2 would be measured as U1");
}

}  // namespace
}  // namespace datum::inspect_other_board_test
