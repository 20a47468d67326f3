// Records of reference checks in the result store: read back, looked back from, in the chain, altered ones named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "daemon/store/audit_trail.h"
#include "daemon/store/chain_check.h"
#include "daemon/store/check_records.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum::check_records_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using testing::FreshFolder;
using ::testing::HasSubstr;

CheckRecord record(std::uint64_t id, CheckStep step, std::uint64_t after) {
  CheckRecord r;
  r.id = id;
  r.name = "golden";
  r.step = step;
  r.utc_s = 1'795'000'000 + static_cast<std::int64_t>(id);
  r.why = "why \"quoted\"";
  r.after = after;
  return r;
}

void add_board(ResultStore& store) {
  BoardVerdict v = testing::board();
  v.reference = ReferenceEvidence{"", {{"golden", "VALID", 2, CheckOverride{3, "A. Berger", "spare part"}}}};
  store.store(v);
}

void run_sql(const fs::path& file, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
}

std::vector<std::uint64_t> sequences(const LookBack& found) {
  std::vector<std::uint64_t> all;
  for (const LookBackRow& row : found.rows) all.push_back(row.sequence);
  return all;
}

TEST(CheckRecords, ReadBackWithTheirValues) {
  CheckRecord r = record(4, CheckStep::valid, 9);
  r.by = "J\xc3\xbcrgen";
  r.definition = "d";
  r.calibration = "c";
  r.temperature_degc = 20.25;
  r.until_utc_s = 1'795'000'100;
  r.readings = {7, 8, 9};
  r.values = {{"B1", "median", "um", 500.1, 2, 5, 500.3, 1.5, 0.4, 0.08, true}};
  EXPECT_EQ(to_statement(check_record_from(to_statement(r))), to_statement(r));
  r.by = "\xff";  // a host may send anything
  EXPECT_NO_THROW(check_record_from(to_statement(r)));
}

TEST(CheckRecords, AreKeptAndLookedBackFrom) {
  const FreshFolder folder;
  const fs::path file = folder / "results.db";
  ResultStore store(file);
  EXPECT_EQ(newest_check(file, "golden", CheckFilter::any), std::nullopt) << "an older store has no table";
  EXPECT_EQ(last_check_id(file), 0u);
  add_board(store);
  store.keep_checks({record(1, CheckStep::check, 1), record(2, CheckStep::valid, 1)});
  add_board(store);
  add_board(store);
  store.keep_checks({record(3, CheckStep::failed, 3)});
  add_board(store);
  EXPECT_EQ(newest_check(file, "golden", CheckFilter::any)->step, CheckStep::failed);
  EXPECT_EQ(newest_check(file, "golden", CheckFilter::valid)->id, 2u);
  EXPECT_EQ(newest_check(file, "other", CheckFilter::any), std::nullopt);
  EXPECT_THAT(sequences(look_back(file, "golden", std::nullopt)), ElementsAre(2, 3, 4));
  EXPECT_THAT(sequences(look_back(file, "golden", 3)), ElementsAre(2, 3));
  EXPECT_THAT(sequences(look_back(file, "other", std::nullopt)), ElementsAre(1, 2, 3, 4));
  EXPECT_THROW(look_back(file, "golden", 9), std::runtime_error);
  EXPECT_THROW(store.keep_checks({record(4, CheckStep::due, 3), record(3, CheckStep::due, 3)}), StoreError);
  EXPECT_EQ(last_check_id(file), 3u) << "all or none";
  EXPECT_EQ(check_chain(file).faults, 0u);
  const BoardVerdict v = store.latest()->verdict();
  EXPECT_EQ(v.reference->checks[0].override_by->by, "A. Berger");
  EXPECT_EQ(to_json(verdict_from_json(to_json(v))), to_json(v));
}

TEST(AuditTrail, SaysWhoDidWhat) {
  const FreshFolder folder;
  const fs::path file = folder / "results.db";
  ResultStore store(file, {"2026-11-23T05:00:00Z", {}, {}});
  store.state(
      {to_statement(Deed{"tcp 10.0.0.2:50112", "operate", "INIT", 3, "2026-11-23T06:00:00Z", "CN=line"})});
  CheckRecord override_record = record(1, CheckStep::override_, 0);
  override_record.by = "A. Berger";
  store.keep_checks({override_record});
  const auto all = audit_trail(file, "", "");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].who, "datumd");
  EXPECT_EQ(all[0].what, "made");
  EXPECT_EQ(all[1].who, "tcp 10.0.0.2:50112");
  EXPECT_EQ(all[1].certificate, "CN=line");
  EXPECT_EQ(all[1].what, "INIT (3 before it are not listed)");
  EXPECT_EQ(all[2].who, "A. Berger");
  EXPECT_THAT(all[2].what, HasSubstr("check golden: OVERRIDE by A. Berger"));
  EXPECT_EQ(audit_trail(file, "2026-11-23T06:00:00Z", "2026-11-23T06:00:01Z").size(), 1u);
  run_sql(file, "UPDATE chain SET statement = '{\"what\":' WHERE link = 2");
  EXPECT_THAT(audit_trail(file, "", "")[1].what, HasSubstr("can't be read"));
}

TEST(CheckRecords, AreNamedWhereAlteredOrTakenOut) {
  const char* const harms[] = {
      "UPDATE reference_check SET json = replace(json, 'FAILED', 'VALID') WHERE id = 2",
      "DELETE FROM reference_check WHERE id = 2",
      "INSERT INTO reference_check SELECT 3, name, 'VALID', after, link, json FROM reference_check WHERE id "
      "= 1",
      "INSERT INTO reference_check VALUES (3, 'golden', 'VALID', 1, 99, '{}')",
      "UPDATE reference_check SET step = 'VALID' WHERE id = 2",
      "DROP TABLE reference_check",
  };
  for (const char* harm : harms) {
    const FreshFolder folder;
    const fs::path file = folder / "results.db";
    {
      ResultStore store(file);
      add_board(store);
      store.keep_checks({record(1, CheckStep::valid, 1), record(2, CheckStep::failed, 1)});
    }
    EXPECT_EQ(check_chain(file).faults, 0u);
    run_sql(file, harm);
    EXPECT_GT(check_chain(file).faults, 0u) << harm;
  }
}

}  // namespace
}  // namespace datum::check_records_test
