// Tables of studies: what is read, what is refused and with which words, and the report of a whole study.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "daemon/quality/study/gauge_report.h"
#include "daemon/quality/study/study_table.h"
#include "tests/daemon/quality/gauge_sets.h"

namespace datum::quality {
namespace study_table_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// Set A as a table, with another text for part 3, operator B, trial 2.
std::string table_of_a(const std::string& value = "1195.2") {
  const GaugeData a = testing::gauge_set_a();
  std::string text = "part,operator,trial,value_um\n";
  for (std::size_t t = 0; t < 2; ++t)
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        text += fmt::format("{},{},{},{}\n", a.parts[i], a.operators[j], t + 1,
                            i == 2 && j == 1 && t == 1
                                ? value
                                : fmt::format("{:.1f}", 0.1 * static_cast<double>(a.cells[i][j][t])));
  return text;
}

GaugeReport solved(const std::string& csv) {
  return solve_gauge(read_study_table(csv, "a.csv", ""),
                     {.intervals = {.draws = 0}, .lower = 1175, .upper = 1225});
}

std::string refusal(const std::string& csv, const std::string& unit = "") {
  try {
    refuse_typed_zeros(read_study_table(csv, "a.csv", unit));
  } catch (const StudyRefused& error) {
    return error.what();
  }
  return "taken";
}

TEST(StudyTable, TakesTheTimeOfAReadingInUtcAlone) {
  const auto at = [](const std::string& time) {
    return read_study_table("part,value_um,measured_at\nP,1," + time + "\n", "a.csv", "").readings[0].at_s;
  };
  EXPECT_EQ(at("1970-01-02T00:00:01Z"), 86'401);
  EXPECT_EQ(at("1970-01-02T00:00:01.999999Z"), 86'401);
  EXPECT_EQ(at(""), std::nullopt);
  for (const char* wrong : {"1970-01-02T00:00:01", "1970-01-02 00:00:01Z", "1970-01-02T00:00:01+01:00",
                            "1970-02-30T00:00:01Z", "1970-01-02T00:00:01.Z", "1970-01-02T00:00:01.5xZ", "Z"})
    EXPECT_THAT(refusal(fmt::format("part,value_um,measured_at\nP,1,{}\n", wrong)),
                HasSubstr("a.csv:2: measured_at '"))
        << wrong;
}

TEST(StudyTable, OfTheWorkedStudyGivesItsNumbers) {
  const GaugeReport r = solved(table_of_a());
  EXPECT_NEAR(*r.percent_tolerance(std::sqrt(r.crossed->full.components.gauge())), 7.911511, 5.1e-7);
  EXPECT_NEAR(*r.percent_tolerance(std::sqrt(r.crossed->pooled.components.gauge())), 7.523598, 5.1e-7);
  EXPECT_EQ(r.categories(), 13);
  EXPECT_THAT(r.flags, Contains(HasSubstr("part x operator is negative, -0.050333")));
  const std::string text = gauge_text(r);
  EXPECT_THAT(text, AllOf(HasSubstr("With interaction"), HasSubstr("Interaction pooled"),
                          HasSubstr("p of part x operator 0.960278 > alpha 0.05")));
  const auto json = gauge_json(r);
  EXPECT_NEAR(json["with_interaction"]["variances"]["interaction_raw"], -0.050333, 5.1e-7);
  EXPECT_TRUE(json["pooled"]);
}

TEST(StudyTable, AZeroTypedForAMissingValueIsRefusedAndAMissingOneIsSolvedByReml) {
  EXPECT_THAT(refusal(table_of_a("0")), AllOf(HasSubstr("line 24: part P3"), HasSubstr("--zero-is-a-value")));
  EXPECT_THAT(refusal(table_of_a("-0.00")), HasSubstr("line 24"));
  // The harm that is refused.
  EXPECT_NEAR(100 * std::sqrt(solved(table_of_a("0")).crossed->full.components.gauge() /
                              solved(table_of_a("0")).crossed->full.components.total()),
              99.11, 0.006);
  for (const char* missing : {"", "INVALID"}) {
    const GaugeReport r = solved(table_of_a(missing));
    ASSERT_TRUE(r.reml) << missing;
    EXPECT_FALSE(r.crossed);
    EXPECT_NEAR(100 * r.sigma_gauge() / r.sigma_total(), 10.61, 0.005);
    EXPECT_EQ(r.missing, 1u);
    EXPECT_EQ(r.missing_parts[0].name, "P3");
  }
  EXPECT_EQ(refusal("part,value_um\nA,0\nA,1\nB,-1\nB,2\n"), "taken") << "a value among values";
}

TEST(StudyTable, ACellWithoutAnyValueHasNoInteraction) {
  std::string csv = table_of_a("");
  const auto at = csv.find("P3,B,1,1195.8");
  csv.replace(at, 13, "P3,B,1,INVALID");
  const GaugeReport r = solved(csv);
  EXPECT_THAT(r.flags, Contains(HasSubstr("the interaction is refused")));
  EXPECT_TRUE(r.reml->converged);
}

TEST(StudyTable, RefusesWithPlaceCauseAndRemedy) {
  struct {
    const char *csv, *says;
  } const cases[] = {
      {"", "empty; wanted: a head line"},
      {"part,value\nA,1\n", "a.csv:1: no unit"},
      {"part,value_inch\nA,1\n", "unit 'inch'; allowed: um, mm"},
      {"part,value_um,unit\nA,1,mm\n", "a.csv:2: two units, um and mm"},
      {"part,value_um\nA,nan\n", "a.csv:2: value 'nan' is no number"},
      {"part,value_um\nA,-inf\n", "is no number"},
      {"part,value_um\nA,1\nB,1,5\n", "a.csv:3: 3 cells, the head line has 2; decimals have a point"},
      {"part,value_um\nA,=1+2\n", "is no number"},
      {"part,value_um\n,1\n", "part is empty"},
      {"part,value_um\n\"A\x1b[2J\",1\n", "control character"},
      {"part,operator,trial,value_um\nA,B,1,1\nA,B,1,2\n", "stands there twice"},
      {"part,colour,value_um\nA,red,1\n", "column 'colour' is not known"},
      {"part;value_um\nA;1\n", "separated by commas"},
      {"part,decision\nA,GOOD\n", "allowed: PASS, INCONCLUSIVE, FAIL, INVALID"},
      {"part,operator\nA,B\n", "no column value_um"},
  };
  for (const auto& c : cases) EXPECT_THAT(refusal(c.csv), HasSubstr(c.says)) << c.csv;
  EXPECT_EQ(refusal("part,value\nA,1\n", "um"), "taken");
  EXPECT_THAT(refusal("part,value_mm\nA,1\n", "um"), HasSubstr("two units"));
}

TEST(StudyTable, NamesAreTextsWhateverTheyHold) {
  std::string csv = table_of_a();
  for (std::size_t at = 0; (at = csv.find("P1,", at)) != std::string::npos; ++at)
    csv.replace(at, 3, "\"=cmd|'<b>,\",");
  const GaugeReport r = solved(csv);
  EXPECT_EQ(r.data.parts[0], "=cmd|'<b>,");
  EXPECT_EQ(gauge_json(r)["parts"][0], "=cmd|'<b>,");
}

TEST(StudyTable, OfAMillionRowsIsSolved) {
  std::string csv = "part,operator,value_um\n";
  for (int i = 0; i < 1'000'000; ++i)
    csv += fmt::format("P{},{},{}.{:03}\n", i % 1000, "ABC"[i / 1000 % 3], 1200 + i % 7, (i * 7919LL) % 1000);
  // A million is no multiple of 3000: cells of 333 and 334 values, too many for REML.
  EXPECT_THROW(solved(csv), StudyRefused);
  csv = csv.substr(0, csv.size() - csv.substr(csv.find("\nP0,A,", csv.size() - 30'000) + 1).size());
  StudyTable table = read_study_table(csv, "a.csv", "");
  table.readings.resize(999'000);
  const GaugeReport r = solve_gauge(table, {.intervals = {.draws = 0}});
  EXPECT_EQ(r.crossed->full.sources[3].df, 996'000);
}

}  // namespace
}  // namespace study_table_test
}  // namespace datum::quality
