// `./datum demo --cad`: from a design to verdicts; what stands under the rings costs no floor, and what nobody confirmed no PASS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

using ::testing::HasSubstr;

TEST(ScenarioCad, ADesignBecomesARecipeAndItsTwinsGetTheirVerdicts) {
  const datum::testing::FreshFolder folder;
  const Outcome outcome =
      run({DATUM_SOURCE_DIR "/tests/scenario/demo_cad.sh", DATUM_BIN, folder.path() / "cad"}, folder.path());
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("20 components are measured, 6 are left out"));
  EXPECT_THAT(outcome.output, HasSubstr("floors: 20 of 20"));
  const auto stored = [&](const char* sequence) {
    return nlohmann::json::parse(
        run({"datumctl", "show", sequence, "--json", "--store", "cad/results.db"}, folder.path()).output);
  };
  std::ifstream truths(folder.path() / "cad/truth.jsonl");
  for (const auto& [sequence, decision] : {std::pair("1", "PASS"), {"2", "FAIL"}, {"3", "INCONCLUSIVE"}}) {
    SCOPED_TRACE(sequence);
    const auto verdict = stored(sequence);
    EXPECT_EQ(verdict["decision"], decision);
    std::string line;
    ASSERT_TRUE(std::getline(truths, line));
    const auto true_board = nlohmann::json::parse(line);
    std::map<std::string, double> truth;
    for (const auto& part : true_board["components"]) truth[part["reference"]] = part["height_um"];
    for (const auto& component : verdict["components"]) {
      const std::string reference = component["reference"];
      const auto& median = component["checks"][0];
      SCOPED_TRACE(reference);
      ASSERT_NE(median["decision"], "INVALID") << median["detail"];
      // U is k = 2: 95 %. Three boards of 20 parts: four times u holds in all but 6e-5 of each.
      EXPECT_LT(std::abs(median["value_um"].get<double>() - truth[reference]),
                4 * median["u_um"].get<double>());
      if (std::string(sequence) == "3") {
        EXPECT_EQ(median["reason"], "NOMINAL_UNCONFIRMED");
        EXPECT_EQ(median["decision"], "INCONCLUSIVE");
      }
    }
  }
}

}  // namespace
}  // namespace datum::scenario
