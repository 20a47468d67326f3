// kill -9 at any moment: no announced result is lost, no sequence number is given twice.
//
// A child stores verdicts and announces each number on a pipe after store() returned. The parent kills it after a seeded
// number of announcements without waiting: the kill meets the child anywhere, most often within a commit.
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>
#include <set>

#include "config/toml_reader.h"
#include "daemon/store/result_store.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum {
namespace {

[[noreturn]] void write_for_ever(const std::filesystem::path& file, int announce) {
  ResultStore store(file);
  for (int n = 0;; ++n) {
    BoardVerdict v = testing::board(n);
    // Every third board is of another recipe.
    const auto text = std::make_shared<const std::string>("recipe " + std::to_string(n / 3));
    v.recipe_sha256 = config::sha256_hex(*text);
    store.store({&v}, {{v.recipe_sha256, v.recipe, text}});
    const std::uint64_t sequence = v.sequence;
    if (write(announce, &sequence, sizeof sequence) != sizeof sequence) _exit(1);
  }
}

/// Announced numbers of one life of the writer, which is killed after `enough` of them.
std::vector<std::uint64_t> one_life(const std::filesystem::path& file, unsigned enough) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    try {
      write_for_ever(file, ends[1]);
    } catch (const std::exception& e) {
      fprintf(stderr, "writer: %s\n", e.what());
      _exit(2);
    }
  }
  close(ends[1]);
  std::vector<std::uint64_t> announced;
  std::uint64_t sequence = 0;
  // 8 bytes on a pipe are atomic; bytes written before the kill are still read after it.
  while (read(ends[0], &sequence, sizeof sequence) == sizeof sequence) {
    announced.push_back(sequence);
    if (announced.size() == enough) kill(child, SIGKILL);
  }
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself";
  return announced;
}

std::string integrity(const std::filesystem::path& file) {
  sqlite3* db = nullptr;
  sqlite3_stmt* s = nullptr;
  std::string text = "no answer";
  if (sqlite3_open(file.c_str(), &db) == SQLITE_OK &&
      sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &s, nullptr) == SQLITE_OK &&
      sqlite3_step(s) == SQLITE_ROW)
    text = reinterpret_cast<const char*>(sqlite3_column_text(s, 0));
  sqlite3_finalize(s);
  sqlite3_close(db);
  return text;
}

TEST(StoreCrash, LosesNothingAnnouncedAndRepeatsNoNumber) {
  const testing::FreshFolder folder;
  const auto file = folder / "results.db";
  std::mt19937 random(1);  // NOLINT: the same kills in every run
  std::set<std::uint64_t> announced;
  for (int life = 0; life < 60; ++life) {
    for (const auto sequence : one_life(file, 1 + static_cast<unsigned>(random() % 12)))
      EXPECT_TRUE(announced.insert(sequence).second) << "number " << sequence << " was given twice";
    const auto stored = ResultStore::read_only(file);
  }
  auto store = ResultStore::read_only(file);
  for (const auto sequence : announced) {
    const auto row = store.get(sequence);
    ASSERT_TRUE(row) << "announced result " << sequence << " is lost";
    EXPECT_EQ(row->verdict().sequence, sequence);
    EXPECT_TRUE(store.recipe_text(row->verdict().recipe_sha256))
        << "the recipe of " << sequence << " is lost";
  }
  EXPECT_EQ(integrity(file), "ok");
  // A result may be stored but not announced (killed between the two), at most one per life; never the other way round.
  EXPECT_LE(store.extent().count, announced.size() + 60);
}

}  // namespace
}  // namespace datum
