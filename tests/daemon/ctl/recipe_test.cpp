// datumctl recipe: differences by value, floors and changed components of tried boards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "daemon/ctl/recipe_check.h"
#include "daemon/ctl/recipe_diff.h"
#include "daemon/ctl/recipe_trial.h"

namespace datum::recipe_commands {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> diff(const std::string& a, const std::string& b) {
  std::vector<std::string> lines;
  for (const auto& d : differences_of(config::parse_toml(a, "a"), config::parse_toml(b, "b")))
    lines.push_back(d.key + ": " + d.a + " | " + d.b);
  return lines;
}

const std::string board = R"(schema = 1
[floor]
outer_margin_mm = 1.3  # ring
[package.SOIC8]
body_mm = [4.9, 3.9]
[[package.SOIC8.check]]
characteristic = "tilt"
upper_mdeg = 800
[[component]]
reference = "C1"
centre_mm = [20.0, 30.0]
[[component]]
reference = "U3"
package = "SOIC8"
centre_mm = [60.0, 30.0]
)";

std::string edited(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(RecipeDiff, FormAndOrderDoNotCount) {
  const std::string compact =
      R"(package.SOIC8 = { check = [{ upper_mdeg = 800.0, characteristic = "tilt" }], body_mm = [4.9, 3.9] }
schema = 1
component = [ { centre_mm = [60, 30], reference = "U3", package = "SOIC8" }, { reference = "C1", centre_mm = [20, 30] } ]
floor = { outer_margin_mm = 1.3 }
)";
  EXPECT_THAT(diff(board, compact), IsEmpty());
}

TEST(RecipeDiff, NamesEachValueByItsComponent) {
  EXPECT_THAT(diff(board, edited(board, "[20.0, 30.0]", "[20.5, 30.0]")),
              ElementsAre("C1.centre_mm: [20, 30] | [20.5, 30]"));
  EXPECT_THAT(diff(board, edited(board, "upper_mdeg = 800", "upper_mdeg = 600")),
              ElementsAre("package.SOIC8.check[tilt].upper_mdeg: 800 | 600"));
  EXPECT_THAT(diff(board, edited(board, "outer_margin_mm = 1.3", "inner_margin_mm = 0.3")),
              ElementsAre("floor.inner_margin_mm:  | 0.3", "floor.outer_margin_mm: 1.3 | "));
  EXPECT_THAT(diff(board, edited(board, "body_mm = [4.9, 3.9]", "body_mm = 4.9")),
              ElementsAre("package.SOIC8.body_mm: [4.9, 3.9] | 4.9"));
}

TEST(RecipeDiff, AComponentThatOneLacksIsOneDifference) {
  const std::string fewer = board.substr(0, board.rfind("[[component]]"));
  const std::string u3 = "{ centre_mm = [60, 30], package = \"SOIC8\", reference = \"U3\" }";
  EXPECT_THAT(diff(board, fewer), ElementsAre("U3: " + u3 + " | "));
  EXPECT_THAT(diff(fewer, board), ElementsAre("U3:  | " + u3));
  EXPECT_THAT(diff(board, edited(board, "reference = \"C1\"", "reference = \"U3\"")),
              ElementsAre("C1: { centre_mm = [20, 30], reference = \"C1\" } | ", "U3#2:  | " + u3,
                          "U3.centre_mm: [60, 30] | [20, 30]", "U3.package: \"SOIC8\" | "))
      << "twice the same reference";
}

ComponentVerdict component(const std::string& reference, Decision decision, Reason reason = Reason::none) {
  ComponentVerdict c;
  c.reference = reference;
  c.decision = decision;
  CheckVerdict check;
  check.check.characteristic = Characteristic::median;
  check.check.lower = 460;
  check.check.upper = 540;
  check.decision = decision;
  check.reason = reason;
  check.value = 700.123;
  c.checks = {check};
  return c;
}

TEST(RecipeTrial, NamesChangedComponentsWithTheCheckThatDecided) {
  BoardVerdict then, now;
  then.components = {component("C1", Decision::pass), component("C2", Decision::pass),
                     component("C3", Decision::pass)};
  now.components = {component("C1", Decision::fail), component("C2", Decision::invalid, Reason::floor_sides),
                    component("C4", Decision::pass)};
  EXPECT_THAT(
      changed_components(then, now),
      ElementsAre("C1 PASS -> FAIL (median 700.1 um, 460 to 540)", "C2 PASS -> INVALID (FLOOR_SIDES)",
                  "C4 not measured -> PASS (median 700.1 um, 460 to 540)", "C3 PASS -> not measured"));
  EXPECT_THAT(changed_components(then, then), IsEmpty());
}

TEST(RecipeTrial, CountsFloorsThatAreRefused) {
  TriedBoard good, bad, gone;
  good.now.emplace().components = {component("C1", Decision::fail), component("C2", Decision::pass)};
  bad.now.emplace().components = {component("C1", Decision::invalid, Reason::floor_rms),
                                  component("C2", Decision::invalid, Reason::body_coverage)};
  const FloorShare share = floor_share({good, bad, gone, bad});
  EXPECT_EQ(share.components, 6);
  EXPECT_EQ(share.good, 4);
  ASSERT_EQ(share.refused.size(), 1u);
  EXPECT_EQ(share.refused[0].reference + " " + share.refused[0].reason, "C1 FLOOR_RMS");
  EXPECT_EQ(share.refused[0].boards, 2);
}

TEST(RecipeCheck, ListsWhatNobodyConfirmedFloorsAndTime) {
  RecipeReport report;
  report.warnings = {"r.toml:3:1: doubt"};
  report.of = "r";
  Recipe& recipe = report.recipe.emplace();
  recipe.name = "r";
  recipe.sha256 = "ab";
  for (const char* reference : {"C1", "C2", "C3"}) {
    Component c;
    c.reference = reference;
    c.nominal_height_um = 450;
    c.nominal_confirmed = std::string(reference) == "C1";
    recipe.components.push_back(c);
  }
  recipe.components[1].nominal_source = "the package's name";
  recipe.confirmations = {{"A. Smith", "2026-11-21T08:00:00Z", {"C1"}, {"f1", "f2"}}};
  EXPECT_EQ(status_of(report), 10) << "no frame";
  EXPECT_THAT(
      report_text(report),
      ::testing::HasSubstr("heights: 1 confirmed, 2 not: these cannot PASS\n"
                           "  C2: nominal_um = 450 from the package's name\n"
                           "  C3: nominal_um = 450 from an unstated source\n"
                           "confirmed by A. Smith at 2026-11-21T08:00:00Z: 1 components, 2 frames\n"));
  EXPECT_TRUE(nlohmann::json::parse(report_json(report))["frames"]["time_of_board_ms"].is_null());
  TriedBoard good, gone;
  good.now.emplace().components = {component("C1", Decision::pass),
                                   component("C2", Decision::invalid, Reason::floor_rms)};
  good.ms = 12.5;
  gone.why = "the frame is gone";
  report.boards = {good, gone};
  EXPECT_EQ(status_of(report), 0);
  const auto json = nlohmann::json::parse(report_json(report));
  EXPECT_EQ(json["unconfirmed"].size(), 2u);
  EXPECT_EQ(json["unconfirmed"][0]["reference"], "C2");
  EXPECT_EQ(json["confirmations"][0]["by"], "A. Smith");
  EXPECT_EQ(json["warnings"][0], "r.toml:3:1: doubt");
  EXPECT_EQ(json["frames"]["results"], 2);
  EXPECT_EQ(json["frames"]["measured"], 1);
  EXPECT_EQ(json["frames"]["not_measured"][0]["why"], "the frame is gone");
  EXPECT_EQ(json["frames"]["floors"]["good"], 1);
  EXPECT_EQ(json["frames"]["floors"]["refused"][0]["reason"], "FLOOR_RMS");
  EXPECT_EQ(json["frames"]["time_of_board_ms"], 12.5);
  report.recipe.reset();
  report.errors = {"r.toml:1:1: wrong"};
  EXPECT_EQ(status_of(report), 1);
  EXPECT_EQ(nlohmann::json::parse(report_json(report))["errors"][0], "r.toml:1:1: wrong");
}

}  // namespace
}  // namespace datum::recipe_commands
