// Sums of removed results: the numbers of spc are the same before and after a removal, digit by digit, and no result is lost or counted twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <random>

#include "daemon/quality/spc/spc_report.h"
#include "daemon/quality/spc/stored_series.h"
#include "tests/daemon/quality/study_cell.h"

namespace datum::quality {
namespace removed_series_test {
namespace {

namespace fs = std::filesystem;
using testing::FreshFolder;
using ::testing::HasSubstr;
using testing::valued_board;
using Json = nlohmann::ordered_json;

void run_sql(const fs::path& file, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
}
std::int64_t number(const fs::path& file, const std::string& sql) {
  sqlite3* db = nullptr;
  sqlite3_stmt* row = nullptr;
  std::int64_t n = -1;
  EXPECT_EQ(sqlite3_open_v2(file.c_str(), &db, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_prepare_v2(db, sql.c_str(), -1, &row, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  if (sqlite3_step(row) == SQLITE_ROW) n = sqlite3_column_int64(row, 0);
  sqlite3_finalize(row);
  sqlite3_close(db);
  return n;
}

/// Of all kinds: values whose squares exceed 64 bits, negative ones, INVALID checks and boards, boards without rows, repeats, readings of
/// artefacts, panels with skipped boards, two recipes, changes of calibration and code, a clock that is set back.
BoardVerdict any_board(int n) {
  const double noise = (n * 7919 % 101) * 0.0371 - 1.5;
  BoardVerdict v = valued_board(n, n % 11 == 3 ? std::nullopt : std::optional(1200 + noise),
                                n % 3 == 0 ? "SN" + std::to_string(n % 17 == 0 ? 36 : n) : "");
  const int day = 1 + n / 12 - (n == 50 ? 1 : 0);
  v.measured_at = fmt::format("2026-03-{:02}T{:02}:00:00.000000Z", day, n % 12 + 6);
  v.recipe = n % 5 == 4 ? "other" : "mainboard";
  if (n >= 40) v.calibration_sha256 = "ef56";
  if (n >= 70) v.code = "0.2.0 test";
  ComponentVerdict c = v.components[0];
  c.reference = "C2@3-2";
  c.package = "C0402";
  c.decision = Decision::fail;
  c.checks[0].decision = Decision::inconclusive;
  c.checks[0].reason = Reason::none;
  c.checks[0].check = {Characteristic::median, 0, 987654.0, 980000.0, 995000.0};
  c.checks[0].value = 987654.321987 + 1000 * noise;
  c.checks[0].u = 1 + n * 0.01;
  if (n % 13 == 5) {
    c.checks[0].decision = Decision::invalid;
    c.checks[0].reason = Reason::skipped;
  }
  v.components.push_back(c);
  c.reference = "C3";
  c.checks[0].check = {Characteristic::percentile, 95, -10.0, -20.0, std::nullopt};
  c.checks[0].decision = Decision::pass;
  c.checks[0].value = -12.5 + noise;
  if (n % 2 == 0) v.components.push_back(c);
  if (n % 19 == 7) {
    v.decision = Decision::invalid;
    v.reason = Reason::frame;
    v.components.clear();
  }
  if (n % 23 == 9) {
    v.decision = Decision::invalid;
    v.reason = Reason::frame_unproven;
  }
  if (n % 29 == 11) {
    v.reference = ReferenceEvidence{};
    v.reference->artefact = "golden";
  }
  return v;
}

ResultFilter of_mainboard(const std::string& from) {
  ResultFilter filter;
  filter.recipe = "mainboard";
  filter.from = from;
  return filter;
}

/// The summary with what says that results are removed taken out.
Json numbers_of(const fs::path& file, const ResultFilter& filter = {}) {
  auto store = ResultStore::read_only(file);
  SpcSettings settings;
  settings.all_segments = true;
  settings.largest_invalid_share = 1;
  Json json = spc_summary(read_series(store, filter, {}), settings).json;
  for (const char* key : {"removed", "notes"}) json.erase(key);
  for (Json& segment : json["segments"])
    for (const char* key : {"removed", "kept_first", "kept_from"}) segment.erase(key);
  return json;
}

TEST(RemovedSeries, GiveTheSameNumbersInAnyPieces) {
  ResultFilter days = of_mainboard("2026-03-04");
  days.before = "2026-03-07U";
  for (const unsigned seed : {1U, 2U, 3U}) {
    const FreshFolder folder;
    const fs::path file = folder / "results.db";
    ResultStore store(file);
    for (int n = 1; n <= 120; ++n) {
      BoardVerdict v = any_board(n);
      store.store(v);
    }
    const Json all = numbers_of(file), some = numbers_of(file, days);
    ASSERT_GT(all["series"].size(), 10u);
    ASSERT_GT(all["repeats"].get<int>(), 0);
    ASSERT_GT(all["of_studies"].get<int>(), 0);
    std::mt19937 random(seed);  // NOLINT: the same pieces in every run
    while (store.extent().count > 1) {
      RemovalOrder order;  // by number, or by age
      order.up_to = random() % 2 ? store.extent().first + random() % 30 : 1000;
      if (random() % 3 == 0) order.measured_before = fmt::format("2026-03-{:02}T12", 1 + random() % 12);
      order.most = 1 + random() % 40;
      const Removal removal = store.remove_oldest(order);
      EXPECT_EQ(removal.altered, "");
      if (removal.results == 0) continue;
      ASSERT_EQ(Json::diff(all, numbers_of(file)).dump(), "[]")
          << "after result " << removal.last << ", seed " << seed;
      const Json left = numbers_of(file, days);
      ASSERT_EQ(Json::diff(some, left).dump(), "[]") << "after result " << removal.last << ", seed " << seed;
    }
    // It goes on: a unit of a removed result is a repeat, and a value follows the last removed one.
    BoardVerdict again = any_board(3);
    store.store(again);
    EXPECT_EQ(numbers_of(file)["repeats"].get<int>(), all["repeats"].get<int>() + 1);
  }
}

TEST(RemovedSeries, ChartsSayFromWhereTheyHold) {
  const FreshFolder folder;
  const fs::path file = folder / "results.db";
  ResultStore store(file);
  for (int n = 1; n <= 60; ++n) {
    BoardVerdict v = valued_board(n, 1200 + (n * 7919 % 101) * 0.0371);
    store.store(v);
  }
  const SeriesKey key{"mainboard", "U1", "die", Characteristic::median, 0};
  const auto chart = [&] {
    auto reader = ResultStore::read_only(file);
    SeriesFilter filter;
    filter.keep_points = true;
    return spc_chart(read_series(reader, {}, filter), key, {});
  };
  const Json before = chart().json["segments"][0];
  RemovalOrder order;
  order.up_to = 40;
  order.most = 100;
  ASSERT_EQ(store.remove_oldest(order).results, 40u);
  const SpcReport report = chart();
  const Json after = report.json["segments"][0];
  for (const char* name : {"n", "mean", "s", "sigma_within", "cp", "cpk", "pp", "ppk", "ppk_gb", "cpm_s"})
    EXPECT_EQ(after["capability"][name], before["capability"][name]) << name;
  for (const char* name : {"minimum", "maximum", "individuals", "decisions", "largest_u"})
    EXPECT_EQ(after[name], before[name]) << name;
  EXPECT_EQ(after["kept_first"], 41);
  EXPECT_EQ(after["points"].size(), 20u);
  EXPECT_THAT(report.text,
              HasSubstr("of 40 of the 60 results only sums are left: single values are kept from "
                        "result 41 of 2026-11-21T07:00:41.000000Z on"));
  SpcSettings lognormal;
  lognormal.distribution = Distribution::lognormal;
  auto reader = ResultStore::read_only(file);
  SeriesFilter filter;
  filter.keep_points = true;
  EXPECT_THAT(spc_chart(read_series(reader, {}, filter), key, lognormal).text,
              HasSubstr("quantiles, Pp and Ppk are of the 20 kept values alone"));
}

TEST(RemovedSeries, CountWhatCannotBeReadAndSaySo) {
  const FreshFolder folder;
  const fs::path file = folder / "results.db";
  {
    ResultStore store(file);
    for (int n = 1; n <= 10; ++n) {
      BoardVerdict v = valued_board(n, 1200 + n);
      store.store(v);
    }
  }
  run_sql(file, "UPDATE result SET json = '{}' WHERE sequence = 3");
  run_sql(file, "UPDATE result SET json = 'no \"json' WHERE sequence = 4");
  run_sql(file, "UPDATE result SET json = replace(json, '1205', 'null') WHERE sequence = 5");
  const Json before = numbers_of(file);
  EXPECT_EQ(before["unreadable"], 3);
  ResultStore store(file);
  RemovalOrder order;
  order.up_to = 6;
  EXPECT_EQ(store.remove_oldest(order).altered, "result 3 was altered");
  EXPECT_EQ(numbers_of(file), before);
  EXPECT_EQ(number(file, "SELECT sum(boards) FROM sums_board WHERE kind = 'unreadable'"), 3);
}

TEST(RemovedSeries, OfADayThatTheTimesCutAreLeftOutAndNamed) {
  const FreshFolder folder;
  const fs::path file = folder / "results.db";
  ResultStore store(file);
  for (int n = 1; n <= 60; ++n) {
    BoardVerdict v = any_board(n);
    store.store(v);
  }
  RemovalOrder order;
  order.up_to = 40;
  order.most = 100;
  store.remove_oldest(order);
  auto reader = ResultStore::read_only(file);
  const ResultFilter cut = of_mainboard("2026-03-02T10:00:00");
  const SpcReport report = spc_summary(read_series(reader, cut, {}), {});
  EXPECT_THAT(report.text, HasSubstr("removed results of 2026-03-02 lie on both sides of the stated time"));
  EXPECT_EQ(report.json["notes"].size(), 1u);
  const ResultFilter whole = of_mainboard("2026-03-03T00:00:00");
  EXPECT_FALSE(spc_summary(read_series(reader, whole, {}), {}).json.contains("notes"));
}

/// tests/data/stores/schema-3.db: four results with a unit each, written by the code of that schema.
TEST(RemovedSeries, BeginWithAStoreOfSchema3) {
  const FreshFolder folder;
  const fs::path file = folder / "results.db";
  fs::copy_file(fs::path(DATUM_SOURCE_DIR) / "tests/data/stores/schema-3.db", file);
  const Json before = numbers_of(file);
  EXPECT_EQ(before["results"], 4);
  EXPECT_EQ(number(file, "PRAGMA user_version"), 3) << "a reader leaves it";
  ResultStore store(file);
  EXPECT_EQ(number(file, "PRAGMA user_version"), 4);
  EXPECT_EQ(numbers_of(file), before);
  RemovalOrder order;
  order.up_to = 2;
  EXPECT_EQ(store.remove_oldest(order).results, 2u);
  EXPECT_EQ(numbers_of(file), before);
  EXPECT_EQ(number(file, "SELECT sum(n) FROM sums_value"), 2);
}

[[noreturn]] void store_and_remove(const fs::path& file, int announce) {
  ResultStore store(file);
  for (int n = 0;; ++n) {
    BoardVerdict v = valued_board(n, 1200 + n % 7);
    const std::uint64_t sequence = store.store(v);
    RemovalOrder order;
    order.up_to = sequence > 4 ? sequence - 4 : 0;
    if (order.up_to > 0) store.remove_oldest(order);
    if (write(announce, &sequence, sizeof sequence) != sizeof sequence) _exit(1);
  }
}

TEST(RemovedSeries, AreNeitherLostNorCountedTwiceByAKill) {
  const FreshFolder folder;
  const fs::path file = folder / "results.db";
  std::mt19937 random(5);  // NOLINT: the same kills in every run
  for (int life = 0; life < 40; ++life) {
    const auto enough = 1 + random() % 9;
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      try {
        store_and_remove(file, ends[1]);
      } catch (const std::exception& e) {
        fprintf(stderr, "writer: %s\n", e.what());
        _exit(2);
      }
    }
    close(ends[1]);
    std::uint64_t sequence = 0, announced = 0;
    while (read(ends[0], &sequence, sizeof sequence) == sizeof sequence)
      if (++announced == enough) kill(child, SIGKILL);
    close(ends[0]);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    const auto given = number(file, "SELECT last_sequence FROM store");
    EXPECT_EQ(number(file, "SELECT count(*) FROM result") +
                  number(file, "SELECT coalesce(sum(boards), 0) FROM sums_board"),
              given);
    EXPECT_EQ(number(file, "SELECT coalesce(sum(n), 0) FROM sums_value"),
              number(file, "SELECT coalesce(min(sequence), 1) - 1 FROM result"));
    EXPECT_EQ(numbers_of(file)["series"][0]["capability"]["n"].get<std::int64_t>(), given);
  }
}

class RemovedStudies : public testing::StudyOfACell {};

TEST_F(RemovedStudies, StayLeftOut) {
  start();
  measure_all();
  put(1201, "SN-after");
  put(1202, "SN-newest");
  const std::string spc = "spc --json --store " + (folder_ / "results.db").string();
  const Json before = Json::parse(ctl(spc).text);
  EXPECT_EQ(before["of_studies"], 30);
  RemovalOrder order;
  order.up_to = 32;
  order.most = 100;
  ASSERT_EQ(store_.remove_oldest(order).results, 32u);
  const Json after = Json::parse(ctl(spc).text);
  EXPECT_EQ(after["removed"]["results"], 2);
  for (const char* name : {"results", "repeats", "of_studies", "series"})
    EXPECT_EQ(after[name], before[name]) << name;
  const auto page = [&](const std::string& of) {
    const fs::path file = folder_ / "page.html";
    EXPECT_EQ(
        ctl("report " + of + " -o " + file.string() + " --store " + (folder_ / "results.db").string()).status,
        0);
    std::ifstream in(file);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_THAT(page("spc demo-board"), HasSubstr("2 of the results, up to result 32 of "));
  EXPECT_THAT(page("spc demo-board --component U1"), HasSubstr("of 2 of the 3 results only sums are left"));
  EXPECT_THAT(page("lot"), HasSubstr("32 results of this choice are removed by retention"));
}

}  // namespace
}  // namespace removed_series_test
}  // namespace datum::quality
