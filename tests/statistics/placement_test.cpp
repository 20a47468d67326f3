// The short form of ./datum placements: the demonstration's board, with its noise and worse.
#include <gtest/gtest.h>

#include <regex>

#include "tests/fresh_folder.h"
#include "tests/sample_file.h"
#include "tests/statistics/placement_campaign.h"

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
  // 0.11 mm a pixel and 22 parts: each body's middle by two edges is known to a fifth of a pixel, the board to a fifth of that and
  // more where parts are missing; three deviations.
  for (const double um : t.off_um) EXPECT_LT(um, 30);
  for (const double mdeg : t.off_mdeg) EXPECT_LT(mdeg, 40);
  EXPECT_GE(share_covered(t.shift_sigmas), 0.85) << "of some 50: 95 % less three deviations";
}

}  // namespace
}  // namespace datum::placement_test
