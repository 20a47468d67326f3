// Plans and records of measured studies: order, refusals, a file that was cut or edited.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <set>

#include "daemon/quality/study/study_file.h"
#include "tests/fresh_folder.h"

namespace datum::quality {
namespace study_file_test {
namespace {

using ::testing::HasSubstr;

StudyPlan plan() {
  StudyPlan p;
  p.id = "grr-1";
  p.by = "A. Smith";
  p.at = "2026-11-21T07:00:00Z";
  p.recipe = "mainboard";
  p.recipe_sha256 = "ab12";
  p.store_id = "feed";
  p.after = 10;
  p.parts = {"P1", "P2", "P3"};
  p.operators = {"A", "B"};
  p.trials = 2;
  p.seed = 7;
  return p;
}

StudyRecord record(std::uint64_t result, const std::string& decision = "PASS") {
  StudyRecord r;
  r.result = result;
  r.decision = decision;
  r.recipe_sha256 = "ab12";
  r.frame_sha256 = "frame " + std::to_string(result);
  return r;
}

std::string refusal(const std::function<void()>& run) {
  try {
    run();
  } catch (const StudyRefused& error) {
    return error.what();
  }
  return "taken";
}

TEST(StudyPlan, HasEachRunOnceInAnOrderOfItsSeed) {
  std::set<std::string> runs;
  std::string order, other;
  for (const PlannedRun& r : plan().runs()) {
    order += r.part + r.op + std::to_string(r.trial) + " ";
    runs.insert(r.part + r.op + std::to_string(r.trial));
  }
  EXPECT_EQ(runs.size(), 12u);
  StudyPlan p = plan();
  p.seed = 8;
  for (const PlannedRun& r : p.runs()) other += r.part + r.op + std::to_string(r.trial) + " ";
  EXPECT_NE(order, other);
  p.order = RunOrder::operators;
  int changes = 0;
  const auto by_operators = p.runs();
  for (std::size_t i = 1; i < by_operators.size(); ++i)
    changes += by_operators[i].op != by_operators[i - 1].op;
  EXPECT_LE(changes, 3) << "two operators in each of two trials";
}

TEST(StudyFile, IsReadBackAsItWasWritten) {
  const testing::FreshFolder folder;
  StudyFile study = StudyFile::create(folder.path(), plan());
  study.add(record(11));
  study.add(record(12, "INVALID"));
  EXPECT_EQ(study.next(), 1u) << "an INVALID run is measured again at once";
  study.add(record(13, "FAIL"));
  const StudyFile read = StudyFile::open(folder.path(), "grr-1");
  EXPECT_EQ(read.records().size(), 3u);
  EXPECT_EQ(read.records()[2].run, 1u);
  EXPECT_EQ(read.records()[2].attempt, 2);
  EXPECT_EQ(read.next(), 2u);
  EXPECT_EQ(read.plan().seed, 7u);
  EXPECT_THAT(studies_in(folder.path()), ::testing::ElementsAre("grr-1"));
  EXPECT_THAT(refusal([&] { StudyFile::create(folder.path(), plan()); }), HasSubstr("is there already"));
}

TEST(StudyFile, GivesARunUpAfterItsAttempts) {
  const testing::FreshFolder folder;
  StudyFile study = StudyFile::create(folder.path(), plan());
  for (std::uint64_t i = 0; i < 3; ++i) study.add(record(11 + i, "INVALID"));
  EXPECT_EQ(study.next(), 1u);
}

TEST(StudyFile, RefusesAResultThatCantBeThatOfItsRun) {
  const testing::FreshFolder folder;
  StudyFile study = StudyFile::create(folder.path(), plan());
  EXPECT_THAT(refusal([&] { study.add(record(10)); }),
              HasSubstr("not newer than result 10, with which the study began"));
  study.add(record(11));
  EXPECT_THAT(refusal([&] { study.add(record(11)); }), HasSubstr("not newer than result 11, the last one"));
  StudyRecord r = record(12);
  r.recipe_sha256 = "cd34";
  EXPECT_THAT(refusal([&] { study.add(r); }), HasSubstr("another recipe"));
  r = record(12);
  r.frame_sha256 = "frame 11";
  EXPECT_THAT(refusal([&] { study.add(r); }), HasSubstr("its frame is that of result 11"));
  r = record(12);
  r.calibration_sha256 = "new";
  EXPECT_THAT(refusal([&] { study.add(r); }), HasSubstr("calibration has changed"));
  r = record(12);
  r.unit_id = "P9";
  EXPECT_THAT(refusal([&] { study.add(r); }), HasSubstr("unit 'P9' lay there; this run is of part"));
  r = record(12);
  r.unit_id = study.runs()[1].part;
  EXPECT_EQ(refusal([&] { study.add(r); }), "taken");
  EXPECT_EQ(StudyFile::open(folder.path(), "grr-1").records().size(), 2u) << "nothing of what was refused";
}

TEST(StudyFile, DropsALineThatWasCutAndRefusesOneThatWasEdited) {
  const testing::FreshFolder folder;
  StudyFile::create(folder.path(), plan()).add(record(11));
  const auto file = folder / "grr-1.jsonl";
  std::ofstream(file, std::ios::app) << "{\"run\":2,\"part";
  StudyFile cut = StudyFile::open(folder.path(), "grr-1");
  EXPECT_EQ(cut.records().size(), 1u);
  cut.add(record(12));
  EXPECT_EQ(StudyFile::open(folder.path(), "grr-1").records().size(), 2u);
  std::ofstream(file, std::ios::app) << "{\"run\":2}\n";
  EXPECT_THAT(refusal([&] { StudyFile::open(folder.path(), "grr-1"); }), HasSubstr("grr-1.jsonl:4: "));
  folder.write("empty.jsonl", "");
  EXPECT_THAT(refusal([&] { StudyFile::open(folder.path(), "empty"); }), HasSubstr("no plan"));
  EXPECT_THAT(refusal([&] { StudyFile::open(folder.path(), "none"); }), HasSubstr("no such study"));
}

TEST(StudyFile, ASecondProgramsRecordIsNotOverwritten) {
  const testing::FreshFolder folder;
  StudyFile one = StudyFile::create(folder.path(), plan());
  StudyFile two = StudyFile::open(folder.path(), "grr-1");
  one.add(record(11));
  EXPECT_THAT(refusal([&] { two.add(record(12)); }), HasSubstr("another program"));
}

TEST(StudyPlan, OfTooLittleOrWithWrongNamesIsRefused) {
  const testing::FreshFolder folder;
  const auto with = [&](auto change) {
    StudyPlan p = plan();
    change(p);
    return refusal([&] { StudyFile::create(folder.path(), p); });
  };
  EXPECT_THAT(with([](StudyPlan& p) { p.id = "../up"; }), HasSubstr("study's id"));
  EXPECT_THAT(with([](StudyPlan& p) { p.id = ".hidden"; }), HasSubstr("study's id"));
  EXPECT_THAT(with([](StudyPlan& p) { p.parts = {"P1"}; }), HasSubstr("needs two parts"));
  EXPECT_THAT(with([](StudyPlan& p) { p.parts = {"P1", "P1"}; }), HasSubstr("stands there twice"));
  EXPECT_THAT(with([](StudyPlan& p) { p.parts[0] = "a\nb"; }), HasSubstr("control characters"));
  EXPECT_THAT(with([](StudyPlan& p) { p.trials = 1; }), HasSubstr("two trials"));
  EXPECT_THAT(with([](StudyPlan& p) { p.by = ""; }), HasSubstr("--by"));
}

}  // namespace
}  // namespace study_file_test
}  // namespace datum::quality
