// Reading beside the writer, and by an account that may write nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "tests/daemon/view/viewed_store.h"

namespace datum {
namespace result_reader_test {
namespace {

namespace fs = std::filesystem;
using testing::board;
using testing::no_hurry;
using testing::ViewedStore;

constexpr uid_t nobody = 65534;

/// Runs `act` in a child of another account; its exit status.
int as_nobody(const std::function<int()>& act) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgid(nobody) != 0 || ::setuid(nobody) != 0) ::_exit(99);
    try {
      ::_exit(act());
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      ::_exit(98);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void let_all_read(const ViewedStore& s) {
  ::chmod(s.folder.path().c_str(), 0755);
  for (const auto& entry : fs::directory_iterator(s.folder.path())) ::chmod(entry.path().c_str(), 0644);
}

int newest_as_nobody(const ViewedStore& s) {
  return as_nobody([&] {
    int newest = 0;
    read_page(s.store, no_hurry, [&](ResultReader& reader) {
      newest = static_cast<int>(reader.newest(1).at(0).sequence);
      return std::string("page");
    });
    return newest;
  });
}

}  // namespace

TEST(ResultReader, NeedsNoRightToWriteWhetherDatumdRunsOrNot) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can try another account";
  const ViewedStore s;
  s.keep({board(1), board(2)});
  let_all_read(s);
  ASSERT_FALSE(fs::exists(s.store.string() + "-wal") && fs::file_size(s.store.string() + "-wal") > 0);
  fs::remove(s.store.string() + "-wal");
  fs::remove(s.store.string() + "-shm");
  EXPECT_EQ(newest_as_nobody(s), 2);  // nobody writes: there is no index of a WAL, and none may be made
  ResultStore writer(s.store);
  BoardVerdict third = board(3);
  writer.store(third);
  let_all_read(s);
  EXPECT_EQ(newest_as_nobody(s), 3);  // out of the WAL
  for (const char* ending : {"-journal", "-wal", "-shm"})
    if (struct stat file{}; ::stat((s.store.string() + ending).c_str(), &file) == 0) {
      EXPECT_NE(file.st_uid, nobody);
    }
}

TEST(ResultReader, AWriterThatBeginsUnderAnUnlockedReaderIsNoticed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can try another account";
  const ViewedStore s;
  s.keep({board(1)});
  fs::remove(s.store.string() + "-wal");
  fs::remove(s.store.string() + "-shm");
  let_all_read(s);
  int ready[2], go[2];
  ASSERT_EQ(::pipe(ready) | ::pipe(go), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgid(nobody) != 0 || ::setuid(nobody) != 0) ::_exit(99);
    ResultReader reader(s.store, no_hurry);
    const bool before = reader.steady();
    char byte = 0;
    if (::write(ready[1], "r", 1) != 1 || ::read(go[0], &byte, 1) != 1) ::_exit(97);
    ::_exit(before && !reader.steady() ? 0 : 1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ResultStore writer(s.store);
  BoardVerdict second = board(2);
  writer.store(second);
  ASSERT_EQ(::write(go[1], "g", 1), 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(ResultReader, HoldsUpNoWriter) {
  const ViewedStore s;
  s.keep({board(1)});
  ResultStore writer(s.store);
  ResultReader reader(s.store, no_hurry);
  EXPECT_EQ(reader.newest(1).at(0).sequence, 1u);
  for (int n = 2; n < 200; ++n) {
    BoardVerdict v = board(n);
    EXPECT_EQ(writer.store(v), static_cast<std::uint64_t>(n));
  }
  EXPECT_EQ(reader.newest(1).at(0).sequence, 199u);  // no snapshot is kept between statements
  EXPECT_EQ(reader.chain_sha256(7), writer.chain_sha256(7));
  EXPECT_EQ(reader.get(UINT64_MAX), std::nullopt);
}

TEST(ResultReader, EndsAtItsLimit) {
  const ViewedStore s;
  s.keep({board(1)});
  ResultReader reader(s.store, std::chrono::milliseconds(-1));
  EXPECT_THROW(reader.newest(1), PageTimeout);
}

TEST(ResultReader, AMissingStoreAndAnotherFileAreNamed) {
  const ViewedStore s;
  EXPECT_THROW(ResultReader(s.store, no_hurry), StoreError);
  s.folder.write("results.db", "no store");
  EXPECT_THROW(ResultReader(s.store, no_hurry), StoreError);
}

}  // namespace result_reader_test
}  // namespace datum
