// Records of what persons did beside the running cell: once for the same evidence, in the chain, altered ones named.
#include "daemon/store/act_records.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "daemon/store/audit_trail.h"
#include "daemon/store/chain_check.h"
#include "daemon/store/result_chain.h"
#include "daemon/store/sqlite.h"
#include "daemon/store/studied_results.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum::act_records_test {
namespace {

namespace fs = std::filesystem;
using testing::FreshFolder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ActRecord act(ActKind kind, const std::string& sha256) {
  return {kind,
          "grr-1",
          "A. Berger",
          "2026-11-29T08:00:00Z",
          "60 results, 311 to 370",
          sha256,
          "2026-11-29T09:00:00Z"};
}

std::vector<std::string> faults(const fs::path& file) {
  std::vector<std::string> all;
  for (const ChainFault& fault : check_chain(file).first_faults) all.push_back(fault.what);
  return all;
}

void run_sql(const fs::path& file, const std::string& sql) {
  const auto db = sqlite::open(file, SQLITE_OPEN_READWRITE);
  sqlite::execute(db.get(), file, sql.c_str());
}

TEST(ActRecords, AreReadAsTheyWereWrittenWhateverTheEvidenceSays) {
  ActRecord r = act(ActKind::recipe_confirmed, "ab");
  EXPECT_EQ(to_statement(*act_from(to_statement(r))), to_statement(r));
  r.by = "\xff\n\"" + std::string(10'000, 'x');
  const std::string statement = to_statement(r);
  EXPECT_LT(statement.size(), 2'000u) << "a name that fills the chain is cut off";
  EXPECT_EQ(act_from(statement)->key(), r.key());
  EXPECT_THAT(act_from(statement)->by, HasSubstr("(10003 bytes, "));
  EXPECT_FALSE(act_from(to_statement(Deed{"10.0.0.5:1", "operate", "INITiate", 0, ""})));
  EXPECT_THROW(act_from(R"({"what":"act","act":"STUDY_PAUSE","name":"a","by":"b","at":"","detail":"",)"
                        R"("sha256":"","utc":""})"),
               std::runtime_error);
}

TEST(ActRecords, EnterTheChainOnceAndAnAlteredOneIsNamed) {
  const FreshFolder folder;
  const fs::path file = folder / "results.db";
  ResultStore store(file);
  EXPECT_THAT(known_acts(file), IsEmpty()) << "a store of before has no table";
  EXPECT_THAT(faults(file), IsEmpty());
  store.state({to_statement(act(ActKind::study_start, "aa")), to_statement(act(ActKind::study_end, "bb")),
               to_statement(act(ActKind::study_start, "aa"))});
  store.state({to_statement(act(ActKind::study_start, "aa"))});
  EXPECT_EQ(known_acts(file), (std::set<std::string>{"STUDY_START aa", "STUDY_END bb"}));
  EXPECT_THAT(faults(file), IsEmpty());
  const auto trail = audit_trail(file, "", "");
  ASSERT_EQ(trail.size(), 3u) << "the store's own, the start, the end";
  EXPECT_EQ(trail[1].who, "A. Berger");
  EXPECT_THAT(trail[1].what, HasSubstr("study grr-1 is started by A. Berger at 2026-11-29T08:00:00Z"));

  run_sql(file, "UPDATE act_record SET json = replace(json, 'Berger', 'Smith') WHERE key = 'STUDY_START aa'");
  ASSERT_EQ(faults(file).size(), 1u);
  EXPECT_THAT(faults(file)[0], HasSubstr("a record of what a person did differs from entry 2"));
  run_sql(file, "DELETE FROM act_record WHERE key = 'STUDY_START aa'");
  ASSERT_EQ(faults(file).size(), 1u);
  EXPECT_THAT(faults(file)[0], HasSubstr("of entry 2 was taken out"));
}

TEST(KeptStudies, AreCompleteWithTheirLastWholeLine) {
  const FreshFolder folder;
  const auto write = [&](const std::string& lines) {
    std::ofstream(folder / "grr-1.jsonl")
        << R"({"study":"grr-1","by":"A. Berger","at":"2026-11-29T08:00:00Z","recipe":"psu","recipe_sha256":"ab12",)"
           R"("store_id":"s1","after":7,"parts":["P1"],"operators":["A"],"trials":2,"attempts":3})"
           "\n"
        << lines;
  };
  const std::string first = R"({"run":1,"attempt":1,"result":8,"decision":"PASS"})",
                    last = R"({"run":2,"attempt":1,"result":9,"decision":"PASS"})";
  write(first + "\n");
  auto kept = kept_studies(folder.path(), "s1");
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].by, "A. Berger");
  EXPECT_FALSE(kept[0].complete);
  const std::string plan = kept[0].plan_sha256;
  write(first + "\n" + last);
  EXPECT_FALSE(kept_studies(folder.path(), "s1")[0].complete) << "a line that is being written";
  write(first + "\n" + last + "\n");
  kept = kept_studies(folder.path(), "s1");
  EXPECT_TRUE(kept[0].complete);
  EXPECT_EQ(kept[0].plan_sha256, plan);
  EXPECT_EQ(kept[0].last, 9u);
  EXPECT_THAT(kept_studies(folder.path(), "another store"), IsEmpty());
  std::ofstream(folder / "broken.jsonl") << R"({"store_id":"s1","study":7})";
  std::ofstream(folder / "noise.jsonl") << "\xff\x00[[[";
  EXPECT_EQ(kept_studies(folder.path(), "s1").size(), 1u);
}

}  // namespace
}  // namespace datum::act_records_test
