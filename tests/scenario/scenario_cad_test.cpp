// `./datum demo --cad`: from a design to verdicts; what stands under the rings costs no floor, and what nobody confirmed no PASS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
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

/// The virtual sensor's boards of a recipe; what they show is a defect of apply_defect.
void deliver(const datum::testing::FreshFolder& folder, const std::string& drop, int seed,
             const std::vector<std::string>& boards) {
  std::filesystem::create_directories(folder.path() / drop);
  std::vector<std::string> words{"virtual-sensor",
                                 "--recipe",
                                 "true.toml",
                                 "--twin",
                                 DATUM_SOURCE_DIR "/config/twins/demo.toml",
                                 "--design",
                                 DATUM_SOURCE_DIR "/config/designs/demo.kicad_pcb",
                                 "--drop",
                                 drop,
                                 "--frame-id",
                                 std::to_string(seed),
                                 "--seed",
                                 std::to_string(seed)};
  for (const std::string& board : boards) words.insert(words.end(), {"--board", board});
  const Outcome outcome = run(words, folder.path());
  ASSERT_EQ(outcome.status, 0) << outcome.output;
}

std::vector<std::string> frames_in(const std::filesystem::path& folder) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".json") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

struct ScenarioTeach : ::testing::Test {
  ScenarioTeach() {
    for (const bool confirmed : {false, true}) {
      std::vector<std::string> words{"datumctl",  "recipe",
                                     "import",    DATUM_SOURCE_DIR "/config/designs/demo.kicad_pcb",
                                     "--sensor",  sensor,
                                     "--library", DATUM_SOURCE_DIR "/config/packages/starter.toml",
                                     "-o",        confirmed ? "true.toml" : "r.toml"};
      if (confirmed) words.insert(words.end(), {"--library", DATUM_SOURCE_DIR "/config/packages/demo.toml"});
      EXPECT_EQ(run(words, folder.path()).status, 0);
    }
  }
  Outcome teach(const std::vector<std::string>& frames) {
    std::vector<std::string> words{"datumctl", "recipe", "teach", "--recipe", "r.toml",
                                   "--sensor", sensor,   "-o",    "p.toml",   "--frames"};
    words.insert(words.end(), frames.begin(), frames.end());
    return run(words, folder.path());
  }
  Outcome measure(const std::string& frame) {
    return run({"datumd", "--once", frame, "--recipe", "r.toml", "--sensor", sensor}, folder.path());
  }
  const std::string sensor = DATUM_SOURCE_DIR "/config/sensors/virtual.toml";
  const datum::testing::FreshFolder folder;
};

TEST_F(ScenarioTeach, GoldenBoardsAndAPersonsWordMakeTheRecipePass) {
  deliver(folder, "golden", 1, {"good", "good", "good", "good", "good"});
  deliver(folder, "next", 50, {"good", "lifted=U2:200"});
  const auto next = frames_in(folder.path() / "next");
  ASSERT_EQ(next.size(), 2u);
  EXPECT_EQ(measure(next[0]).status, 2) << "nobody stands behind the heights";
  const Outcome taught = teach(frames_in(folder.path() / "golden"));
  EXPECT_EQ(taught.status, 10) << taught.output;
  EXPECT_THAT(taught.output, HasSubstr("D1"));
  EXPECT_THAT(taught.output, HasSubstr("20 proposals, 3 of them differ"));
  EXPECT_THAT(taught.output, HasSubstr("U2: shorter"));
  EXPECT_EQ(measure(next[0]).status, 2) << "a proposal is nobody's word";
  const Outcome some =
      run({"datumctl", "recipe", "confirm", "p.toml", "r.toml", "--by", "A. Smith"}, folder.path());
  EXPECT_EQ(some.status, 0) << some.output;
  EXPECT_THAT(some.output, HasSubstr("17 confirmed by A. Smith"));
  EXPECT_EQ(measure(next[0]).status, 2) << "three differ from the design, and nobody named them";
  const Outcome rest =
      run({"datumctl", "recipe", "confirm", "p.toml", "r.toml", "--by", "B. Jones", "--only", "U1,U2,U4"},
          folder.path());
  EXPECT_EQ(rest.status, 0) << rest.output;
  const Outcome good = measure(next[0]), bad = measure(next[1]);
  EXPECT_EQ(good.status, 0) << good.output;
  EXPECT_EQ(bad.status, 1) << bad.output;
  EXPECT_EQ(
      run({"datumctl", "recipe", "confirm", "p.toml", "r.toml", "--by", "C", "--only", "U1"}, folder.path())
          .status,
      4)
      << "it is said already";
}

TEST_F(ScenarioTeach, ABoardThatIsNotGoldenStopsIt) {
  deliver(folder, "golden", 1, {"good", "good", "missing=C1,missing=C2,missing=R1,missing=R2,missing=R3"});
  const Outcome taught = teach(frames_in(folder.path() / "golden"));
  EXPECT_EQ(taught.status, 1) << taught.output;
  EXPECT_THAT(taught.output, HasSubstr("board 3"));
  EXPECT_THAT(taught.output, HasSubstr("NOT GOLDEN: 5 of 20 parts are missing"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "p.toml"));
}

}  // namespace
}  // namespace datum::scenario
