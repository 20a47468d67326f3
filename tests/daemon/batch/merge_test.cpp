// The merged file: the same bytes whoever wrote the outputs, sorted, complete, and no store of record.
#include "daemon/batch/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>

#include "config/toml_reader.h"
#include "daemon/batch/batch_output.h"
#include "daemon/store/result_store.h"
#include "daemon/store/sqlite.h"
#include "tests/daemon/batch/batch_scene.h"
#include "tests/fresh_folder.h"

namespace datum::merge_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using testing::FreshFolder;
using ::testing::HasSubstr;
using testing::stored_board;

std::string slurp(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Boards before and now.
struct Boards {
  std::vector<BatchUnit> units;
  std::vector<BoardVerdict> now;

  void add(Decision before, double before_um, Decision after, double after_um) {
    const int n = static_cast<int>(units.size()) + 1;
    units.push_back(testing::unit_of(stored_board(n, before, before_um)));
    now.push_back(stored_board(n, after, after_um));
  }
};

Boards four() {
  Boards b;
  b.add(Decision::pass, 500, Decision::pass, 500.5);
  b.add(Decision::fail, 700, Decision::pass, 700);
  b.add(Decision::pass, 530, Decision::inconclusive, 530);
  b.add(Decision::fail, 710, Decision::fail, 710);
  return b;
}

struct Batch {
  explicit Batch(const Boards& boards) {
    ManifestHead head;
    head.code = "0.1.0 test";
    head.frames = "/archive";
    head.before_sha256 = config::sha256_hex(before_text(boards.units));
    folder.write("before.txt", before_text(boards.units));
    folder.write("manifest.jsonl", manifest_text(head, boards.units, {{"result 9", "its frame is gone"}}));
  }
  void write(const BatchUnit& unit, const BoardVerdict& now) const {
    write_beside_others(output_file(folder.path(), unit.key), output_text(unit.key, "cpu", now));
  }
  BatchSummary merge(const char* name, bool partial = false) const {
    return merge_batch(folder.path(), Manifest::load(folder.path()), folder / name, partial);
  }
  FreshFolder folder;
};

std::int64_t number(const fs::path& file, const std::string& sql) {
  const auto db = sqlite::open(file, SQLITE_OPEN_READONLY);
  return sqlite::query_integer(db.get(), file, sql.c_str());
}

TEST(Merge, HasTheSameBytesWhateverTheOrderOfTheOutputs) {
  const Boards boards = four();
  const Batch one(boards), other(boards);
  for (std::size_t i = 0; i < 4; ++i) one.write(boards.units[i], boards.now[i]);
  for (std::size_t i = 4; i-- > 0;) {
    BoardVerdict by_another = boards.now[i];
    by_another.backend = "cpu scalar x1";
    by_another.frame_source = "/elsewhere/frame.ptr";
    other.write(boards.units[i], by_another);
    other.write(boards.units[i], by_another);
  }
  one.merge("one.db");
  other.merge("other.db");
  const std::string bytes = slurp(one.folder / "one.db");
  EXPECT_FALSE(bytes.empty());
  EXPECT_TRUE(bytes == slurp(other.folder / "other.db"));
}

TEST(Merge, CountsOldVerdictsAgainstNewOnes) {
  const Boards boards = four();
  const Batch batch(boards);
  for (std::size_t i = 0; i < 4; ++i) batch.write(boards.units[i], boards.now[i]);
  const BatchSummary summary = batch.merge("m.db");
  const auto at = [&](Decision a, Decision b) {
    return summary.confusion[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
  };
  EXPECT_EQ(at(Decision::pass, Decision::pass), 1u);
  EXPECT_EQ(at(Decision::fail, Decision::pass), 1u);
  EXPECT_EQ(at(Decision::pass, Decision::inconclusive), 1u);
  EXPECT_EQ(at(Decision::fail, Decision::fail), 1u);
  EXPECT_EQ(summary.changed_boards, 2u);
  EXPECT_THAT(
      summary.flips,
      ElementsAre(
          "result 2, unit SN2: FAIL -> PASS\n  B1 FAIL -> PASS (median 700 um, 460 to 540)",
          "result 3, unit SN3: PASS -> INCONCLUSIVE\n  B1 PASS -> INCONCLUSIVE (median 530 um, 460 to 540)"));
  const fs::path file = batch.folder / "m.db";
  EXPECT_EQ(number(file, "SELECT count(*) FROM confusion"), 16);
  EXPECT_EQ(number(file, "SELECT boards FROM confusion WHERE before = 'FAIL' AND what_if = 'PASS'"), 1);
  EXPECT_EQ(number(file, "SELECT count(*) FROM flip"), 2);
  EXPECT_EQ(number(file, "SELECT sequence FROM unit WHERE frame_id = 'f3'"), 3);
  EXPECT_EQ(number(file,
                   "SELECT count(*) FROM characteristic WHERE delta = 0.5 AND value_before = 500 AND "
                   "what_if_value = 500.5 AND u_before = 1.25 AND what_if_u = 1.25"),
            1);
  EXPECT_EQ(number(file, "SELECT count(*) FROM unmeasured WHERE what = 'result 9'"), 1);
}

TEST(Merge, AMissingOutputIsRefusedOrListed) {
  const Boards boards = four();
  const Batch batch(boards);
  for (std::size_t i = 1; i < 4; ++i) batch.write(boards.units[i], boards.now[i]);
  try {
    batch.merge("m.db");
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr(boards.units[0].key + " (frame f1) has no good output"));
  }
  EXPECT_FALSE(fs::exists(batch.folder / "m.db"));
  EXPECT_EQ(batch.merge("m.db", true).unmeasured, 2u);
  EXPECT_EQ(number(batch.folder / "m.db", "SELECT count(*) FROM unmeasured"), 2);
  EXPECT_EQ(number(batch.folder / "m.db", "SELECT count(*) FROM unit"), 3);
}

TEST(Merge, NeverReplacesAFile) {
  const Boards boards = four();
  const Batch batch(boards);
  for (std::size_t i = 0; i < 4; ++i) batch.write(boards.units[i], boards.now[i]);
  batch.folder.write("m.db", "mine");
  EXPECT_THROW(batch.merge("m.db"), std::runtime_error);
  EXPECT_EQ(slurp(batch.folder / "m.db"), "mine");
}

TEST(Merge, IsTakenForNoStoreOfRecord) {
  const Boards boards = four();
  const Batch batch(boards);
  for (std::size_t i = 0; i < 4; ++i) batch.write(boards.units[i], boards.now[i]);
  batch.merge("m.db");
  const fs::path file = batch.folder / "m.db";
  const std::string bytes = slurp(file);
  const auto refused = [&](const auto& open) {
    try {
      open();
      return std::string("taken");
    } catch (const StoreError& error) {
      EXPECT_EQ(error.kind(), StoreError::Kind::not_a_store);
      return std::string(error.what());
    }
  };
  EXPECT_THAT(refused([&] { ResultStore::read_only(file); }), HasSubstr("never verdicts of record"));
  EXPECT_THAT(refused([&] { ResultStore store(file); }), HasSubstr("never verdicts of record"));
  EXPECT_TRUE(slurp(file) == bytes);
}

TEST(Merge, AnOutputOfNoVerdictStopsIt) {
  const Boards boards = four();
  const Batch batch(boards);
  for (std::size_t i = 0; i < 4; ++i) batch.write(boards.units[i], boards.now[i]);
  std::ofstream(output_file(batch.folder.path(), boards.units[2].key)) << "{}\n";
  EXPECT_THROW(batch.merge("m.db"), std::runtime_error);
  EXPECT_FALSE(fs::exists(batch.folder / "m.db"));
}

}  // namespace
}  // namespace datum::merge_test
