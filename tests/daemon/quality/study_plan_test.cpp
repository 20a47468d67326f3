// Plans of each kind of study, and tables of certified values: what is planned, written, read back, and refused.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "daemon/quality/study/study_file.h"
#include "daemon/store/studied_results.h"
#include "tests/fresh_folder.h"
#include "tests/sample_file.h"

namespace datum::quality {
namespace study_plan_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::slurp;

StudyPlan plan(StudyKind kind, const std::vector<std::string>& parts,
               const std::vector<std::string>& operators, int trials) {
  StudyPlan p;
  p.id = "s-1";
  p.kind = kind;
  p.by = "A. Smith";
  p.at = "2026-11-21T07:00:00Z";
  p.recipe = "mainboard";
  p.recipe_sha256 = "ab12";
  p.store_id = "feed";
  p.parts = parts;
  p.operators = operators;
  p.trials = trials;
  p.order = kind == StudyKind::stability ? RunOrder::listed : RunOrder::full;
  return p;
}

std::vector<std::string> shifts(int n) {
  std::vector<std::string> names;
  for (int i = 1; i <= n; ++i) names.push_back(fmt::format("{:02}", i));
  return names;
}

CertifiedValue certified(const std::string& component, const std::string& value) {
  return {"M", component, "median", decimal_of(value), 0.05, "um", ""};
}

std::string refusal(const std::function<void()>& run) {
  try {
    run();
  } catch (const StudyRefused& refused) {
    return refused.what();
  }
  return "taken";
}
std::string refusal(const StudyPlan& p) {
  return refusal([&] { demand_plan(p); });
}

}  // namespace

TEST(StudyKinds, OfOneMasterNeedItsCertifiedValue) {
  StudyPlan p = plan(StudyKind::type1, {"M"}, {"cell"}, 25);
  EXPECT_THAT(refusal(p), HasSubstr("needs the certified value: --references FILE"));
  p.references = {certified("U1", "1200.0")};
  EXPECT_EQ(refusal(p), "taken");
  p.trials = 24;
  EXPECT_THAT(refusal(p), HasSubstr("25 trials or more"));
  p.kind = StudyKind::bias;
  EXPECT_EQ(refusal(p), "taken");
  p.parts = {"M", "N"};
  EXPECT_THAT(refusal(p), HasSubstr("a bias study needs one part"));
  p = plan(StudyKind::linearity, {"M"}, {"cell"}, 2);
  p.references = {certified("S1", "200.0"), certified("S2", "400.0")};
  EXPECT_THAT(refusal(p), HasSubstr("three different certified values"));
  p.references.push_back(certified("S3", "600.0"));
  EXPECT_EQ(refusal(p), "taken");
  p.references.push_back(certified("S3", "601.0"));
  EXPECT_THAT(refusal(p), HasSubstr("certified twice"));
  p.references.back().part = "N";
  EXPECT_THAT(refusal(p), HasSubstr("'N', which is no part of the study"));
  StudyPlan crossed = plan(StudyKind::crossed, {"M", "N"}, {"A"}, 2);
  crossed.references = {certified("U1", "1200.0")};
  EXPECT_THAT(refusal(crossed), HasSubstr("a crossed study has no certified values"));
}

TEST(StudyKinds, OfStabilityRunsThroughItsSubgroupsInTheirOrder) {
  StudyPlan p = plan(StudyKind::stability, {"M"}, shifts(10), 3);
  EXPECT_EQ(refusal(p), "taken");
  std::vector<std::string> order;
  for (const PlannedRun& run : p.runs())
    if (order.empty() || order.back() != run.op) order.push_back(run.op);
  EXPECT_EQ(order, shifts(10));
  EXPECT_EQ(p.runs().size(), 30u);
  p.operators.pop_back();
  EXPECT_THAT(refusal(p), HasSubstr("10 subgroups or more"));
  p = plan(StudyKind::stability, {"M"}, shifts(20), 1);
  EXPECT_EQ(refusal(p), "taken") << "individuals";
  p.order = RunOrder::full;
  EXPECT_THAT(refusal(p), HasSubstr("order 'listed'"));
}

TEST(StudyKinds, NestedHasThePartsOfEachOperatorAlone) {
  const StudyPlan p = plan(StudyKind::nested, {"P1", "P2", "P3", "P4"}, {"A", "B"}, 2);
  EXPECT_EQ(refusal(p), "taken");
  std::set<std::string> pairs;
  for (const PlannedRun& run : p.runs()) pairs.insert(run.part + run.op);
  EXPECT_THAT(pairs, ElementsAre("P1A", "P2A", "P3B", "P4B"));
  EXPECT_EQ(p.runs().size(), 8u);
  EXPECT_THAT(refusal(plan(StudyKind::nested, {"P1", "P2", "P3"}, {"A", "B"}, 2)),
              HasSubstr("3 parts for 2"));
}

TEST(StudyKinds, NestedIsCompleteForDatumdToo) {
  const testing::FreshFolder folder;
  StudyFile study =
      StudyFile::create(folder.path(), plan(StudyKind::nested, {"P1", "P2", "P3", "P4"}, {"A", "B"}, 2));
  for (std::uint64_t result = 1; study.next(); ++result) {
    EXPECT_FALSE(kept_studies(folder.path(), "feed")[0].complete);
    StudyRecord record;
    record.result = result;
    record.decision = "PASS";
    record.recipe_sha256 = "ab12";
    record.frame_sha256 = fmt::format("{}", result);
    study.add(record);
  }
  EXPECT_TRUE(kept_studies(folder.path(), "feed")[0].complete) << "8 runs, not parts x operators x trials";
  EXPECT_THAT(running_studies(folder.path(), "feed"), ::testing::IsEmpty());
}

TEST(StudyKinds, AreReadBackAndAFormerProgramRefusesThem) {
  const testing::FreshFolder folder;
  StudyPlan p = plan(StudyKind::stability, {"M"}, shifts(20), 3);
  p.references = {certified("U1", "1200.05")};
  StudyFile::create(folder.path(), p);
  const StudyPlan read = StudyFile::open(folder.path(), "s-1").plan();
  EXPECT_EQ(read.kind, StudyKind::stability);
  EXPECT_EQ(read.order, RunOrder::listed);
  ASSERT_TRUE(read.reference_of("M", "U1", "median"));
  EXPECT_EQ(read.reference_of("M", "U1", "median")->value->count, 120'005);
  EXPECT_EQ(read.reference_of("M", "U1", "median")->u, 0.05);
  EXPECT_FALSE(read.reference_of("M", "U1", "mean"));
  const std::string text = slurp(folder / "s-1.jsonl");
  EXPECT_THAT(text, HasSubstr("\"schema\":2")) << "1 would be taken for a crossed study";
  std::string edited = text;
  edited.replace(edited.find("\"runs\":60"), 9, "\"runs\":61");
  folder.write("s-1.jsonl", edited);
  EXPECT_THAT(refusal([&] { StudyFile::open(folder.path(), "s-1"); }), HasSubstr("another number of runs"));
  edited = text;
  edited.replace(edited.find("stability"), 9, "sturdines");
  folder.write("s-1.jsonl", edited);
  EXPECT_THAT(refusal([&] { StudyFile::open(folder.path(), "s-1"); }),
              HasSubstr("kind 'sturdines' is not known"));
}

TEST(StudyKinds, OfStabilityRefusesABoardWithoutANumber) {
  const testing::FreshFolder folder;
  StudyFile study = StudyFile::create(folder.path(), plan(StudyKind::stability, {"M"}, shifts(10), 1));
  StudyRecord record;
  record.result = 1;
  record.decision = "PASS";
  record.recipe_sha256 = "ab12";
  EXPECT_THAT(refusal([&] { study.add(record); }), HasSubstr("the board has no serial number"));
  record.unit_id = "M";
  EXPECT_EQ(refusal([&] { study.add(record); }), "taken");
}

TEST(CertifiedValues, AreReadWithTheirUnitOrAsDecisions) {
  const auto values = read_certified_values(
      "part,component,characteristic,reference_um,u_um\r\nM,U1,median,1200.05,0.025\r\n", "m.csv");
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0].component, "U1");
  EXPECT_EQ(values[0].value->count, 120'005);
  EXPECT_EQ(values[0].u, 0.025);
  EXPECT_EQ(values[0].unit, "um");
  const auto decisions =
      read_certified_values("part,component,characteristic,decision\nP1,U1,median,FAIL\n", "m.csv");
  EXPECT_EQ(decisions[0].decision, "FAIL");
}

TEST(CertifiedValues, ThatAreNotClearAreRefusedWithTheirLine) {
  const auto of = [](const std::string& text) {
    return refusal([&] { read_certified_values(text, "m.csv"); });
  };
  const std::string head = "part,component,characteristic,reference_um,u_um\n";
  EXPECT_THAT(of(""), HasSubstr("m.csv: no certified value"));
  EXPECT_THAT(of(head), HasSubstr("no certified value"));
  EXPECT_THAT(of("part,component,characteristic,reference\n"),
              HasSubstr("m.csv:1: column 'reference'; wanted:"));
  EXPECT_THAT(of("part,component,characteristic,reference_um,u_mm\n"), HasSubstr("two units, um and mm"));
  EXPECT_THAT(of("part,component,reference_um\n"), HasSubstr("wanted: a head line with"));
  EXPECT_THAT(of("part,component,characteristic,reference_um,decision\n"),
              HasSubstr("wanted: a head line with"));
  EXPECT_THAT(of(head + "M,U1,median,1200\n"), HasSubstr("m.csv:2: 4 cells, the head line has 5"));
  EXPECT_THAT(of(head + "M,U1,median,1200,5,0.1\n"), HasSubstr("decimals have a point"));
  EXPECT_THAT(of(head + "M,,median,1200,0.1\n"), HasSubstr("is empty"));
  EXPECT_THAT(of(head + "M,U1,median,INVALID,0.1\n"), HasSubstr("m.csv:2: "));
  EXPECT_THAT(of(head + "M,U1,median,1200,-1\n"), HasSubstr("not negative"));
  EXPECT_THAT(of("part,component,characteristic,decision\nM,U1,median,OK\n"),
              HasSubstr("allowed: PASS, FAIL"));
}

}  // namespace study_plan_test
}  // namespace datum::quality
