// `./datum demo --surface`: three parts with seven snapshots each; the damage of one is found within its uncertainty, and
// excess material on another.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

namespace fs = std::filesystem;

TEST(ScenarioSurface, AGoodPartPassesAndDamageIsFound) {
  const datum::testing::FreshFolder folder;
  const Outcome outcome =
      run({DATUM_SOURCE_DIR "/tests/scenario/demo_surface.sh", DATUM_BIN, folder.path() / "surface"},
          folder.path());
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("dent: 600.0 um deep, measured "), std::string::npos) << outcome.output;
  const auto stored = [&](const char* sequence) {
    return nlohmann::json::parse(
        run({"datumctl", "show", sequence, "--json", "--store", "surface/results.db"}, folder.path()).output);
  };
  const auto good = stored("1"), damaged = stored("2"), dirty = stored("3");
  EXPECT_EQ(good["decision"], "PASS");
  EXPECT_EQ(damaged["decision"], "FAIL");
  EXPECT_EQ(dirty["decision"], "INVALID");
  EXPECT_EQ(dirty["components"][0]["checks"][0]["reason"], "SURFACE_BEYOND");
  for (const auto& verdict : {good, damaged, dirty}) {
    EXPECT_EQ(verdict["surface"]["snapshots"].size(), 7u);
    const auto& alignment = verdict["surface"]["alignment"];
    EXPECT_EQ(alignment["datums"][0]["directions"], 3);
    EXPECT_EQ(alignment["datums"][1]["directions"], 2);
    EXPECT_EQ(alignment["datums"][2]["directions"], 1);
    EXPECT_GT(alignment["shift_mm"], 0.1) << "the part was put down elsewhere";
  }
  for (const auto& region : damaged["components"]) {
    const bool is_damaged = region["reference"] == "top" || region["reference"] == "countersink";
    EXPECT_EQ(region["decision"], is_damaged ? "FAIL" : "PASS") << region["reference"];
  }
  for (const char* picture : {"00000001_PASS.png", "00000002_FAIL.png", "00000003_INVALID.png"})
    EXPECT_EQ(slurp(folder.path() / "surface/pictures" / picture).substr(0, 8), "\x89PNG\r\n\x1a\n")
        << picture;
}

}  // namespace
}  // namespace datum::scenario
