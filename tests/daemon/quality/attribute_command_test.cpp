// datumctl study of kind attribute on a real store: ratings of boards, components and characteristics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "tests/daemon/quality/study_cell.h"

namespace datum::quality {
namespace attribute_command_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Output;

struct StudyOfDecisions : testing::StudyOfAKind {};

TEST_F(StudyOfDecisions, AttributeRatesTheBoardsVerdictWherePlanned) {
  const std::string right = folder_.write("right.csv", "part,decision\nP1,PASS\nP2,FAIL\nP3,FAIL\n").string();
  ASSERT_EQ(begin("--kind attribute --rates board --parts P1,P2,P3 --operators A --trials 2 --attempts 2 "
                  "--references " +
                  right)
                .status,
            0);
  EXPECT_EQ(kind_file().plan().rated, Rated::board);
  // P1 passes; P2 passes though it is to fail; P3 is INVALID at first, measured again, and fails.
  bool again = false;
  while (const auto next = kind_file().next()) {
    const PlannedRun run = kind_file().runs()[*next];
    BoardVerdict v = testing::valued_board(++boards_, 1200.0, run.part);
    v.recipe = "demo-board";
    v.recipe_sha256 = sha256_;
    if (run.part == "P3") v.decision = std::exchange(again, true) ? Decision::fail : Decision::invalid;
    if (v.decision == Decision::invalid) v.reason = Reason::pose_missing;
    store_.store(v);
    ASSERT_EQ(study("next k-1 --result last").status, 0);
  }
  EXPECT_THAT(study("solve k-1").text,
              AllOf(HasSubstr("attribute of each board"), HasSubstr("3 right decisions"),
                    HasSubstr("part P3: 1 of 3 results INVALID"), HasSubstr("board verdict"),
                    HasSubstr("! A: missed 50.0 %, wanted 2 % at most")));
  const auto series = nlohmann::json::parse(study("solve k-1 --json").text)["series"];
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0]["rated"], "board");
  const auto appraiser = series[0]["result"]["appraisers"][0];
  EXPECT_EQ(appraiser["misses"]["k"], 2);  // P2, twice
  EXPECT_EQ(appraiser["misses"]["n"], 4);
  EXPECT_EQ(appraiser["effectiveness"]["k"], 2);
  EXPECT_EQ(series[0]["result"]["as_wanted"], false);
  EXPECT_THAT(study("solve k-1 --component U1").text,
              HasSubstr("the study rates each board: leave --component out"));
}

TEST_F(StudyOfDecisions, AttributeRatesComponentsWherePlanned) {
  const std::string right =
      folder_.write("right.csv", "part,component,decision\nP1,U1,PASS\nP2,U1,PASS\n").string();
  ASSERT_EQ(
      begin("--kind attribute --rates component --parts P1,P2 --operators A --trials 2 --references " + right)
          .status,
      0);
  measure([](std::size_t, const PlannedRun&) { return 1200.0; });
  const auto series = nlohmann::json::parse(study("solve k-1 --json").text)["series"];
  ASSERT_EQ(series.size(), 1u);  // of the components that have a right decision
  EXPECT_EQ(series[0]["reference"], "U1");
  EXPECT_EQ(series[0]["rated"], "component");
  EXPECT_EQ(series[0]["result"]["as_wanted"], true);
}

TEST_F(StudyOfDecisions, RightDecisionsAreOfWhatIsRated) {
  const auto refused = [&](const std::string& rates, const std::string& table) {
    const std::string right = folder_.write("right.csv", table).string();
    const Output out =
        begin("--kind attribute --parts P1,P2 --operators A --trials 2 " + rates + " --references " + right);
    EXPECT_NE(out.status, 0) << table;
    return out.text;
  };
  EXPECT_THAT(refused("", "part,decision\nP1,PASS\n"),
              HasSubstr("the right decisions are of each board, the study rates each characteristic: --rates "
                        "board"));
  EXPECT_THAT(refused("--rates board", "part,component,decision\nP1,U1,PASS\n"),
              HasSubstr("--rates component"));
  EXPECT_THAT(refused("--rates component", "part,component,decision\nP1,U9,PASS\n"),
              HasSubstr("component 'U9'"));
  EXPECT_THAT(refused("--rates board", "part,characteristic,decision\nP1,median,PASS\n"),
              HasSubstr("right.csv:1:"));
  EXPECT_THAT(refused("--rates board", "part,reference_um\nP1,1200\n"), HasSubstr("right.csv:1:"));
  EXPECT_THAT(begin("--rates board --parts P1,P2 --operators A --trials 2").text,
              HasSubstr("a crossed study is of values: it rates no board"));
}

}  // namespace
}  // namespace attribute_command_test
}  // namespace datum::quality
