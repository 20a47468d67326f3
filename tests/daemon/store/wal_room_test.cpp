// A store's WAL has room from its opening on, which no reader and no recovery takes for results.
#include "daemon/store/wal_room.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <string>

#include "daemon/store/result_store.h"
#include "tests/fresh_folder.h"

namespace datum::wal_room_test {
namespace {

namespace fs = std::filesystem;

BoardVerdict board() {
  BoardVerdict v;
  v.decision = Decision::pass;
  v.recipe = "R1";
  v.detail = std::string(120'000, 'x');  // some 36 pages of the WAL
  return v;
}

/// The files as a daemon that is killed leaves them.
fs::path killed(const fs::path& store, const FreshFolder& folder) {
  for (const char* ending : {"", "-wal", ".mark"})
    fs::copy(store.string() + ending, (folder / "results.db").string() + ending);
  return folder / "results.db";
}

TEST(WalRoom, NoCommitMakesTheWalLonger) {
  const FreshFolder folder, copy;
  const fs::path file = folder / "results.db";
  ResultStore store(file);
  const auto room = fs::file_size(file.string() + "-wal");
  EXPECT_GE(room, 1000u * 4120u);
  BoardVerdict v = board();
  for (int n = 0; n < 25; ++n) store.store(v);
  EXPECT_EQ(fs::file_size(file.string() + "-wal"), room);
  EXPECT_EQ(ResultStore::read_only(file).latest()->sequence, 25u);
  EXPECT_EQ(ResultStore(killed(file, copy)).latest()->sequence, 25u);
}

TEST(WalRoom, AloneHoldsNoResult) {
  const FreshFolder folder, copy;
  const fs::path file = folder / "results.db";
  { const ResultStore first(file); }
  const ResultStore again(file);
  ResultStore store(killed(file, copy));
  EXPECT_FALSE(store.latest());
  BoardVerdict v = board();
  EXPECT_EQ(store.store(v), 1u);
}

TEST(WalRoom, WithoutRoomOnTheDeviceAllIsAsItWas) {
  const FreshFolder folder;
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{1 << 20, limit.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  {
    ResultStore store(folder / "results.db");
    EXPECT_LT(fs::file_size(folder / "results.db-wal"), 500'000u) << "the room that could not be had is left";
    BoardVerdict v = board();
    EXPECT_EQ(store.store(v), 1u);
  }
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, before);
}

}  // namespace
}  // namespace datum::wal_room_test
