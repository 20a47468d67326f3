// Rules in the running cell: what datumctl spc finds in the same results, after whatever comes between two of them.
#include "daemon/charts/stored_charts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <random>

#include "daemon/quality/spc/frozen.h"
#include "daemon/quality/spc/stored_series.h"
#include "daemon/store/sqlite.h"
#include "daemon/store/studied_results.h"
#include "tests/daemon/quality/quality_boards.h"
#include "tests/fresh_folder.h"

namespace datum::quality {
namespace {

using datum::testing::FreshFolder;
using datum::testing::valued_board;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::uint64_t most = 1000;
constexpr int phase_1 = 30;

DriftRules drift_of(const std::string& rules) {
  DriftRules drift;
  if (rules.find("ewma") != std::string::npos) drift.ewma = EwmaRule{0.1, 2.814};
  if (rules.find("cusum") != std::string::npos) drift.cusum = CusumRule{0.5, 4.77, true};
  return drift;
}

/// A store with its records, and what watches it; end() is a kill.
struct Watched {
  Watched() : file(folder / "results.db"), store(file) { watcher = std::make_unique<StoredCharts>(file); }
  void store_board(std::optional<double> um, const std::string& unit = "") {
    put(valued_board(++n, um, unit));
  }
  void put(BoardVerdict v) { store.store(v); }
  void alternate(int boards) {
    for (int i = 0; i < boards; ++i) store_board(1203 + (i % 2 == 0 ? 1 : -1) + 0.1 * (i % 7));
  }
  FrozenLimits freeze_now(const std::string& rules = "1,2", const std::string& disarm = "1",
                          const DriftRules& drift = {}) {
    FreezeOrder order;
    order.recipe = "mainboard";
    order.by = "A. Berger";
    order.at = "2026-11-21T08:00:00Z";
    order.rules = {rules, disarm, drift, {}, {}, {}};
    Frozen frozen = freeze(book(), order);
    frozen.limits.id = "limits-" + std::to_string(n);
    write_limits(limits_file(file, "mainboard"), frozen.limits);
    return frozen.limits;
  }
  SeriesBook book() {
    auto reader = ResultStore::read_only(file);
    SeriesFilter filter;
    filter.keep_points = true;
    filter.excluded = studied_results(file.parent_path() / "studies", reader.id());
    return read_series(reader, {}, filter);
  }
  ChartFindings look(std::uint64_t results = most) {
    ChartFindings found = watcher->watch({"mainboard"}, results, 1'000);
    store.keep_charts(found.records, found.watched, found.checkpoints);
    return found;
  }
  void kill() { watcher = std::make_unique<StoredCharts>(file); }
  /// "rule first last" of all records, and the same by datumctl's reading of the store.
  std::vector<std::string> recorded() const {
    std::vector<std::string> lines;
    for (const ChartRecord& r : chart_records(file, "mainboard", most))
      for (const ListedHit& h : r.listed)
        lines.push_back(fmt::format("{} {} {} {}", h.series, h.rule, h.first, h.last));
    std::sort(lines.begin(), lines.end());
    return lines;
  }
  std::vector<std::string> by_spc(const FrozenLimits& limits) {
    std::vector<std::string> lines;
    const SeriesBook all = book();
    auto acknowledged = acknowledged_charts(file);
    for (const auto& [key, series] : all.series())
      for (const ChartHit& h : frozen_hits(all, key, limits, acknowledged["mainboard"]))
        lines.push_back(fmt::format("{} {} {} {}", text_of(h.key), rule_name(h.rule), h.first, h.last));
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  FreshFolder folder;
  std::filesystem::path file;
  ResultStore store;
  std::unique_ptr<StoredCharts> watcher;
  int n = 0;
};

TEST(StoredCharts, AResultBeyondTheLimitsIsAHitOnceAndDisarmsWhereTheLimitsSaySo) {
  Watched w;
  w.alternate(phase_1);
  EXPECT_THAT(w.look().records, IsEmpty()) << "without limits nothing is watched";
  const FrozenLimits limits = w.freeze_now();
  ChartFindings found = w.look();
  ASSERT_THAT(found.records, SizeIs(1));
  EXPECT_EQ(found.records[0].step, ChartStep::limits);
  EXPECT_EQ(found.records[0].by, "A. Berger");
  w.store_board(1203);
  EXPECT_THAT(w.look().records, IsEmpty());
  w.store_board(1300);
  found = w.look();
  ASSERT_THAT(found.records, SizeIs(1));
  EXPECT_TRUE(found.records[0].disarms);
  EXPECT_EQ(found.records[0].after, 32u);
  EXPECT_EQ(words_of(found.records[0]),
            "control charts of mainboard: result 32: rule 1 is hit by U1 median, results 32 to 32; the cell "
            "is disarmed");
  EXPECT_THAT(w.look().records, IsEmpty()) << "once";
  EXPECT_EQ(w.recorded(), w.by_spc(limits));
}

TEST(StoredCharts, AKillAnywhereLeadsToTheSameHitsOnceEachAsDatumctlSpc) {
  for (const char* rules : {"nelson,cusum", "western-electric", "1,ewma,cusum"}) {
    Watched w;
    w.alternate(phase_1);
    const FrozenLimits limits = w.freeze_now(rules, "", drift_of(rules));
    std::mt19937 random(4);
    std::normal_distribution<double> noise(0, 1.5);
    for (int i = 0; i < 200; ++i) {
      const double drift = i > 150 ? 0.1 * (i - 150) : i > 60 && i < 90 ? 1.5 : 0;
      const bool invalid = random() % 19 == 0;
      w.store_board(invalid ? std::nullopt : std::optional(1203 + drift + noise(random)),
                    random() % 11 == 0 ? "again" : "");
      if (random() % 4 != 0) w.look(1 + random() % 4);  // it keeps up
      if (random() % 5 == 0) {
        // The hits of this look are lost with the process, or those that are on the disk are found once more.
        if (random() % 2 == 0) w.watcher->watch({"mainboard"}, most, 1'000);
        w.kill();
      }
      if (i == 80 || i == 170) {  // within a shift and within the drift
        w.look();
        ChartRecord seen;
        seen.recipe = "mainboard";
        seen.step = ChartStep::acknowledged;
        seen.by = "A. Berger";
        seen.after = seen.seen = w.watcher->restart("mainboard");
        w.store.keep_charts({seen}, seen.after);
      }
    }
    w.look();
    const std::vector<std::string> expected = w.by_spc(limits);
    EXPECT_GT(expected.size(), 20u) << "the drift is found";
    EXPECT_EQ(w.recorded(), expected) << rules;
  }
}

TEST(StoredCharts, AnAcknowledgementBeginsRunsAnew) {
  Watched w;
  w.alternate(phase_1);
  const FrozenLimits limits = w.freeze_now("2", "");
  for (int i = 0; i < 8; ++i) w.store_board(1204);
  w.look();
  ChartRecord seen;
  seen.recipe = "mainboard";
  seen.step = ChartStep::acknowledged;
  seen.by = "A. Berger";
  seen.after = seen.seen = w.watcher->restart("mainboard");
  w.store.keep_charts({seen}, seen.after);
  for (int i = 0; i < 8; ++i) w.store_board(1204);
  EXPECT_THAT(w.look().records, IsEmpty()) << "eight, an acknowledgement, eight are no run of nine";
  w.store_board(1204);
  EXPECT_THAT(w.look().records, SizeIs(1));
  EXPECT_EQ(w.recorded(), w.by_spc(limits));
}

TEST(StoredCharts, LeavesOutWhatDatumctlSpcLeavesOut) {
  Watched w;
  w.alternate(phase_1);
  const FrozenLimits limits = w.freeze_now("1", "");
  w.look();
  w.store_board(1203, "SN1");
  w.store_board(1300, "SN1");  // 32: a repeat
  BoardVerdict artefact = valued_board(++w.n, 1300, "GB-7");
  artefact.reference = ReferenceEvidence{"golden", {}};
  w.put(artefact);  // 33
  BoardVerdict nan = valued_board(++w.n, 1203);
  nan.components[0].checks[0].value = std::numeric_limits<double>::infinity();
  w.put(nan);                   // 34: no number
  w.store_board(1300, "GB-7");  // 35: a product, though an artefact had this number
  std::filesystem::create_directories(w.file.parent_path() / "studies");
  std::ofstream study(w.file.parent_path() / "studies" / "grr-1.jsonl");
  study
      << fmt::format(
             R"({{"store_id":"{}","recipe_sha256":"ab12","after":35,"parts":["P1"],"operators":["A"],"trials":1,"attempts":3}})",
             w.store.id())
      << std::endl;
  w.store_board(1300, "P1");  // 36: of a study that has not recorded it yet
  EXPECT_EQ(w.look().records.size(), 1u) << "35 alone";
  w.store_board(1300);  // 37: the next one, whose number nobody stated
  EXPECT_THAT(w.look().records, IsEmpty());
  study << R"({"run":1,"attempt":1,"result":36,"decision":"INVALID"})" << std::endl
        << R"({"run":1,"attempt":2,"result":37,"decision":"PASS"})" << std::endl;
  w.store_board(1300, "P1");  // 38: the study is complete, and its result was no product's
  w.look();
  EXPECT_EQ(w.recorded(), w.by_spc(limits));
  EXPECT_EQ(w.recorded(), (std::vector<std::string>{"U1 median 1 35 35", "U1 median 1 38 38"}));
}

TEST(StoredCharts, AStudyOfWeeksLeavesBoardsWithoutANumberWatched) {
  Watched w;
  w.alternate(phase_1);
  w.freeze_now("1", "");
  w.look();
  std::filesystem::create_directories(w.file.parent_path() / "studies");
  std::ofstream(w.file.parent_path() / "studies" / "weeks.jsonl") << fmt::format(
      R"({{"store_id":"{}","kind":"stability","recipe_sha256":"ab12","after":1,"parts":["M"],"operators":["01"],"trials":1,"runs":1,"attempts":3}})"
      "\n",
      w.store.id());
  w.store_board(1300, "M");
  EXPECT_THAT(w.look().records, IsEmpty()) << "the master";
  w.store_board(1300);
  EXPECT_THAT(w.look().records, SizeIs(1)) << "a product between two shifts";
}

TEST(StoredCharts, AnotherRecipeTextCalibrationOrCodeIsNotWatchedAndEndsRuns) {
  Watched w;
  w.alternate(phase_1);
  const FrozenLimits limits = w.freeze_now("1,2", "");
  w.look();
  const auto shifted = [&](int boards, const std::string& calibration) {
    for (int i = 0; i < boards; ++i) {
      BoardVerdict v = valued_board(++w.n, 1204);
      v.calibration_sha256 = calibration;
      w.put(v);
    }
  };
  shifted(8, "");
  shifted(1, "other");
  shifted(8, "");
  EXPECT_THAT(w.look().records, IsEmpty()) << "eight, another calibration, eight are no run of nine";
  shifted(1, "");
  EXPECT_THAT(w.look().records, SizeIs(1));
  EXPECT_EQ(w.recorded(), w.by_spc(limits));
}

TEST(StoredCharts, ResultsBetweenPhase1AndItsLimitsAreWatchedToo) {
  Watched w;
  w.alternate(phase_1);
  const FrozenLimits limits = w.freeze_now("1", "1");
  w.store_board(1300);
  w.store_board(1203);
  const ChartFindings found = w.look();
  ASSERT_THAT(found.records, SizeIs(2)) << "the limits, and the hit of a result that was there before";
  EXPECT_EQ(found.records[1].after, 31u);
  EXPECT_EQ(w.recorded(), w.by_spc(limits));
}

TEST(StoredCharts, NamesAFileThatCantBeUsedAndGoesOnWithTheNextOne) {
  Watched w;
  w.alternate(phase_1);
  w.freeze_now();
  w.look();
  const auto file = limits_file(w.file, "mainboard");
  std::ofstream(file) << "{}";
  EXPECT_THAT(w.look().limits.at("mainboard").fault, HasSubstr("freeze the limits again"));
  w.store_board(1300);
  EXPECT_THAT(w.look().records, IsEmpty());
  std::filesystem::remove(file);
  w.freeze_now();
  const ChartFindings found = w.look();
  EXPECT_TRUE(found.limits.at("mainboard").limits);
}

TEST(StoredCharts, HundredsOfSeriesMakeOneBoundedRecord) {
  Watched w;
  const auto large = [&](double um) {
    BoardVerdict v = valued_board(++w.n, um);
    ComponentVerdict c = v.components[0];
    for (int i = 2; i <= 300; ++i) {
      c.reference = fmt::format("U{}", i);
      v.components.push_back(c);
    }
    return v;
  };
  for (int i = 0; i < 26; ++i) w.put(large(1203 + i % 2));
  w.freeze_now("1", "1");
  w.look();
  w.put(large(1300));
  const ChartFindings found = w.look();
  ASSERT_THAT(found.records, SizeIs(1));
  EXPECT_EQ(found.records[0].hits, 300u);
  EXPECT_THAT(found.records[0].listed, SizeIs(most_listed_hits)) << "the chain's statement is bounded";
}

/// By 0.8 sigma: EWMA tends to 0.8 beyond its limits of 0.65, CUSUM gains 0.3 a point.
double shifted(const FrozenLimits& limits) {
  const SeriesLimits& of = limits.series.begin()->second;
  return of.mean + 0.8 * of.sigma;
}

/// An acknowledgement that is on the disk.
void acknowledge(Watched& w) {
  ChartRecord seen;
  seen.recipe = "mainboard";
  seen.step = ChartStep::acknowledged;
  seen.by = "A. Berger";
  seen.after = seen.seen = w.watcher->restart("mainboard");
  w.store.keep_charts({seen}, seen.after, w.watcher->watch({"mainboard"}, most, 1'000).checkpoints);
}

TEST(StoredCharts, ASlowDriftIsAHitOfEwmaAndCusumFarBeyondWhatRulesRemember) {
  Watched w;
  w.alternate(phase_1);
  const FrozenLimits limits = w.freeze_now("1,ewma,cusum", "cusum", drift_of("ewma,cusum"));
  w.look();
  std::vector<ChartRecord> hits;
  for (int i = 0; i < 60; ++i) {  // none is beyond 3 sigma
    w.store_board(shifted(limits));
    for (const ChartRecord& r : w.look().records) hits.push_back(r);
    w.kill();
  }
  ASSERT_FALSE(hits.empty());
  EXPECT_EQ(w.recorded(), w.by_spc(limits));
  EXPECT_THAT(w.recorded(), ::testing::Contains(HasSubstr("EWMA 31 "))) << "since it left the centre line";
  EXPECT_TRUE(hits[0].disarms);
  EXPECT_FALSE(hits[1].disarms) << "EWMA does not";
  EXPECT_EQ(
      words_of(hits[0]),
      "control charts of mainboard: result 38: CUSUM is hit by U1 median, results 31 to 38; the cell is "
      "disarmed");
  EXPECT_EQ(words_of(chart_record_from(to_statement(hits[0]))), words_of(hits[0]));
}

enum class Between { nothing, lost_checkpoint, removal };

std::vector<std::string> hits_with(Between between) {
  Watched w;
  w.alternate(phase_1);
  const FrozenLimits limits = w.freeze_now("ewma,cusum", "", drift_of("ewma,cusum"));
  for (int i = 0; i < 12; ++i) w.store_board(shifted(limits));
  w.look();
  if (between == Between::lost_checkpoint) {
    auto db = sqlite::open(w.file, SQLITE_OPEN_READWRITE);
    sqlite::execute(db.get(), w.file, "UPDATE chart_checkpoint SET drift = '[[0]]'");
  }
  if (between == Between::removal) {
    RemovalOrder order;
    order.up_to = 40;
    order.most = 40;
    order.rule = "older than 1 day";
    order.utc = "2026-11-22T08:00:00Z";
    EXPECT_EQ(w.store.remove_oldest(order).results, 40u);
  }
  w.kill();
  for (int i = 0; i < 12; ++i) w.store_board(shifted(limits));
  w.look();
  if (between != Between::removal) EXPECT_EQ(w.recorded(), w.by_spc(limits));
  return w.recorded();
}

TEST(StoredCharts, TheStateOfEwmaAndCusumOutlivesARemovalAndIsReplayedWhereItIsLost) {
  const std::vector<std::string> hits = hits_with(Between::nothing);
  EXPECT_THAT(hits, ::testing::Contains(HasSubstr("CUSUM 39 46"))) << "begun before a kill";
  EXPECT_EQ(hits_with(Between::lost_checkpoint), hits);
  EXPECT_EQ(hits_with(Between::removal), hits);
}

TEST(StoredCharts, AnAcknowledgementThatNoResultFollowedYetBeginsEwmaAnewBehindAKill) {
  Watched w;
  w.alternate(phase_1);
  const FrozenLimits limits = w.freeze_now("ewma", "", drift_of("ewma"));
  for (int i = 0; i < 30; ++i) w.store_board(shifted(limits));
  w.look();
  acknowledge(w);
  w.kill();
  w.look();
  w.kill();
  const std::size_t before = w.recorded().size();
  ASSERT_GT(before, 0u);
  w.store_board(shifted(limits));
  EXPECT_THAT(w.look().records, IsEmpty()) << "the first point of a series";
  EXPECT_EQ(w.recorded().size(), before);
  EXPECT_EQ(w.recorded(), w.by_spc(limits));
}

}  // namespace
}  // namespace datum::quality
