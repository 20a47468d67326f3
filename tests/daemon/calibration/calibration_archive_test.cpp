// What was accepted stays accepted, whenever the daemon dies.
#include "daemon/calibration/calibration_archive.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "calib/calibration_store.h"
#include "tests/a_calibration.h"
#include "tests/fresh_folder.h"
#include "tests/refusal.h"
#include "tests/sample_file.h"

namespace datum {
namespace {

Calibration made(int n) {
  Calibration c = testing::a_calibration("c" + std::to_string(n));
  c.sha256 = checksum_of(c);
  return c;
}

void accept(const CalibrationArchive& archive, int n) {
  archive.store(made(n));
  archive.append(testing::journal_entry(JournalEvent::accept, made(n)));
}

TEST(CalibrationArchive, MakesWhatTheStoreReads) {
  const testing::FreshFolder folder;
  const CalibrationArchive archive(folder.path() / "calibrations");
  accept(archive, 1);
  accept(archive, 2);
  const CalibrationStore store(archive.folder());
  EXPECT_TRUE(store.problems().empty());
  EXPECT_EQ(store.choose("current", "S7").id, "c2");
  EXPECT_EQ(store.all().size(), 2u);
  EXPECT_EQ(
      testing::refusal_of<CalibrationError>([&] { archive.store(made(1)); }),
      (archive.folder() / "c1.toml").string() + " is there already; a calibration gets an id of its own");
}

TEST(CalibrationArchive, CutsOffALineThatWasNotFinished) {
  const testing::FreshFolder folder;
  const CalibrationArchive archive(folder.path());
  accept(archive, 1);
  const std::string whole = testing::slurp(folder.path() / "journal");
  folder.write("journal", whole + R"({"n":2,"utc":"2026-)");
  accept(archive, 2);
  const std::string after = testing::slurp(folder.path() / "journal");
  EXPECT_EQ(after.substr(0, whole.size()), whole) << "what was written is never rewritten";
  EXPECT_EQ(CalibrationStore(folder.path()).choose("current", "S7").id, "c2");
}

TEST(CalibrationArchive, AddsNothingToAJournalThatWasChangedOrIsHeld) {
  const testing::FreshFolder folder;
  const CalibrationArchive archive(folder.path());
  accept(archive, 1);
  const std::string whole = testing::slurp(folder.path() / "journal");
  const int other = ::open((folder.path() / "journal").c_str(), O_RDWR);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  EXPECT_NE(testing::refusal_of<CalibrationError>([&] {
              accept(archive, 2);
            }).find("is being written by another process"),
            std::string::npos);
  ::close(other);
  std::string changed = whole;
  changed.replace(changed.find("by a test"), 9, "by nobody");
  folder.write("journal", changed);
  EXPECT_NE(
      testing::refusal_of<CalibrationError>([&] { accept(archive, 3); }).find("journal:1: it was changed"),
      std::string::npos);
  EXPECT_EQ(testing::slurp(folder.path() / "journal"), changed);
}

[[noreturn]] void accept_for_ever(const CalibrationArchive& archive, int first, int announce) {
  for (int n = first;; ++n) {
    accept(archive, n);
    if (write(announce, &n, sizeof n) != sizeof n) _exit(1);
  }
}

/// Gives the writer a while, counted and not timed: up to several of its steps.
void idle(unsigned turns) {
  for (volatile unsigned i = 0; i < turns;) i = i + 1;
}

/// The last number announced by a writer that is killed a while after `enough` of them, wherever it then is.
int one_life(const CalibrationArchive& archive, int first, int enough, unsigned turns) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    try {
      accept_for_ever(archive, first, ends[1]);
    } catch (const std::exception& e) {
      fprintf(stderr, "writer: %s\n", e.what());
      _exit(2);
    }
  }
  close(ends[1]);
  int announced = 0, count = 0;
  for (int n = 0; read(ends[0], &n, sizeof n) == sizeof n; announced = n)
    if (++count == enough) {
      idle(turns);
      kill(child, SIGKILL);
    }
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself";
  return announced;
}

// A calibration may be accepted and not announced (killed between the two), never the other way round.
TEST(CalibrationArchive, KillAtAnyMomentLosesNothingAnnounced) {
  const testing::FreshFolder folder;
  const CalibrationArchive archive(folder.path());
  std::mt19937 random(1);  // NOLINT: the same kills in every run
  int next = 1;
  for (int life = 0; life < 60; ++life) {
    const int enough = 1 + static_cast<int>(random() % 3);
    const int announced = one_life(archive, next, enough, static_cast<unsigned>(random() % 2'000'000));
    const CalibrationStore store(folder.path());
    ASSERT_TRUE(store.problems().empty()) << store.problems()[0];
    const Calibration& current = store.choose("current", "S7");
    const int n = std::stoi(current.id.substr(1));
    EXPECT_GE(n, announced) << "announced and lost";
    next = n + 1;
    while (std::filesystem::exists(folder.path() / ("c" + std::to_string(next) + ".toml"))) ++next;
  }
}

}  // namespace
}  // namespace datum
