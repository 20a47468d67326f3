// A store restored from a copy: it is detected, gets another id and higher numbers, and its chain states that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>

#include "daemon/store/chain_check.h"
#include "daemon/store/result_store.h"
#include "daemon/store/store_backup.h"
#include "daemon/store/store_check.h"
#include "daemon/store/store_renewal.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using testing::FreshFolder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* noon = "2026-11-22T12:00:00Z";

void fill(ResultStore& store, int n) {
  for (int k = 1; k <= n; ++k) {
    BoardVerdict v = testing::board(k);
    store.store(v);
  }
}

struct SetBackStore : ::testing::Test {
  FreshFolder folder;
  const fs::path file = folder / "results.db", mark = folder / "results.db.mark", kept = folder / "kept";

  /// Five results, a copy of all files, then four more results.
  SetBackStore() {
    {
      ResultStore store(file);
      fill(store, 5);
      id = store.id();
    }
    fs::create_directory(kept);
    copy(folder.path(), kept);
    ResultStore store(file);
    fill(store, 4);
  }
  static void copy(const fs::path& from, const fs::path& to) {
    for (const char* name : {"results.db", "results.db.mark"})
      fs::copy_file(from / name, to / name, fs::copy_options::overwrite_existing);
  }
  /// Copies the old file over the new one, which keeps its inode.
  void put_back() const { fs::copy_file(kept / "results.db", file, fs::copy_options::overwrite_existing); }
  std::string id;
};

/// Opens the store with these inputs and returns its renewal.
std::optional<Renewal> open(const fs::path& file, const HeldPosition& held = {}) {
  return ResultStore(file, {noon, {}, [=](const std::string&) { return held; }}).renewed();
}

/// Reason of the renewal; "": none.
std::string why(const fs::path& file) {
  const auto renewed = open(file);
  return renewed ? renewed->why : "";
}

TEST_F(SetBackStore, GoesOnUnderItsIdWhereNothingHappened) {
  EXPECT_EQ(open(file), std::nullopt);
  EXPECT_EQ(open(file, {9, "modbus 10.0.0.2"}), std::nullopt);
  ResultStore store(file);
  EXPECT_EQ(store.id(), id);
  fill(store, 1);
  EXPECT_EQ(store.extent().last, 10u);
}

TEST_F(SetBackStore, GetsAnotherIdAndHigherNumbersAndSaysSo) {
  put_back();
  ResultStore store(file, {noon, {}, {}});
  ASSERT_TRUE(store.renewed());
  EXPECT_EQ(store.renewed()->former_id, id);
  EXPECT_EQ(store.renewed()->id, store.id());
  EXPECT_NE(store.id(), id);
  EXPECT_EQ(store.renewed()->last, 5u);
  EXPECT_EQ(store.renewed()->given, 9u);
  EXPECT_THAT(store.renewed()->why, HasSubstr("results up to 9 were announced, it ends with 5"));
  fill(store, 3);
  const StoreExtent have = store.extent();
  EXPECT_EQ(have.first, 1u);
  EXPECT_EQ(have.last, 12u) << "6 to 9 were given before, and are not given again";
  EXPECT_EQ(have.count, 8u);
  EXPECT_EQ(have.store_id, store.id());
  EXPECT_EQ(store.get(6), std::nullopt);
  EXPECT_EQ(store.get(10)->store_id, store.id());
  EXPECT_EQ(store.get(5)->store_id, id) << "as it was announced";
  EXPECT_EQ(store.chain_sha256(12), store.head()->sha256);
  EXPECT_EQ(store.chain_sha256(7), "");
  const ChainReport report = check_chain(file);
  EXPECT_EQ(report.faults, 0u) << report.first_faults.front().what;
  ASSERT_EQ(report.renewals.size(), 1u);
  EXPECT_THAT(report.renewals.front(), HasSubstr("2026-11-22T12:00:00Z: store " + id + " goes on as " +
                                                 store.id() + " behind result 5, next number 10"));
  EXPECT_EQ(report.last, 12u);
}

TEST_F(SetBackStore, KeepsItsNewId) {
  put_back();
  const auto renewed = open(file);
  ASSERT_TRUE(renewed);
  ResultStore store(file);
  EXPECT_EQ(store.renewed(), std::nullopt);
  EXPECT_EQ(store.id(), renewed->id);
  fill(store, 1);
  EXPECT_EQ(store.extent().last, 10u);
}

TEST_F(SetBackStore, IsSeenByWhoHoldsAPositionWhereTheMarkWasPutBackToo) {
  copy(kept, folder.path());
  EXPECT_EQ(open(file, {5, "modbus 10.0.0.2"}), std::nullopt)
      << "the mark's inode is the same, nobody is ahead";
  copy(kept, folder.path());
  const auto renewed = open(file, {8, "modbus 10.0.0.2"});
  ASSERT_TRUE(renewed);
  EXPECT_THAT(renewed->why, HasSubstr("modbus 10.0.0.2 has results up to 8, it ends with 5"));
  EXPECT_EQ(renewed->given, 8u);
}

/// A host's mistake must not exhaust the numbers.
TEST_F(SetBackStore, DoesNotFollowAPositionThatIsIncredible) {
  const auto renewed = open(file, {1'000'010, "tcp 10.0.0.2"});
  ASSERT_TRUE(renewed);
  EXPECT_EQ(renewed->given, 9u);
  const auto followed = open(file, {1'000'009, "tcp 10.0.0.2"});
  ASSERT_TRUE(followed);
  EXPECT_EQ(followed->given, 1'000'009u);
}

TEST_F(SetBackStore, ACopyIsSeenByItsMark) {
  EXPECT_THAT(why(kept / "results.db"), HasSubstr("the mark beside it was copied with it"));
  fs::remove(mark);
  EXPECT_THAT(why(file), HasSubstr("the mark beside it is missing"));
  fs::resize_file(mark, 100);
  EXPECT_THAT(why(file), HasSubstr("the mark beside it is missing"));
}

TEST_F(SetBackStore, AnotherBranchOfEqualLengthIsSeenByItsHash) {
  // the same numbers under the same id, by a datumd without marks
  const auto branch = folder / "branch";
  fs::create_directory(branch);
  {
    ResultStore store(branch / "results.db");
    fill(store, 5);
  }
  fs::copy_file(branch / "results.db", folder / "of-five.db");
  {
    ResultStore store(branch / "results.db");
    BoardVerdict v = testing::board(77);
    store.store(v);
  }
  const Mark known = *read_mark(branch / "results.db");
  fs::copy_file(folder / "of-five.db", branch / "results.db", fs::copy_options::overwrite_existing);
  {
    StoreMark old(branch / "results.db");  // progress of the copy: not detected
    auto copied = ResultStore::read_only(branch / "results.db");
    old.keep({copied.id(), 5, copied.chain_sha256(5)});
  }
  {
    ResultStore store(branch / "results.db");
    EXPECT_EQ(store.renewed(), std::nullopt);
    fill(store, 1);  // another result 6
  }
  {
    StoreMark mark(branch / "results.db");
    mark.keep(known.place);
  }
  const auto renewed = open(branch / "results.db");
  ASSERT_TRUE(renewed);
  EXPECT_THAT(renewed->why, HasSubstr("result 6 is not the one that was announced"));
}

TEST_F(SetBackStore, ItsIdsAreInTheChain) {
  put_back();
  {
    ResultStore store(file);
    fill(store, 2);
  }
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
  sqlite3_exec(db, ("UPDATE store SET id = '" + id + "'").c_str(), nullptr, nullptr, nullptr);
  sqlite3_close(db);
  const ChainReport report = check_chain(file);
  ASSERT_EQ(report.faults, 1u);
  EXPECT_THAT(report.first_faults.front().what, HasSubstr("its chain says"));
}

TEST_F(SetBackStore, RetentionRemovesAcrossTheStatement) {
  put_back();
  ResultStore store(file);
  fill(store, 4);  // 1 to 5, 10 to 13
  EXPECT_EQ(store.extent().below_newest(6), 3u);
  EXPECT_EQ(store.extent().below_newest(4), 9u) << "6 to 9 are none";
  EXPECT_EQ(store.extent().below_newest(2), 11u);
  EXPECT_EQ(store.extent().below_newest(20), 0u);
  EXPECT_EQ(store.remove_oldest({3, "", 32, "a test", noon}).altered, "");
  EXPECT_EQ(store.extent().count, 6u);
  EXPECT_EQ(check_chain(file).faults, 0u);
  const Removal gone = store.remove_oldest({11, "", 32, "a test", noon});
  EXPECT_EQ(gone.altered, "");
  EXPECT_EQ(gone.results, 4u);
  const ChainReport report = check_chain(file);
  EXPECT_EQ(report.faults, 0u) << report.first_faults.front().what;
  EXPECT_THAT(report.renewals, IsEmpty());
  EXPECT_EQ(store.extent().first, 12u);
  EXPECT_EQ(store.extent().count, 2u);
  EXPECT_THAT(store.extent().former, IsEmpty());
}

TEST_F(SetBackStore, TwiceOverWithoutAResultInBetween) {
  put_back();
  ASSERT_TRUE(open(file, {}));
  ASSERT_TRUE(open(file, {14, "tcp 10.0.0.2"}));
  ResultStore store(file);
  fill(store, 2);
  const StoreExtent have = store.extent();
  EXPECT_EQ(have.first, 1u);
  EXPECT_EQ(have.last, 16u);
  EXPECT_EQ(have.count, 7u);
  EXPECT_EQ(have.next(5), 15u);
  EXPECT_EQ(have.count_above(3), 4u);
  EXPECT_EQ(check_chain(file).faults, 0u);
  EXPECT_EQ(have.position_of(id, 4), 4u);
  EXPECT_EQ(have.position_of(id, 7), 9u);
  EXPECT_EQ(have.position_of("ffff", 7), std::nullopt);
}

/// A reader beside the writer, as the daemon has one.
TEST_F(SetBackStore, AReaderSeesTheNewId) {
  ResultStore store(file);
  auto reader = ResultStore::read_only(file);
  const Renewal renewal = store.renew({12, "tcp 10.0.0.2"}, noon);
  fill(store, 1);
  EXPECT_EQ(reader.extent().store_id, renewal.id);
  EXPECT_EQ(reader.extent().last, 13u);
  EXPECT_EQ(reader.get(13)->store_id, renewal.id);
  EXPECT_EQ(reader.get(9)->store_id, id);
}

TEST_F(SetBackStore, TheMarkIsNeverAheadOfTheStore) {
  ResultStore store(file);
  const auto marked = [&] { return read_mark(file)->given(id); };
  EXPECT_EQ(marked(), 9u);
  fill(store, 1);
  EXPECT_EQ(marked(), 10u);
  EXPECT_EQ(read_mark(file)->place.sha256, store.chain_sha256(10));
  EXPECT_FALSE(store.mark_failed());
}

// Backups

TEST_F(SetBackStore, ABackupOfARunningStoreIsWholeAndIsPutBackUnderAnotherId) {
  const fs::path copy = folder / "copy.db";
  {
    ResultStore store(file);
    fill(store, 1);
    const Backup backup = back_up(file, copy, noon);
    EXPECT_EQ(backup.report.faults, 0u);
    EXPECT_EQ(backup.report.last, 10u);
    EXPECT_EQ(backup.note.given, 10u);
    fill(store, 3);
    EXPECT_THROW(datum::put_back(copy, file, noon), StoreError) << "datumd runs";
  }
  EXPECT_FALSE(fs::exists(copy.string() + "-wal"));
  EXPECT_THAT(standing_of(copy, read_mark(copy), check_chain(copy)).vouched,
              HasSubstr("a backup of 2026-11-22T12:00:00Z: it has all results up to 10"));
  const Restored restored = datum::put_back(copy, file, noon);
  EXPECT_EQ(restored.backup.report.last, 10u);
  EXPECT_EQ(check_chain(restored.set_aside).last, 13u) << "nothing is deleted";
  ResultStore store(file);
  ASSERT_TRUE(store.renewed());
  EXPECT_EQ(store.renewed()->given, 13u);
  EXPECT_THAT(store.renewed()->why, HasSubstr("it was put back from the backup of 2026-11-22T12:00:00Z"));
  fill(store, 1);
  EXPECT_EQ(store.extent().last, 14u);
  EXPECT_EQ(check_chain(file).faults, 0u);
  EXPECT_EQ(ResultStore::read_only(copy).id(), id) << "the backup can be put back again";
}

/// Another computer has no mark: the backup identifies itself.
TEST_F(SetBackStore, ABackupIsKnownAnywhere) {
  const fs::path copy = folder / "copy.db", elsewhere = folder / "elsewhere";
  back_up(file, copy, noon);
  fs::create_directory(elsewhere);
  EXPECT_EQ(datum::put_back(copy, elsewhere / "results.db", noon).set_aside, "");
  const auto renewed = open(elsewhere / "results.db");
  ASSERT_TRUE(renewed);
  EXPECT_EQ(renewed->given, 9u);
  fs::copy_file(copy, folder / "by-hand.db");
  EXPECT_THAT(why(folder / "by-hand.db"), HasSubstr("put back from the backup"));
}

TEST_F(SetBackStore, ABackupOverwritesNothingAndLeavesNothingBehind) {
  const fs::path copy = folder / "copy.db";
  std::ofstream(copy) << "somebody's";
  EXPECT_THROW(back_up(file, copy, noon), BackupError);
  EXPECT_EQ(fs::file_size(copy), 10u);
  EXPECT_THROW(back_up(file, folder / "none/copy.db", noon), BackupError);
  std::ofstream(folder / "junk.db") << std::string(200, 'x');
  EXPECT_THROW(back_up(folder / "junk.db", folder / "other.db", noon), StoreError);
  for (const auto& entry : fs::directory_iterator(folder.path()))
    EXPECT_THAT(entry.path().filename().string(), ::testing::Not(HasSubstr(".part")));
}

TEST_F(SetBackStore, WhatIsNotAsItWasWrittenIsNotPutBack) {
  const fs::path copy = folder / "copy.db";
  back_up(file, copy, noon);
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(copy.c_str(), &db), SQLITE_OK);
  sqlite3_exec(db, "UPDATE result SET decision = 0 WHERE sequence = 2", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  EXPECT_THROW(datum::put_back(copy, file, noon), BackupError);
  EXPECT_EQ(open(file), std::nullopt);
}

// Statements of verify results beside the chain

TEST_F(SetBackStore, VerifyingSaysWhatVouchesForTheNewestResults) {
  const auto standing = [](const fs::path& store) {
    const auto mark = read_mark(store);
    return standing_of(store, mark, check_chain(store));
  };
  EXPECT_THAT(standing(file).vouched, HasSubstr("the mark beside it agrees, up to result 9"));
  EXPECT_TRUE(standing(file).enough);
  fs::copy_file(file, folder / "alone.db");
  EXPECT_THAT(standing(folder / "alone.db").unknown, HasSubstr("it has no -wal"));
  EXPECT_FALSE(standing(folder / "alone.db").enough);
  put_back();
  EXPECT_THAT(standing(file).fault, HasSubstr("the mark beside it knows results up to 9"));
}

/// The file of a running datumd without its -wal.
TEST(StoreCopy, WithoutItsWalSaysThatItMayLackAll) {
  const FreshFolder folder;
  const fs::path file = folder / "results.db", alone = folder / "alone.db";
  ResultStore store(file);
  fill(store, 3);
  fs::copy_file(file, alone);
  const ChainReport report = check_chain(alone);
  EXPECT_EQ(report.results, 0u);
  const StoreStanding standing = standing_of(alone, read_mark(alone), report);
  EXPECT_FALSE(standing.enough);
  EXPECT_THAT(standing.unknown, HasSubstr("lacks what was in it"));
  EXPECT_THAT(standing.unknown, HasSubstr("a store that was just made looks the same"));
  std::ofstream(folder / "empty.db").close();
  try {
    check_chain(folder / "empty.db");
    FAIL();
  } catch (const StoreError& error) {
    EXPECT_THAT(error.what(), HasSubstr("without its -wal"));
  }
}

}  // namespace
}  // namespace datum
