// Codes on the boards of a panel: each board has its own number, and what may not pass where one is missing or contradicts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/toml_reader.h"
#include "daemon/cell/board.h"
#include "daemon/inspection/recipe/code_region.h"
#include "daemon/inspection/recipe/panel_recipe.h"
#include "drivers/codes/data_matrix.h"
#include "gpu/board/cpu_board.h"
#include "tests/daemon/cell/print_on_board.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace panel_code_test {
namespace {

using ::testing::HasSubstr;

class InProcess final : public CodeReader {
 public:
  std::vector<ReadCode> read(const GreyImage& image) const override { return read_data_matrix(image); }
};

const std::string by_code =
    "[panel.serial]\nmissing = \"invalid\"\ncode = { centre_mm = [2.2, 2.0], size_mm = [4.0, 3.6] }\n";

/// 3 x 2 boards of 4.4 x 4 mm with one part each.
Recipe recipe_of(const std::string& serial, const std::string& parts = "") {
  config::Problems problems;
  Recipe recipe = recipe_from_text(R"(schema = 1
name = "panel"
sensor_serial = "S1"
board = { size_mm = [4.4, 4.0], coordinates = "sensor", origin_mm = [0, 0, 0] }
floor = { inner_margin_mm = 0.2, outer_margin_mm = 0.7, neighbour_margin_mm = 0.2, min_side_pixels = 30, surface_um = 0 }
decision = { rule = "14253" }
serial = { missing = "unknown" }
[panel]
size_mm = [13.6, 8.2]
keyed_fixture = true
columns = 3
rows = 2
pitch_mm = [4.6, 4.2]
)" + serial + R"(
[package.P]
body_mm = [1.2, 0.8]
nominal_um = 400
characteristic = "median"
tolerance_um = 50
[[component]]
reference = "U1"
package = "P"
centre_mm = [1.3, 1.2]
)" + parts,
                                   "panel.toml", problems);
  problems.throw_first();
  return recipe;
}

std::string refusal(const std::string& serial) {
  try {
    recipe_of(serial);
    return "loads";
  } catch (const config::ConfigError& error) {
    return error.what();
  }
}

struct Rig {
  testing::FreshFolder folder;
  ResultStore store{folder.path() / "results.db"};
  testing::Scene scene = testing::make_scene();
  Backend backend;
  CpuBoardMeasurer measurer{backend};
  InProcess reader;
  Recipe recipe;
  BoardOrder order;

  explicit Rig(const std::string& serial = by_code) : recipe(recipe_of(serial)) {
    scene.recipe = panel_as_board(recipe);
    testing::render(scene);
    testing::make_bare(scene);
    order.codes = &reader;
  }
  void print(std::size_t board, const std::string& bytes) {
    testing::print_on_board(scene, recipe.panel->boards[board], bytes, {2.2, 2.0});
  }
  void print_all() {
    for (std::size_t i = 0; i < 6; ++i) print(i, "SN-1" + std::to_string(i));
  }
  void state(const std::vector<std::string>& serials) {
    scene.frame.panel.emplace();
    scene.frame.panel->serials = serials;
  }
  BoardVerdict measured() {
    order.recipe = std::make_shared<Recipe>(recipe);
    order.sensor = &scene.sensor;
    order.measurer = &measurer;
    order.threads = 1;
    order.frame = DroppedFrame{scene.frame, {"S1", "F1", "beef"}};
    measure(order, 1'000'000'000);
    store_results({&order}, store);
    EXPECT_EQ(order.store_error, "");
    return store.latest()->verdict();
  }
};

std::string words(const BoardVerdict& v) {
  std::string text;
  for (const PanelBoard& b : v.boards)
    text += (text.empty() ? "" : " ") + b.name + "=" + word_of(b) + ":" + b.unit_id;
  return text;
}

TEST(PanelCode, EachBoardHasTheNumberOfItsOwnCode) {
  Rig rig;
  rig.print_all();
  const BoardVerdict v = rig.measured();
  EXPECT_EQ(words(v),
            "1-1=PASS:SN-10 2-1=PASS:SN-11 3-1=PASS:SN-12 1-2=PASS:SN-13 2-2=PASS:SN-14 3-2=PASS:SN-15");
  EXPECT_EQ(v.decision, Decision::pass) << v.detail;
}

TEST(PanelCode, ABoardWithoutACodeIsInvalidAndItsNeighboursAreNot) {
  Rig rig;
  for (const std::size_t i : {0, 1, 2, 4, 5}) rig.print(i, "SN-1" + std::to_string(i));
  const BoardVerdict v = rig.measured();
  EXPECT_EQ(words(v),
            "1-1=PASS:SN-10 2-1=PASS:SN-11 3-1=PASS:SN-12 1-2=INVALID: 2-2=PASS:SN-14 3-2=PASS:SN-15");
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_EQ(v.boards[3].reason, Reason::serial);
  EXPECT_THAT(v.boards[3].detail, HasSubstr("no code is read in panel.serial.code"));
  ASSERT_EQ(v.components.size(), 6u);
  EXPECT_EQ(v.components[3].reference, "U1@1-2") << "rows keep their places";
  EXPECT_EQ(v.components[3].checks[0].reason, Reason::serial);
  EXPECT_EQ(v.components[4].checks[0].decision, Decision::pass);
}

TEST(PanelCode, TheSameNumberTwiceMakesBothBoardsInvalidAndNamesThem) {
  Rig rig;
  rig.print_all();
  rig.print(4, "SN-11");
  const BoardVerdict v = rig.measured();
  EXPECT_EQ(words(v),
            "1-1=PASS:SN-10 2-1=INVALID: 3-1=PASS:SN-12 1-2=PASS:SN-13 2-2=INVALID: 3-2=PASS:SN-15");
  EXPECT_EQ(v.boards[1].detail, "the boards 2-1 and 2-2 have the same serial number SN-11");
  EXPECT_EQ(v.boards[4].detail, "the boards 2-2 and 2-1 have the same serial number SN-11");
}

TEST(PanelCode, AStatedNumberMustBeThatOfItsCode) {
  Rig rig;
  for (const std::size_t i : {0, 1, 2, 3, 4}) rig.print(i, "SN-1" + std::to_string(i));
  rig.state({"SN-10", "SN-99", "", "SN-13", "SN-14", "SN-15"});
  const BoardVerdict v = rig.measured();
  EXPECT_EQ(words(v),
            "1-1=PASS:SN-10 2-1=INVALID: 3-1=PASS:SN-12 1-2=PASS:SN-13 2-2=PASS:SN-14 3-2=INVALID:");
  EXPECT_EQ(v.boards[1].detail, "the code on the board says SN-11, stated is SN-99");
  EXPECT_THAT(v.boards[5].detail, HasSubstr("which must confirm the number SN-15"));
}

TEST(PanelCode, ABadBoardStaysSkippedWhateverItsCodeSays) {
  Rig rig;
  for (const std::size_t i : {0, 2, 3, 4, 5}) rig.print(i, "SN-1" + std::to_string(i));
  rig.scene.frame.panel.emplace();
  rig.scene.frame.panel->bad = {"2-1"};
  const BoardVerdict v = rig.measured();
  EXPECT_EQ(words(v),
            "1-1=PASS:SN-10 2-1=SKIPPED: 3-1=PASS:SN-12 1-2=PASS:SN-13 2-2=PASS:SN-14 3-2=PASS:SN-15");
  EXPECT_EQ(v.decision, Decision::pass);
}

TEST(PanelCode, APlaceOnItsPanelIsANumberWhereThePanelHasOne) {
  const std::string by_place = "[panel.serial]\nmissing = \"position\"\n";
  Rig rig(by_place);
  rig.order.unit = "P-4711";
  rig.state({"", "", "SN-3", "", "", ""});
  EXPECT_EQ(words(rig.measured()),
            "1-1=PASS:P-4711@1-1 2-1=PASS:P-4711@2-1 3-1=PASS:SN-3 1-2=PASS:P-4711@1-2 2-2=PASS:P-4711@2-2 "
            "3-2=PASS:P-4711@3-2");
  Rig unknown(by_place);
  const BoardVerdict v = unknown.measured();
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_THAT(v.boards[0].detail, HasSubstr("the panel has none"));
}

TEST(PanelCode, WhatCantBeLookedAtIsNoSilentBoard) {
  Rig without;
  without.scene.frame.intensity.reset();
  const BoardVerdict v = without.measured();
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_THAT(v.boards[2].detail, HasSubstr("the frame has no intensity image"));
  Rig unread;
  unread.order.codes = nullptr;
  EXPECT_THAT(unread.measured().boards[0].detail, HasSubstr("nobody reads codes here"));
}

/// Boards of three parts that are found within 0.6 mm of their places; the second lies 0.45 and -0.4 mm off, with its print.
struct ShiftedRig : Rig {
  static constexpr double x_mm = 0.45, y_mm = -0.4;

  explicit ShiftedRig(const std::string& alignment) : Rig(by_code) {
    const std::string parts =
        "[[component]]\nreference = \"U2\"\npackage = \"P\"\ncentre_mm = [3.1, 2.7]\nrotation_deg = 90\n"
        "[[component]]\nreference = \"U3\"\npackage = \"P\"\ncentre_mm = [1.3, 2.9]\n";
    recipe = recipe_of(
        "[panel.serial]\nmissing = \"invalid\"\ncode = { centre_mm = [2.2, 2.0], size_mm = [2.1, 2.1] }\n" +
            alignment,
        parts);
    scene.recipe = panel_as_board(recipe);
    for (Component& c : scene.recipe.components)
      if (c.reference.ends_with("@2-1")) c.body.centre_mm += Eigen::Vector2d(x_mm, y_mm);
    testing::render(scene);
    testing::make_bare(scene);
    for (std::size_t i = 0; i < 6; ++i)
      testing::print_on_board(scene, recipe.panel->boards[i], "SN-1" + std::to_string(i),
                              i == 1 ? Eigen::Vector2d(2.2 + x_mm, 2.0 + y_mm) : Eigen::Vector2d(2.2, 2.0));
  }
};

TEST(PanelCode, IsReadWhereAlignmentFoundItsBoard) {
  ShiftedRig rig("[alignment]\nmax_shift_mm = 0.6\nmax_rotation_deg = 2\nsearch_turned = false\n");
  const BoardVerdict v = rig.measured();
  EXPECT_EQ(words(v),
            "1-1=PASS:SN-10 2-1=PASS:SN-11 3-1=PASS:SN-12 1-2=PASS:SN-13 2-2=PASS:SN-14 3-2=PASS:SN-15")
      << v.boards[1].detail;
}

TEST(PanelCode, TheRecipesRegionLiesOnTheBoard) {
  EXPECT_EQ(refusal(by_code), "loads");
  EXPECT_THAT(
      refusal("[panel.serial]\nmissing = \"invalid\"\ncode = { centre_mm = [2.2, 2.0], size_mm = [5.0, "
              "3.6] }\n"),
      HasSubstr("the region leaves the board"));
  EXPECT_THAT(refusal("[panel.serial]\n"), HasSubstr("missing"));
}

}  // namespace
}  // namespace panel_code_test
}  // namespace datum
