// The chain of results: every altered, missing or inserted entry is detected, retention leaves a statement, and stores of
// older schemas are migrated.
#include "daemon/store/result_chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/store/chain_check.h"
#include "daemon/store/result_store.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum {
namespace {

namespace fs = std::filesystem;
using testing::FreshFolder;
using ::testing::HasSubstr;

void run_sql(const fs::path& file, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
}

/// Results 1 to n, one a day from 2026-01-01 on.
void fill(ResultStore& store, int n) {
  for (int k = 1; k <= n; ++k) {
    BoardVerdict v = testing::board(k);
    v.measured_at = fmt::format("2026-01-{:02}T10:00:00.000000Z", k);
    store.store(v);
  }
}

/// The first fault as "SEQUENCE what".
std::string first_fault(const fs::path& file, const std::vector<HeldEntry>& held = {}) {
  const ChainReport report = check_chain(file, held);
  if (report.faults == 0) return "";
  return fmt::format("{} {}", report.first_faults.front().sequence, report.first_faults.front().what);
}

/// The first fault of a store of nine results after `sql` by another program.
std::string fault_after(const std::string& sql) {
  const FreshFolder folder;
  const auto file = folder / "results.db";
  {
    ResultStore store(file);
    fill(store, 9);
  }
  EXPECT_EQ(first_fault(file), "");
  run_sql(file, sql);
  return first_fault(file);
}

// Written by hand from the definition in result_chain.h, hashed by another program.
TEST(Chain, HashIsThatOfItsDefinition) {
  StoredResult r;
  r.sequence = 7;
  r.store_id = "00ff";
  r.measured_at = "2026-01-01T10:00:00.000000Z";
  r.recipe = "mainboard";
  r.decision = Decision::fail;
  r.reason = "NONE";
  r.frame_id = "f-1";
  r.json = "{}";
  EXPECT_EQ(chain_hash(chain_begin, r), "1646cb5a2ae0c8095c6a06a94026dc9f7600b0cdd1ceb54b8fa1540523eb8b23");
  EXPECT_EQ(chain_hash(chain_begin, "00ff", "{}"),
            "4e3e041a31b6acf188f21cafb85e08efdea3167ef8aa48f36f6c2577a99f8e6c");
}

TEST(Chain, AWholeStoreIsWhole) {
  const FreshFolder folder;
  const auto file = folder / "results.db";
  ResultStore store(file, {"2026-01-01T00:00:00Z", {}});
  fill(store, 5);
  const ChainReport report = check_chain(file);
  EXPECT_EQ(report.faults, 0u);
  EXPECT_EQ(report.links, 6u);
  EXPECT_EQ(report.first, 1u);
  EXPECT_EQ(report.last, 5u);
  EXPECT_EQ(report.head.sha256, store.head()->sha256);
  EXPECT_EQ(report.head.sha256, store.chain_sha256(5));
  EXPECT_EQ(store.chain_sha256(6), "");
  EXPECT_EQ(report.statements, std::vector<std::string>{"2026-01-01T00:00:00Z: made"});
}

TEST(Chain, FindsTheFirstResultThatIsNotAsItWas) {
  EXPECT_THAT(fault_after("UPDATE result SET decision = 0 WHERE sequence = 4"), HasSubstr("4 was altered"));
  EXPECT_THAT(fault_after("UPDATE result SET json = replace(json, '1190', '1160') WHERE sequence = 5"),
              HasSubstr("5 was altered"));
  EXPECT_THAT(fault_after("UPDATE result SET measured_at = '2025' WHERE sequence = 1"),
              HasSubstr("1 was altered"));
  EXPECT_THAT(fault_after("DELETE FROM result WHERE sequence = 3"), HasSubstr("3 is missing"));
  EXPECT_THAT(fault_after("DELETE FROM result WHERE sequence = 9"), HasSubstr("9 is missing"));
  EXPECT_THAT(fault_after("DELETE FROM result WHERE sequence = 3; DELETE FROM chain WHERE sequence = 3"),
              HasSubstr("links 4 to 4 of the chain are missing"));
  EXPECT_THAT(fault_after("DELETE FROM result WHERE sequence <= 3; DELETE FROM chain WHERE link <= 4"),
              HasSubstr("the chain begins at link 5, and no statement says"));
  EXPECT_THAT(fault_after("DELETE FROM result WHERE sequence = 9; DELETE FROM chain WHERE sequence = 9"),
              HasSubstr("9 was the newest; the chain ends with 8"));
  EXPECT_THAT(
      fault_after("INSERT INTO result SELECT 12, measured_at, unit_id, recipe, decision, reason, frame_id, "
                  "frame_sha256, json FROM result WHERE sequence = 2"),
      HasSubstr("12 is not in the chain: it was put in"));
  EXPECT_THAT(
      fault_after("UPDATE result SET sequence = 100 WHERE sequence = 2; UPDATE result SET sequence = 2 WHERE "
                  "sequence = 6; UPDATE result SET sequence = 6 WHERE sequence = 100"),
      HasSubstr("2 was altered"));
  EXPECT_THAT(
      fault_after("UPDATE chain SET statement = '{\"what\":\"made\",\"utc\":\"2020\"}' WHERE link = 1"),
      HasSubstr("statement 1 was altered"));
}

/// A completely rewritten chain is detected by an entry that is kept elsewhere.
TEST(Chain, IsHeldByALinkThatIsKeptElsewhere) {
  const FreshFolder folder;
  const auto file = folder / "results.db", other = folder / "other.db";
  ResultStore store(file), rewritten(other);
  fill(store, 4);
  fill(rewritten, 4);
  const HeldEntry held{store.head()->link, store.head()->sha256};
  fill(store, 1);
  EXPECT_EQ(first_fault(file, {held}), "");
  EXPECT_THAT(first_fault(other, {held}), HasSubstr("link 5 is not what is held elsewhere"));
  EXPECT_THAT(first_fault(other, {{9, held.sha256}}),
              HasSubstr("link 9 is held elsewhere, the chain ends with 5"));
}

TEST(Chain, RemovalIsStatedInTheChain) {
  const FreshFolder folder;
  const auto file = folder / "results.db";
  ResultStore store(file);
  fill(store, 9);
  const HeldEntry old{2, store.chain_sha256(1)}, newer{5, store.chain_sha256(4)};
  const Removal gone = store.remove_oldest({4, "", 3, "by hand", "2026-02-01T00:00:00Z"});
  EXPECT_EQ(gone.results, 3u);
  EXPECT_EQ(gone.last, 3u);
  EXPECT_EQ(gone.altered, "");
  EXPECT_EQ(store.remove_oldest({4, "", 3, "by hand", "2026-02-02T00:00:00Z"}).results, 1u);
  EXPECT_EQ(store.remove_oldest({4, "", 3, "by hand", ""}).results, 0u);
  const ChainReport report = check_chain(file);
  EXPECT_EQ(report.faults, 0u) << report.first_faults.front().what;
  EXPECT_EQ(report.first, 5u);
  EXPECT_EQ(report.statements.back(), "2026-02-02T00:00:00Z: 1 results, 4 to 4, removed: by hand");
  EXPECT_EQ(store.extent().first, 5u);
  EXPECT_EQ(store.extent().count, 5u);
  EXPECT_EQ(first_fault(file, {newer}), "");
  EXPECT_THAT(first_fault(file, {old}), HasSubstr("was removed since"));
  fill(store, 2);
  EXPECT_EQ(first_fault(file), "");
  // further removed entries at the begin of the chain have no statement
  run_sql(file, "DELETE FROM result WHERE sequence = 5; DELETE FROM chain WHERE sequence = 5");
  EXPECT_THAT(first_fault(file), HasSubstr("no statement says what was before"));
}

TEST(Chain, RemovalGoesByAgeInOrderAndLeavesTheNewest) {
  const FreshFolder folder;
  ResultStore store(folder / "results.db");
  fill(store, 6);
  EXPECT_EQ(store.remove_oldest({100, "2026-01-03", 32, "old", ""}).last,
            2u);  // 3 was measured that day at ten
  EXPECT_EQ(store.remove_oldest({100, "2027-01-01", 2, "old", ""}).last, 4u);
  EXPECT_EQ(store.remove_oldest({100, "2027-01-01", 32, "old", ""}).last, 5u);
  EXPECT_EQ(store.remove_oldest({100, "2027-01-01", 32, "old", ""}).results, 0u);
  EXPECT_EQ(store.extent().first, 6u);
  BoardVerdict v = testing::board();
  EXPECT_EQ(store.store(v), 7u);
}

/// Alterations are recorded at the removal, since they cannot be detected later.
TEST(Chain, RemovalTellsWhatWasAltered) {
  const FreshFolder folder;
  const auto file = folder / "results.db";
  ResultStore store(file);
  fill(store, 5);
  run_sql(file, "UPDATE result SET reason = 'NONE' WHERE sequence = 2");
  EXPECT_EQ(store.remove_oldest({3, "", 32, "old", "2026-02-01T00:00:00Z"}).altered, "result 2 was altered");
  const ChainReport report = check_chain(file);
  EXPECT_EQ(report.faults, 0u);
  EXPECT_THAT(report.statements.back(), HasSubstr("result 2 was altered"));
}

TEST(Chain, RemovedSpaceIsUsedAgain) {
  const FreshFolder folder;
  const auto file = folder / "results.db";
  ResultStore store(file);
  const auto one_round = [&] {
    for (int k = 0; k < 40; ++k) fill(store, 1);
    while (store.extent().count > 40) store.remove_oldest({store.extent().last - 40, "", 8, "count", ""});
  };
  one_round();
  one_round();
  const auto used = store.used_bytes();
  for (int k = 0; k < 5; ++k) one_round();
  // the same number of results in the same pages; statements and the place of rows in pages differ by less than a tenth
  EXPECT_NEAR(static_cast<double>(store.used_bytes()), static_cast<double>(used),
              0.1 * static_cast<double>(used));
}

TEST(Chain, KeepsTheClock) {
  const FreshFolder folder;
  {
    ResultStore store(folder / "results.db");
    EXPECT_EQ(store.kept_clock(), "");
    store.keep_clock("2026-01-01T00:00:00Z");
  }
  EXPECT_EQ(ResultStore::read_only(folder / "results.db").kept_clock(), "2026-01-01T00:00:00Z");
}

// tests/data/stores/schema-N.db: four results each, FAIL PASS FAIL PASS, written by the code of that schema.
fs::path old_store(const FreshFolder& folder, int schema) {
  const fs::path from = fs::path(DATUM_SOURCE_DIR) / fmt::format("tests/data/stores/schema-{}.db", schema);
  fs::copy_file(from, folder / "results.db", fs::copy_options::overwrite_existing);
  return folder / "results.db";
}

TEST(Migration, AReaderReadsAnOldStoreAndLeavesIt) {
  const FreshFolder folder;
  const auto file = old_store(folder, 1);
  auto reader = ResultStore::read_only(file);
  EXPECT_EQ(reader.extent().count, 4u);
  EXPECT_EQ(reader.latest()->verdict().sequence, 4u);
  EXPECT_EQ(reader.head(), std::nullopt);
  EXPECT_EQ(reader.chain_sha256(1), "");
  EXPECT_EQ(reader.kept_clock(), "");
  EXPECT_THROW(check_chain(file), StoreError);
}

TEST(Migration, BringsTheFirstSchemaForward) {
  const FreshFolder folder;
  const auto file = old_store(folder, 1);
  std::vector<std::string> before, after;
  std::string id;
  {
    auto old = ResultStore::read_only(file);
    for (const auto& r : old.list({}, 100)) before.push_back(r.json);
    id = old.id();
  }
  std::uint64_t told = 0;
  ResultStore store(file, {"2026-11-22T00:00:00Z", [&](std::uint64_t, std::uint64_t of) { told = of; }});
  for (const auto& r : store.list({}, 100)) after.push_back(r.json);
  EXPECT_EQ(after, before);
  EXPECT_EQ(store.id(), id);
  EXPECT_EQ(told, 4u);
  BoardVerdict v = testing::board();
  EXPECT_EQ(store.store(v), 5u);
  const ChainReport report = check_chain(file);
  EXPECT_EQ(report.faults, 0u);
  EXPECT_EQ(report.links, 6u);
  EXPECT_EQ(report.statements,
            std::vector<std::string>{"2026-11-22T00:00:00Z: brought from schema 1 with 4 results"});
}

/// Killed at its begin, in its middle or just before its end: the store has schema 1, and is intact.
TEST(Migration, LeavesTheOldWhereItDies) {
  for (const int at : {0, 256, 512}) {
    const FreshFolder folder;
    const auto file = old_store(folder, 1);
    run_sql(file,
            "WITH RECURSIVE n(k) AS (SELECT 5 UNION ALL SELECT k + 1 FROM n WHERE k < 600) INSERT INTO "
            "result SELECT k, "
            "measured_at, unit_id, recipe, decision, reason, frame_id, frame_sha256, json FROM n, result "
            "WHERE sequence "
            "= 1; UPDATE store SET last_sequence = 600");
    const pid_t child = fork();
    if (child == 0) {
      ResultStore store(file, {"", [&](std::uint64_t done, std::uint64_t) {
                                 if (done >= static_cast<std::uint64_t>(at)) kill(getpid(), SIGKILL);
                               }});
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(ResultStore::read_only(file).extent().count, 600u);
    EXPECT_EQ(ResultStore::read_only(file).head(), std::nullopt);
    ResultStore again(file);
    EXPECT_EQ(check_chain(file).faults, 0u);
    EXPECT_EQ(again.extent().count, 600u);
  }
}

TEST(Chain, DeedsAreLinksThatNobodyChangesUnseen) {
  const FreshFolder folder;
  const auto file = folder / "results.db";
  const std::string deed =
      to_statement(Deed{"tcp 10.0.0.7:1", "operate", "CONF:REC 'a'", 0, "2026-01-01T10:00:00Z"});
  {
    ResultStore store(file);
    fill(store, 3);
    store.state({deed, deed});
    fill(store, 2);
    RemovalOrder order;
    order.up_to = 1;
    EXPECT_EQ(store.remove_oldest(order).results, 1u);
    store.state({deed});
    order.up_to = 4;
    const Removal removed = store.remove_oldest(order);
    EXPECT_EQ(removed.results, 3u);
    EXPECT_EQ(removed.altered, "");
  }
  EXPECT_EQ(first_fault(file), "");
  EXPECT_THAT(check_chain(file, {}).statements,
              ::testing::Contains("2026-01-01T10:00:00Z: tcp 10.0.0.7:1 (operate): CONF:REC 'a'"));
  run_sql(file,
          "UPDATE chain SET statement = replace(statement, '10.0.0.7', '10.0.0.8') WHERE statement LIKE "
          "'%deed%'");
  EXPECT_THAT(first_fault(file), HasSubstr("was altered"));
}

}  // namespace
}  // namespace datum
