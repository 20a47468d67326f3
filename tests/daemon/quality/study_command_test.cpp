// datumctl study, recipe reproducibility and spc on a real store, as a person types them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/daemon/quality/study_cell.h"
#include "tests/sample_file.h"

namespace datum::quality {
namespace study_command_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Output;
using testing::slurp;
using testing::StudyOfACell;
using testing::StudyOfAKind;

TEST_F(StudyOfACell, IsPlannedMeasuredSolvedAndPutIntoTheRecipe) {
  const Output started = start();
  EXPECT_EQ(started.status, 0) << started.text;
  EXPECT_THAT(started.text,
              AllOf(HasSubstr("30 runs in random order (seed 7)"), HasSubstr("next: run 1 of 30: part P")));
  measure_all();
  EXPECT_THAT(study("next grr-1").text, HasSubstr("the study is complete"));

  const Output solved = study("solve grr-1 --component U1 --draws 0");
  EXPECT_EQ(solved.status, 0) << solved.text;
  EXPECT_THAT(solved.text, AllOf(HasSubstr("888.611333"), HasSubstr("10.772896"), HasSubstr("7.911511"),
                                 HasSubstr("10.251875")));
  const auto json = nlohmann::json::parse(study("solve grr-1 --json --draws 0").text);
  EXPECT_NEAR(json["series"][0]["result"]["with_interaction"]["variances"]["interaction_raw"], -0.050333,
              5.1e-7);
  EXPECT_EQ(json["study"]["seed"], 7);

  const Output put_in = ctl("recipe reproducibility " + recipe_.string() + " --study grr-1 --store " +
                            (folder_ / "results.db").string());
  EXPECT_EQ(put_in.status, 0) << put_in.text;
  const Recipe edited = load_recipe(recipe_);
  EXPECT_NEAR(edited.uncertainty.reproducibility_um, 0.6270, 1e-9);
  std::ostringstream text;
  text << std::ifstream(recipe_).rdbuf();
  EXPECT_THAT(text.str(), AllOf(HasSubstr("reproducibility_study = \"grr-1\""),
                                HasSubstr("# standard uncertainty between loadings of the same board")));

  // The study's results are no production.
  const auto spc = nlohmann::json::parse(ctl("spc --json --store " + (folder_ / "results.db").string()).text);
  EXPECT_EQ(spc["of_studies"], 30);
  EXPECT_EQ(spc["results"], 1);
}

TEST_F(StudyOfACell, RepeatsAnInvalidRunAndReportsIt) {
  start("--attempts 2");
  const PlannedRun first = file().runs()[0];
  put(std::nullopt, first.part);
  EXPECT_THAT(study("next grr-1 --result last").text,
              AllOf(HasSubstr("INVALID: run 1 of 30"), HasSubstr("next: run 1 of 30"),
                    HasSubstr("again: 1 of 2 attempts")));
  put(std::nullopt, first.part);
  EXPECT_THAT(study("next grr-1 --result last").text,
              AllOf(HasSubstr("the run has no value"), HasSubstr("next: run 2 of 30")));
  EXPECT_THAT(ctl("recipe reproducibility " + recipe_.string() + " --study grr-1 --store " +
                  (folder_ / "results.db").string())
                  .text,
              HasSubstr("the study is not complete"));
  measure_all();
  EXPECT_THAT(study("status grr-1").text, HasSubstr("part " + first.part + ": 2 of 7 results INVALID"));
  const Output report = study("report grr-1 --draws 0");
  EXPECT_THAT(report.text, AllOf(HasSubstr("REML (converged"), HasSubstr("1 of 30 readings have no value"),
                                 Not(HasSubstr("With interaction"))));
}

TEST_F(StudyOfACell, RefusesWhatIsNotItsBoard) {
  start();
  const Output earlier = study("next grr-1 --result 1");
  EXPECT_EQ(earlier.status, 4);
  EXPECT_THAT(earlier.text, HasSubstr("result 1: it is not newer than result 1, with which the study began"));
  put(1200, "P9");
  EXPECT_THAT(study("next grr-1 --result last").text, HasSubstr("unit 'P9' lay there"));
  EXPECT_THAT(study("next grr-1 --result 99").text, HasSubstr("the store has no result 99"));
  EXPECT_THAT(study("next grr-1 --result x").text, HasSubstr("wanted: a sequence number, or last"));
  EXPECT_THAT(study("solve grr-1").text, HasSubstr("the study has no values"));
  EXPECT_THAT(start().text, HasSubstr("is there already"));
  EXPECT_THAT(study("status ../results").text, HasSubstr("is no study's id"));
}

TEST_F(StudyOfACell, OfARecipeThatNamesNoStudyIsRefused) {
  std::ostringstream text;
  text << std::ifstream(recipe_).rdbuf();
  std::string edited = text.str();
  edited.insert(edited.find("position_mm = 0.05"), "reproducibility_study = \"\"\n");
  folder_.write("demo-board.toml", edited);
  EXPECT_THAT(ctl("recipe check " + recipe_.string()).text + start().text,
              HasSubstr("reproducibility_study"));
  EXPECT_THROW(load_recipe(recipe_), config::ConfigError);
}

TEST_F(StudyOfACell, OfAResultThatWasReplacedIsRefused) {
  start();
  measure_all();
  std::ostringstream text;
  text << std::ifstream(folder_ / "studies" / "grr-1.jsonl").rdbuf();
  std::string edited = text.str();
  const auto at = edited.rfind("chain_sha256\":\"") + 15;
  edited[at] = edited[at] == '0' ? '1' : '0';
  folder_.write("studies/grr-1.jsonl", edited);
  const Output solved = study("solve grr-1");
  EXPECT_EQ(solved.status, 4);
  EXPECT_THAT(solved.text, HasSubstr("its entry has another hash"));
}

TEST_F(StudyOfACell, ChartsAComponentAndNamesWhatIsThere) {
  for (int n = 0; n < 30; ++n) put(n == 7 ? std::nullopt : std::optional(1200 + 0.5 * (n * 7 % 5)));
  const std::string store = " --store " + (folder_ / "results.db").string();
  const Output chart = ctl("spc --component U1 --rules western-electric" + store);
  EXPECT_EQ(chart.status, 0) << chart.text;
  EXPECT_THAT(chart.text,
              AllOf(HasSubstr("I-MR of values"), HasSubstr("a false alarm each 9"), HasSubstr("INVALID 1")));
  EXPECT_THAT(ctl("spc --component U9" + store).text, HasSubstr("no value of these in the store"));
  EXPECT_THAT(ctl("spc --rules 9" + store).text, HasSubstr("allowed: numbers 1 to 8"));
  EXPECT_THAT(ctl("spc --confidence nan" + store).text, Not(HasSubstr("capability")));
  EXPECT_THAT(ctl("spc" + store).text, HasSubstr("demo-board  U1   die"));
}

TEST_F(StudyOfAKind, StabilityGoesThroughItsSubgroupsAndShowsADrift) {
  const Output started = begin("--kind stability --parts M1 --subgroups 12 --trials 2" +
                               references("M1,U1,median,1200.0,0.05\n"));
  EXPECT_EQ(started.status, 0) << started.text;
  EXPECT_THAT(started.text, AllOf(HasSubstr("stability study, 24 runs in the order of their subgroups"),
                                  HasSubstr("next: run 1 of 24: part M1, operator 01, trial 1")));
  measure([](std::size_t i, const PlannedRun&) {
    return 1200 + 0.1 * static_cast<double>(i * 7 % 5) + 0.05 * static_cast<double>(i / 2);
  });
  const Output solved = study("solve k-1 --component U1");
  EXPECT_EQ(solved.status, 0) << solved.text;
  EXPECT_THAT(solved.text,
              AllOf(HasSubstr("12 subgroups x 2 readings, order listed, 1 certified values"),
                    HasSubstr("Xbar-S chart with limits from the first 12"),
                    HasSubstr("target 1200.000000 (reference, u 0.05)"), HasSubstr("a drift is shown"),
                    HasSubstr("not in control, and drifts, and biased"), HasSubstr("um per day")));
  EXPECT_THAT(study("solve k-1 --component U1 --reference 1199").text,
              HasSubstr("has recorded its certified"));
  const auto json = nlohmann::json::parse(study("solve k-1 --json --baseline 10").text);
  EXPECT_EQ(json["series"][0]["result"]["baseline"], 10);
  EXPECT_EQ(json["study"]["kind"], "stability");
  const Output page = ctl("report study k-1 --component U1 --output " + (folder_ / "k.html").string() +
                          " --store " + (folder_ / "results.db").string());
  EXPECT_EQ(page.status, 0) << page.text;
  EXPECT_THAT(slurp(folder_ / "k.html"),
              AllOf(HasSubstr("CUSUM of the means"), HasSubstr("Bias of each subgroup, um"),
                    HasSubstr("id=\"s1_subgroups\""), HasSubstr("a drift is shown")));
  EXPECT_THAT(ctl("recipe reproducibility " + recipe_.string() + " --study k-1 --store " +
                  (folder_ / "results.db").string())
                  .text,
              HasSubstr("a stability study has no sigma GRR"));
}

TEST_F(StudyOfAKind, OneMasterIsJudgedByItsCertifiedValueAndTheRecipesLimits) {
  EXPECT_EQ(begin("--kind type1 --parts M1 --trials 30" + references("M1,U1,median,1200.0,0.05\n")).status,
            0);
  // The worked pattern of type 1 (bias 0.09; its squares about the mean are 0.329 each ten, so s = sqrt(3 0.329 / 29)) with T = 50: Cg = 0.2 T / (6 s), Cgk = (0.1 T - 0.09) / (3 s).
  constexpr double pattern[] = {0.2, -0.1, 0.1, 0.4, -0.2, 0, 0.3, 0.1, -0.1, 0.2};
  measure([&](std::size_t i, const PlannedRun&) { return 1200 + pattern[i % 10]; });
  const auto json = nlohmann::json::parse(study("solve k-1 --json").text)["series"];
  ASSERT_EQ(json.size(), 1u);
  EXPECT_NEAR(json[0]["result"]["cg"], 10 / (6 * std::sqrt(3 * 0.329 / 29)), 1e-9);
  EXPECT_NEAR(json[0]["result"]["cgk"], 4.91 / (3 * std::sqrt(3 * 0.329 / 29)), 1e-9);
  EXPECT_THAT(ctl("report study k-1 --output " + (folder_ / "k.html").string() + " --store " +
                  (folder_ / "results.db").string())
                  .text,
              Not(HasSubstr("refused")));
  EXPECT_THAT(slurp(folder_ / "k.html"), HasSubstr("type 1 study: n 30"));
}

TEST_F(StudyOfAKind, LinearityJoinsMastersAndAttributeKnowsRightDecisions) {
  EXPECT_EQ(begin("--kind linearity --parts M1,M2,M3 --trials 4" +
                  references("M1,U1,median,1180,0\nM2,U1,median,1200,0\nM3,U1,median,1220,0\n"))
                .status,
            0);
  // Bias is 0.01 of the distance from 1200, and +-0.1 by turns.
  measure([](std::size_t, const PlannedRun& run) {
    const double at = 1160 + 20 * (run.part[1] - '0');
    return at + 0.01 * (at - 1200) + (run.trial % 2 ? 0.1 : -0.1);
  });
  const auto series = nlohmann::json::parse(study("solve k-1 --json").text)["series"];
  ASSERT_EQ(series.size(), 1u);
  EXPECT_NEAR(series[0]["result"]["slope"], 0.01, 1e-9);
  EXPECT_EQ(series[0]["result"]["bands"].size(), 3u);
  EXPECT_EQ(series[0]["result"]["kept"], false);
}

TEST_F(StudyOfAKind, AttributeComparesWithRightDecisions) {
  const std::string right =
      folder_
          .write("right.csv",
                 "part,component,characteristic,decision\nP1,U1,median,PASS\nP2,U1,median,FAIL\n")
          .string();
  EXPECT_EQ(begin("--kind attribute --parts P1,P2 --operators A,B --trials 2 --references " + right).status,
            0);
  measure([](std::size_t, const PlannedRun&) { return 1200.0; });  // each PASS: P2 is missed
  const auto result = nlohmann::json::parse(study("solve k-1 --json").text)["series"][0]["result"];
  EXPECT_EQ(result["appraisers"][0]["misses"]["k"], result["appraisers"][0]["misses"]["n"]);
  EXPECT_EQ(result["appraisers"][0]["false_alarms"]["k"], 0);
}

TEST_F(StudyOfAKind, ABoardWithoutARowIsRatedInvalid) {
  EXPECT_EQ(begin("--kind attribute --parts P1,P2 --operators A --trials 2 --attempts 1").status, 0);
  const PlannedRun first = kind_file().runs()[0];
  put(1200, first.part);
  ASSERT_EQ(study("next k-1 --result last").status, 0);
  BoardVerdict v = testing::valued_board(++boards_, std::nullopt, kind_file().runs()[1].part);
  v.recipe = "demo-board";
  v.recipe_sha256 = sha256_;
  v.decision = Decision::invalid;
  v.reason = Reason::pose_missing;
  v.components.clear();
  store_.store(v);
  ASSERT_EQ(study("next k-1 --result last").status, 0);
  measure([](std::size_t, const PlannedRun&) { return 1200.0; });
  const auto result = nlohmann::json::parse(study("solve k-1 --json").text)["series"][0]["result"];
  EXPECT_EQ(result["categories"], (nlohmann::json{"INVALID", "PASS"}));
}

TEST_F(StudyOfAKind, NestedIsSolvedAsItIsPlanned) {
  EXPECT_EQ(begin("--kind nested --parts P1,P2,P3,P4 --operators A,B --trials 2").status, 0);
  measure([](std::size_t i, const PlannedRun& run) {
    return 1200 + 2.0 * (run.part[1] - '0') + 0.1 * static_cast<double>(i % 3);
  });
  EXPECT_THAT(study("solve k-1").text, HasSubstr("ANOVA"));
  EXPECT_THAT(study("solve k-1 --component U1").text, HasSubstr("nested study: 4 parts"));
}

TEST_F(StudyOfAKind, IsRefusedWhereItsPlanIsNotClear) {
  EXPECT_THAT(begin("--kind stability --parts M1 --trials 3").text, HasSubstr("needs --subgroups N"));
  EXPECT_THAT(begin("--kind stability --parts M1 --trials 3 --subgroups 20 --order full").text,
              HasSubstr("follow each other"));
  EXPECT_THAT(begin("--kind stability --parts M1 --trials 3 --subgroups 20 --operators a,b").text,
              HasSubstr("--subgroups N, or --operators"));
  EXPECT_THAT(begin("--parts P1,P2 --trials 2").text, HasSubstr("--operators is required"));
  EXPECT_THAT(begin("--kind type1 --parts M1 --trials 50" + references("M1,U9,median,1200,0\n")).text,
              HasSubstr("component 'U9', which recipe demo-board does not have"));
  EXPECT_THAT(begin("--kind type1 --parts M1 --trials 50" + references("M1,U1,bow,1200,0\n")).text,
              HasSubstr("has no requirement bow of U1"));
  folder_.write("mm.csv", "part,component,characteristic,reference_mm\nM1,U1,median,1.2\n");
  EXPECT_THAT(begin("--kind type1 --parts M1 --trials 50 --references " + (folder_ / "mm.csv").string()).text,
              HasSubstr("measured in um; its certified value is in mm"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "studies" / "k-1.jsonl"));
}

TEST_F(StudyOfAKind, ATableOfAnotherEncodingIsRefusedAndReadWhereItIsNamed) {
  const std::string table =
      folder_
          .write("latin.csv",
                 "part,appraiser,trial,decision\nP1,M\xfcller,1,PASS\nP1,M\xfcller,2,PASS\n"
                 "P2,M\xfcller,1,FAIL\nP2,M\xfcller,2,FAIL\n")
          .string();
  const Output refused = ctl("study solve --kind attribute --csv " + table);
  EXPECT_EQ(refused.status, 4);
  EXPECT_THAT(refused.text, AllOf(HasSubstr("latin.csv: byte 34 is not UTF-8"),
                                  HasSubstr("--encoding cp1252"), Not(HasSubstr("is datumd running"))));
  EXPECT_THAT(ctl("study solve --kind attribute --encoding cp1252 --csv " + table).text,
              HasSubstr("M\xc3\xbcller: kappa"));
  const std::string right =
      folder_.write("right.csv", "part,component,characteristic,decision\nP\xfc,U1,median,PASS\n").string();
  const std::string study =
      "--kind attribute --parts P1,P\xc3\xbc --operators A --trials 2 --references " + right;
  EXPECT_THAT(begin(study).text, HasSubstr("right.csv: byte"));
  EXPECT_EQ(begin(study + " --encoding cp1252").status, 0);
}

TEST(StudySolve, OfTablesFollowsItsKind) {
  const testing::FreshFolder folder;
  std::string csv = "part,operator,value_um\n";
  const GaugeData a = testing::gauge_set_a();
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (const std::int64_t count : a.cells[i][j])
        csv += fmt::format("{},{},{:.1f}\n", a.parts[i], a.operators[j], 0.1 * static_cast<double>(count));
  const std::string solve =
      std::string(DATUMCTL) + " study solve --draws 0 --csv " + folder.write("a.csv", csv).string();
  EXPECT_THAT(testing::output_of(solve + " --kind nested").text,
              AllOf(HasSubstr("74.077833"), HasSubstr("-7.110083")));
  EXPECT_THAT(testing::output_of(solve + " --kind one-way").text, HasSubstr("one-way study: 5 parts"));
  EXPECT_THAT(testing::output_of(solve + " --without P3/B/2").text,
              AllOf(HasSubstr("With interaction"), HasSubstr("Without the reading P3/B/2"),
                    HasSubstr("-2 log likelihood 56.3993")));
  EXPECT_THAT(testing::output_of(solve + " --kind type1").text, HasSubstr("a type1 study needs --reference"));
  EXPECT_THAT(testing::output_of(solve + " --kind stability").text,
              HasSubstr("a stability study has one master"));
  std::string shifts = "part,operator,value_um\n";
  for (int shift = 1; shift <= 20; ++shift)
    for (const int i : {0, 3, 1})
      shifts += fmt::format("M,{},{:.1f}\n", shift, 1200 + 0.1 * i + (shift > 12 ? 0.4 : 0));
  const std::string stability = std::string(DATUMCTL) + " study solve --kind stability --csv " +
                                folder.write("shifts.csv", shifts).string();
  EXPECT_THAT(testing::output_of(stability).text,
              AllOf(HasSubstr("20 subgroups"), HasSubstr("not in control"), HasSubstr("369 subgroups")));
  EXPECT_EQ(nlohmann::json::parse(testing::output_of(stability + " --json --cusum-h 6").text)["cusum_h"], 6);
  EXPECT_THAT(testing::output_of(solve + " grr-1").text,
              HasSubstr("either the id of a study, or --csv FILE"));
  EXPECT_EQ(testing::output_of(std::string(DATUMCTL) + " study solve --csv /nowhere").status, 4);
}

}  // namespace
}  // namespace study_command_test
}  // namespace datum::quality
