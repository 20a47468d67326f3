// The short form of ./datum placements: the demonstration's board, with its noise and worse.
#include <gtest/gtest.h>

#include <regex>

#include "tests/fresh_folder.h"
#include "tests/sample_file.h"
#include "tests/statistics/placement_campaign.h"
#include "tests/statistics/placement_holes.h"
#include "tests/statistics/placement_marks.h"

namespace datum::placement_test {
namespace {

using namespace statistics;

/// The recipe in sensor coordinates: a registration needs no calibration.
std::filesystem::path demo_recipe(const testing::FreshFolder& folder) {
  const std::string text = testing::slurp(DATUM_SOURCE_DIR "/config/recipes/demo-board.toml");
  const std::regex machine("coordinates = \"machine\"[^\\n]*\\norigin_mm = [^\\n]*\\nrotation_deg = [^\\n]*");
  return folder.write(
      "demo.toml", std::regex_replace(text, machine, "coordinates = \"sensor\"\norigin_mm = [-50, -40, 0]"));
}

TEST(Placement, EveryBoardIsFoundAndNoTurnedOnePasses) {
  const testing::FreshFolder folder;
  const std::vector<PlacedBoard> boards{
      load_placed_board(demo_recipe(folder), "", DATUM_SOURCE_DIR "/config/twins/demo.toml", 1000)};
  PlacementPlan plan;
  plan.placements = 30;
  plan.threads = 2;
  const PlacementTally t = run_placements(boards, 0, plan);
  for (const std::string& text : t.missed) ADD_FAILURE() << text;
  EXPECT_EQ(t.found, t.designed);
  EXPECT_GE(t.designed, 20);
  EXPECT_EQ(t.named, t.turned);
  EXPECT_EQ(t.wrong_passed, 0);
  // 0.11 mm a pixel, parts of up to 3 mm on boards bowed by 200 um (standard deviation): tops lean by 20 um and more, which the form
  // tells. A body's middle by two edges of hundreds of pixels is known to a twentieth of a pixel where they cross the pixels and to
  // a fifth where they lie along them, 22 bodies to a quarter of that; three deviations.
  for (const double um : t.own_um) EXPECT_LT(um, 15);
  for (const double mdeg : t.own_mdeg) EXPECT_LT(mdeg, 20);
  EXPECT_GE(share_covered(t.shift_sigmas), 0.85) << "of some 50: 95 % less three deviations";
}

TEST(Placement, FiducialsPlaceABoardCloserThanItsPartsDo) {
  const testing::FreshFolder folder;
  std::vector<PlacedBoard> boards{
      load_placed_board(demo_recipe(folder), "", DATUM_SOURCE_DIR "/config/twins/demo.toml", 1000)};
  boards[0].marks = marks_of(boards[0].recipe, boards[0].cell.view.x.scale_mm);
  PlacementPlan plan;
  plan.placements = 30;
  plan.threads = 2;
  const PlacementTally t = run_placements(boards, 0, plan);
  for (const std::string& text : t.missed)
    if (text.find("calm") != std::string::npos) ADD_FAILURE() << text;
  EXPECT_GE(t.found + t.unmarked, 15);
  EXPECT_EQ(t.named, t.turned);
  EXPECT_EQ(t.wrong_passed, 0);
  // A mark is known to 5 um (artwork) and a tenth of a pixel of 0.11 mm where a scratch or glare takes a part of its edge; two marks
  // 90 mm from each other to 0.7 of that in shift, and to 14 um in 45 mm: 10 mdeg; three deviations.
  for (const double um : t.off_um) EXPECT_LT(um, 25);
  for (const double mdeg : t.off_mdeg) EXPECT_LT(mdeg, 30);
  EXPECT_GE(share_covered(t.shift_sigmas), 0.85) << "of some 40: 95 % less three deviations";
}

/// Boards whose parts are displaced together by 10 um, holes by 50 and the outline by 100: found, never turned, and U covers.
TEST(Placement, HolesAndOutlineJoinThePartsOfABoard) {
  const testing::FreshFolder folder;
  std::vector<PlacedBoard> boards{
      load_placed_board(demo_recipe(folder), "", DATUM_SOURCE_DIR "/config/twins/demo.toml", 1000)};
  boards[0].holes = holes_of(boards[0].recipe, {}, {}, boards[0].cell.view.x.scale_mm);
  boards[0].edges = sides_of(boards[0].recipe.board_size_mm);
  PlacementPlan plan;
  plan.placements = 30;
  plan.threads = 2;
  plan.record = (folder / "record.jsonl").string();
  const PlacementTally t = run_placements(boards, 0, plan);
  for (const std::string& text : t.missed) ADD_FAILURE() << text;
  EXPECT_GE(t.designed, 15);
  EXPECT_EQ(t.found, t.designed);
  EXPECT_EQ(t.named, t.turned);
  EXPECT_EQ(t.wrong_passed, 0);
  EXPECT_GE(share_covered(t.shift_sigmas), 0.85) << "of some 40: 95 % less three deviations";
  // A run with the same record measures nothing again; another plan is refused.
  const PlacementTally again = run_placements(boards, 0, plan);
  EXPECT_EQ(again.cpu_ms, t.cpu_ms);
  EXPECT_EQ(again.shift_sigmas, t.shift_sigmas);
  plan.seed = 2;
  EXPECT_THROW(run_placements(boards, 0, plan), std::runtime_error);
}

/// Stretched by up to 0.9 %, of which recipes allow 0.5 %.
TEST(Placement, BoardsStretchedBeyondTheirRecipeAreInvalid) {
  const testing::FreshFolder folder;
  std::vector<PlacedBoard> boards{
      load_placed_board(demo_recipe(folder), "", DATUM_SOURCE_DIR "/config/twins/demo.toml", 700)};
  PlacementPlan plan;
  plan.placements = 30;
  plan.threads = 2;
  plan.stretch_ppm = 9000;
  const PlacementTally t = run_placements(boards, 0, plan);
  for (const std::string& text : t.missed) ADD_FAILURE() << text;
  EXPECT_GE(t.designed, 2);
  EXPECT_EQ(t.found, t.designed);
  EXPECT_GE(t.beyond, 5);
  EXPECT_EQ(t.beyond_placed, 0);
  EXPECT_EQ(t.wrong_passed, 0);
}

}  // namespace
}  // namespace datum::placement_test
