#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "daemon/store/result_store.h"
#include "tests/daemon/scpi/fixture.h"

// SQLite calls this function: a commit without it survives kill -9 but not a power cut.
static int syncs = 0, checkpoints = 0;  // a checkpoint synchronises the store's file beside its WAL
extern "C" int fdatasync(int fd) {
  ++syncs;
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  std::error_code ignored;
  checkpoints += std::filesystem::read_symlink(link, ignored).extension() == ".db";
  return static_cast<int>(syscall(SYS_fdatasync, fd));
}

namespace datum {
namespace {

namespace fs = std::filesystem;
using testing::board;
using testing::FreshFolder;
using ::testing::HasSubstr;
using Kind = StoreError::Kind;

void run_sql(const fs::path& file, const char* sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
}

template <class Act>
void expect_store_error(Kind kind, const char* words, Act act) {
  try {
    act();
    FAIL() << "nothing was thrown; expected: " << words;
  } catch (const StoreError& e) {
    EXPECT_EQ(e.kind(), kind) << e.what();
    EXPECT_THAT(e.what(), HasSubstr(words));
  }
}

TEST(ResultStore, KeepsTheWholeVerdictUnderItsSequence) {
  const FreshFolder folder;
  BoardVerdict v = board();
  {
    ResultStore store(folder / "results.db");
    EXPECT_EQ(store.latest(), std::nullopt);
    EXPECT_EQ(store.store(v), 1u);
    EXPECT_EQ(v.sequence, 1u);
    EXPECT_EQ(v.store_id, store.id());
    EXPECT_EQ(store.id().size(), 16u);
  }
  ResultStore again(folder / "results.db");
  const auto row = again.get(1);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->json, to_json(v));
  EXPECT_EQ(to_json(row->verdict()), to_json(v));
  EXPECT_EQ(row->decision, Decision::invalid);
  EXPECT_EQ(row->reason, "FLOOR_INLIER_RATIO");
  EXPECT_EQ(row->unit_id, "SN-7");
  EXPECT_EQ(again.get(2), std::nullopt);
  EXPECT_EQ(again.get(UINT64_MAX), std::nullopt);
}

TEST(ResultStore, NoResultWaitsForACheckpointThatTheTimesBehindItCanMake) {
  const FreshFolder folder;
  ResultStore store(folder / "results.db");
  const auto checkpoints_of = [](const auto& act) {
    const int before = checkpoints;
    act();
    return checkpoints - before;
  };
  BoardVerdict v = board();
  v.detail = std::string(120'000, 'x');  // 30 pages of the WAL
  store.store(v);                        // the first synchronises the new file
  int by_times = 0;
  for (int n = 0; n < 80; ++n) {
    EXPECT_EQ(checkpoints_of([&] { store.store(v); }), 0) << "result " << v.sequence;
    by_times += checkpoints_of([&] { store.keep_times({{v.sequence, "{}"}}); });
  }
  EXPECT_GE(by_times, 2);
  const int by_results = checkpoints_of([&] {
    for (int n = 0; n < 160; ++n) store.store(v);
  });
  EXPECT_GE(by_results, 1) << "without times a result's own, late: the WAL grows no further";
}

TEST(ResultStore, LeavesCheckpointsToWhoAsksForThemAndTheWalStartsAnew) {
  const FreshFolder folder;
  const fs::path file = folder / "results.db";
  ResultStore store(file);
  EXPECT_FALSE(store.checkpoint_due());
  BoardVerdict v = board();
  v.detail = std::string(120'000, 'x');  // 30 pages of the WAL
  store.store(v);
  int due = 0, by_commits = 0, by_caller = 0;
  std::uintmax_t longest = 0;
  for (int n = 0; n < 200; ++n) {
    const int before = checkpoints;
    store.store(v);
    store.keep_times({{v.sequence, "{}"}});
    by_commits += checkpoints - before;
    if (store.checkpoint_due()) {
      ++due;
      EXPECT_FALSE(store.checkpoint_due()) << "once";
      const int then = checkpoints;
      // Another thread's, as in the cell.
      std::thread([&] { ResultStore::checkpoint(file); }).join();
      by_caller += checkpoints - then;
    }
    longest = std::max(longest, fs::file_size(file.string() + "-wal"));
  }
  EXPECT_EQ(by_commits, 0);
  EXPECT_GE(due, 5);
  EXPECT_EQ(by_caller, due);
  EXPECT_LT(longest, 1100u * 4120u) << "all of the WAL is in the store's file, and it starts anew";
  EXPECT_EQ(ResultStore::read_only(file).latest()->sequence, 201u);
}

TEST(ResultStore, AStoreWhoseCheckpointsNobodyMakesMakesThemItselfLate) {
  const FreshFolder folder;
  ResultStore store(folder / "results.db");
  BoardVerdict v = board();
  v.detail = std::string(120'000, 'x');
  store.store(v);
  EXPECT_FALSE(store.checkpoint_due());  // and never asks again
  const int before = checkpoints;
  for (int n = 0; n < 200; ++n) store.store(v);
  EXPECT_GE(checkpoints - before, 1);
}

TEST(ResultStore, ReadersThatNeverEndCostNoCheckpointForEachResult) {
  const FreshFolder folder;
  ResultStore store(folder / "results.db");
  BoardVerdict v = board();
  v.detail = std::string(120'000, 'x');  // 30 pages of the WAL
  store.store(v);
  const int before = syncs, boards = 80;
  // There is always one, and it always reads the newest result: the WAL never starts anew.
  std::unique_ptr<ResultStore> reading;
  std::unique_ptr<ResultStore::Snapshot> read;
  for (int n = 0; n < boards; ++n) {
    auto next = std::make_unique<ResultStore>(ResultStore::read_only(folder / "results.db"));
    auto snapshot = std::make_unique<ResultStore::Snapshot>(*next);
    EXPECT_EQ(next->latest()->sequence, v.sequence);
    read = std::move(snapshot);  // the former one ends behind it
    reading = std::move(next);
    store.store(v);
    store.keep_times({{v.sequence, "{}"}});
  }
  read.reset();
  EXPECT_LE(syncs - before, boards + 3) << "one for each result, and one for 1,000 pages of the WAL's 3,000";
}

TEST(ResultStore, IsOnTheDiskWhenStoreReturns) {
  const FreshFolder folder;
  ResultStore store(folder / "results.db");
  for (int n = 0; n < 3; ++n) {
    const int before = syncs;
    BoardVerdict v = board(n);
    store.store(v);
    EXPECT_GT(syncs, before) << "result " << v.sequence;
  }
}

TEST(ResultStore, StoresSeveralWithOneSynchronisationOrNone) {
  const FreshFolder folder;
  ResultStore store(folder / "results.db");
  BoardVerdict one = board(), two = board(), three = board(), four = board();
  store.store(one);
  int before = syncs;
  store.store(std::vector<BoardVerdict*>{&two, &three, &four});
  EXPECT_EQ(syncs - before, 1);
  EXPECT_EQ(two.sequence, 2u);
  EXPECT_EQ(four.sequence, 4u);
  EXPECT_EQ(four.store_id, store.id());
  EXPECT_EQ(store.get(3)->json, to_json(three));

  BoardVerdict good = board(), bad = board();
  run_sql(folder / "results.db",
          "CREATE TRIGGER no_sixth BEFORE INSERT ON result WHEN NEW.sequence = 6 BEGIN SELECT RAISE(ABORT, "
          "'no'); END");
  EXPECT_THROW(store.store(std::vector<BoardVerdict*>{&good, &bad}), StoreError);
  EXPECT_EQ(good.sequence, 0u) << "none of them";
  EXPECT_EQ(store.extent().last, 4u);
  before = syncs;
  store.store(std::vector<BoardVerdict*>{});
  EXPECT_EQ(syncs, before) << "none to store";
}

TEST(ResultStore, KeepsTimesBesideAResultWithoutWaitingForTheDisk) {
  const FreshFolder folder;
  ResultStore store(folder / "results.db");
  EXPECT_EQ(store.times(1), std::nullopt);
  for (int i = 0; i < 3; ++i) {
    BoardVerdict v = board();
    store.store(v);
  }
  const std::string verdict = store.get(2)->json, chained = store.head()->sha256;
  store.keep_times({{1, "one"}});  // makes the table
  const int before = syncs;
  store.keep_times({{2, "two"}, {3, "three"}});
  EXPECT_EQ(syncs, before);
  EXPECT_EQ(store.times(2), "two");
  EXPECT_EQ(store.get(2)->json, verdict);
  EXPECT_EQ(store.head()->sha256, chained);
  BoardVerdict later = board();
  store.store(later);
  EXPECT_GT(syncs, before) << "results wait for it as before";

  RemovalOrder order;
  order.up_to = 2;
  ASSERT_EQ(store.remove_oldest(order).results, 2u);
  store.keep_times({{4, "four"}});
  EXPECT_EQ(store.times(2), std::nullopt) << "its result is gone";
  EXPECT_EQ(store.times(3), "three");
}

TEST(ResultStore, NeverGivesANumberTwiceEvenAfterDeletion) {
  const FreshFolder folder;
  for (std::uint64_t n = 1; n <= 3; ++n) {
    BoardVerdict v = board();
    EXPECT_EQ(ResultStore(folder / "results.db").store(v), n);
    run_sql(folder / "results.db", "DELETE FROM result");
  }
}

TEST(ResultStore, CountsBeyond32Bits) {
  const FreshFolder folder;
  { ResultStore make(folder / "results.db"); }
  run_sql(folder / "results.db", "UPDATE store SET last_sequence = 9007199254740993");  // 2^53 + 1
  ResultStore store(folder / "results.db");
  BoardVerdict v = board();
  EXPECT_EQ(store.store(v), 9007199254740994u);
  EXPECT_EQ(store.latest()->sequence, 9007199254740994u);
}

TEST(ResultStore, ListsNewestFirstByFilter) {
  const FreshFolder folder;
  ResultStore store(folder / "results.db");
  for (int n = 1; n <= 6; ++n) {
    BoardVerdict v = board(n);
    v.decision = n % 2 ? Decision::pass : Decision::fail;
    v.recipe = n <= 3 ? "a" : "b";
    store.store(v);
  }
  const auto sequences = [&](const ResultFilter& f, std::uint64_t limit, ResultOrder order) {
    std::vector<std::uint64_t> out;
    for (const auto& r : store.list(f, limit, order)) out.push_back(r.sequence);
    return out;
  };
  using List = std::vector<std::uint64_t>;
  EXPECT_EQ(sequences({}, 4, ResultOrder::newest_first), (List{6, 5, 4, 3}));
  EXPECT_EQ(sequences({Decision::fail, {}, {}, {}, {}, {}}, 10, ResultOrder::newest_first), (List{6, 4, 2}));
  EXPECT_EQ(sequences({Decision::fail, "a", {}, {}, {}, {}}, 10, ResultOrder::newest_first), (List{2}));
  EXPECT_EQ(sequences({{}, {}, "SN-7", 4, {}, {}}, 10, ResultOrder::oldest_first), (List{5, 6}));
  EXPECT_EQ(sequences({{}, {}, "other", {}, {}, {}}, 10, ResultOrder::oldest_first), List{});
  const auto extent = store.extent();
  EXPECT_EQ(extent.count, 6u);
  EXPECT_EQ(extent.first, 1u);
  EXPECT_EQ(extent.last, 6u);
}

TEST(ResultStore, KnowsAFrameByItsIdAndItsBytes) {
  const FreshFolder folder;
  ResultStore store(folder / "results.db");
  BoardVerdict v = board(1);
  store.store(v);
  store.store(v);
  EXPECT_EQ(store.already_measured(v.frame_id, v.frame_sha256), 2u);
  EXPECT_EQ(store.already_measured(v.frame_id, board(2).frame_sha256), std::nullopt);
  EXPECT_EQ(store.already_measured("other", v.frame_sha256), std::nullopt);
}

TEST(ResultStore, IsReadBesideItsWriterAndSeesWhatIsCommitted) {
  const FreshFolder folder;
  ResultStore writer(folder / "results.db");
  auto reader = ResultStore::read_only(folder / "results.db");
  EXPECT_EQ(reader.id(), writer.id());
  BoardVerdict v = board();
  writer.store(v);
  ASSERT_TRUE(reader.latest());
  EXPECT_EQ(reader.latest()->sequence, 1u);
  EXPECT_THROW(reader.store(v), std::logic_error);
}

TEST(ResultStore, HasOneWriter) {
  const FreshFolder folder;
  ResultStore writer(folder / "results.db");
  expect_store_error(Kind::locked, "another datumd writes to this store",
                     [&] { ResultStore(folder / "results.db"); });
}

TEST(ResultStore, RefusesWhatIsNoStoreOfThisVersion) {
  const FreshFolder folder;
  const auto file = folder / "results.db";
  expect_store_error(Kind::missing, "no result store there", [&] { ResultStore::read_only(file); });
  expect_store_error(Kind::io, "check that the folder exists",
                     [&] { ResultStore(folder / "none/results.db"); });
  std::ofstream(file) << "sequence;recipe\n1;mainboard and enough text to be no header of SQLite\n";
  expect_store_error(Kind::not_a_store, "not a result store", [&] { ResultStore{file}; });
  fs::remove(file);
  run_sql(file, "CREATE TABLE photos (id)");
  expect_store_error(Kind::not_a_store, "not a result store of datumd", [&] { ResultStore{file}; });
  fs::remove(file);
  { ResultStore make(file); }
  run_sql(file, "PRAGMA user_version = 99");
  expect_store_error(Kind::newer, "schema version 99, this datumd knows up to 4", [&] { ResultStore{file}; });
  expect_store_error(Kind::newer, "update datumd", [&] { ResultStore::read_only(file); });
}

TEST(ResultStore, ReportsDamageWithTheFile) {
  const FreshFolder folder;
  const auto file = folder / "results.db";
  {
    ResultStore store(file);
    for (int n = 0; n < 40; ++n) {
      BoardVerdict v = board(n);
      store.store(v);
    }
  }
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  for (std::streamoff page = std::streamoff{2} * 4096;
       page < static_cast<std::streamoff>(fs::file_size(file)); page += 4096) {
    bytes.seekp(page);
    bytes << std::string(64, '\xff');
  }
  bytes.close();
  expect_store_error(Kind::corrupt, "results.db", [&] { ResultStore(file).list({}, 100); });
}

TEST(ResultStore, RefusesARowThatIsNoVerdict) {
  const FreshFolder folder;
  const auto file = folder / "results.db";
  BoardVerdict v = board();
  ResultStore(file).store(v);
  run_sql(file, "UPDATE result SET json = '{}'");
  expect_store_error(Kind::corrupt, "result 1: its JSON is no verdict",
                     [&] { ResultStore(file).latest()->verdict(); });
}

/// Such results were once announced, and lost at the next start.
TEST(ResultStore, StoresNothingWhereItsFilesLostTheirNames) {
  for (const char* ending : {"", "-wal", "-shm"}) {
    const FreshFolder folder;
    const fs::path file = folder / "results.db", lost = file.string() + ending;
    ResultStore store(file);
    ResultStore reader = ResultStore::read_only(file);
    BoardVerdict v = board();
    store.store(v);
    const auto refused = [&](const char* words) {
      BoardVerdict w = board();
      expect_store_error(Kind::io, words, [&] { store.store(w); });
      EXPECT_EQ(w.sequence, board().sequence) << "it is not to be announced";
      expect_store_error(Kind::io, words, [&] { reader.check_present(); });
    };
    fs::rename(lost, folder / "elsewhere");
    refused("is gone since datumd opened the store");
    std::ofstream(lost) << "another";
    refused("is another file since datumd opened the store");
    fs::rename(folder / "elsewhere", lost);
    EXPECT_EQ(store.store(v), 2u) << "put back under its name";
    fs::remove(lost);
    refused("is gone since datumd opened the store");
  }
}

}  // namespace
}  // namespace datum
