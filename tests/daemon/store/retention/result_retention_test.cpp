// Removal of results by rule; the remaining ones are intact.
#include "daemon/store/retention/result_retention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "config/utc_time.h"
#include "daemon/store/chain_check.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum::result_keeper_test {
namespace {

using ::testing::ElementsAre;
using testing::FreshFolder;
using ::testing::HasSubstr;

constexpr std::int64_t day_s = 86'400;
const std::int64_t first_day_s = *utc_from_iso8601("2026-01-01T10:00:00Z");

/// One result a day from 2026-01-01 10:00 on.
struct Results : ::testing::Test {
  Results() : store(folder / "results.db") {}

  void fill(int days) {
    for (; days > 0; --days, ++day) store_at(first_day_s + day * day_s);
  }
  void store_at(std::int64_t utc_s) {
    BoardVerdict v = testing::board(day);
    v.measured_at = iso8601_from_utc(utc_s);
    v.measured_at.insert(19, ".000000");
    store.store(v);
  }
  /// Runs all slices that are due at a moment.
  KeepOutcome keep(std::int64_t utc_s, std::optional<std::uint64_t> acknowledged = {}) {
    KeepOutcome all;
    const ResultRetention keeper(settings);
    for (bool more = true; more;) {
      KeepOutcome one = keeper.slice(store, {utc_s, acknowledged});
      more = one.more;
      all.doubt = one.doubt;
      all.notes.insert(all.notes.end(), one.notes.begin(), one.notes.end());
      if (!one.unseen.empty()) all.unseen = one.unseen;
    }
    EXPECT_EQ(check_chain(folder / "results.db").faults, 0u);
    return all;
  }
  std::int64_t on_day(int n) const { return first_day_s + n * day_s; }
  std::uint64_t first() { return store.extent().first; }

  FreshFolder folder;
  ResultStore store;
  RetentionSettings settings;
  int day = 0;
};

TEST_F(Results, GoByAge) {
  settings.results.days = 30;
  fill(40);
  keep(on_day(30));
  EXPECT_EQ(first(), 1u) << "30 days old to the second";
  keep(on_day(30) + 1);
  EXPECT_EQ(first(), 2u);
  keep(on_day(50));
  EXPECT_EQ(first(), 21u);
}

TEST_F(Results, GoByNumberAndSize) {
  settings.results_count = 25;
  fill(60);
  keep(on_day(60));
  EXPECT_EQ(store.extent().count, 25u);
  settings.results_count.reset();
  settings.results.bytes = store.used_bytes() / 2;
  keep(on_day(60));
  EXPECT_LT(store.extent().count, 25u);
  EXPECT_GE(store.extent().count, 1u);
}

TEST_F(Results, StayWithoutLimits) {
  fill(3);
  keep(on_day(100'000));
  EXPECT_EQ(first(), 1u);
}

TEST_F(Results, AJumpOfTheClockRemovesNothing) {
  settings.results.days = 30;
  fill(20);
  EXPECT_EQ(keep(on_day(20)).doubt, "");
  const KeepOutcome jumped = keep(on_day(20 + 7000));
  EXPECT_THAT(jumped.doubt, HasSubstr("7000 days after 2026-01-21T10:00:00Z: no result is removed by age"));
  store_at(on_day(20 + 7001));  // boards continue with the wrong date
  EXPECT_NE(keep(on_day(20 + 7001)).doubt, "") << "its own results do not make it right";
  EXPECT_EQ(first(), 1u);
  EXPECT_EQ(keep(on_day(40)).doubt, "") << "set right";
  keep(on_day(35));
  EXPECT_EQ(first(), 11u) << "as of day 40";
}

TEST_F(Results, AnAcceptedDateIsTrue) {
  settings.results.days = 30;
  fill(20);
  keep(on_day(20));
  settings.date_accepted = "2026-05-01";  // on_day(120)
  EXPECT_EQ(keep(on_day(121)).doubt, "");
  EXPECT_EQ(first(), 20u) << "all but the newest";
  EXPECT_EQ(keep(on_day(160)).doubt, "") << "from there on it runs by itself";
  EXPECT_NE(keep(on_day(160 + ResultRetention::most_jump_days + 1)).doubt, "");
}

/// Measured while the battery of the clock was empty.
TEST_F(Results, OneWithAWrongDateTakesNoOtherAlong) {
  settings.results.days = 30;
  fill(20);
  store_at(0);
  ++day;
  fill(10);
  keep(on_day(31));
  EXPECT_EQ(first(), 2u);
  keep(on_day(51));
  EXPECT_EQ(first(), 22u) << "result 21 went when those before it had gone";
}

TEST_F(Results, WaitForAHostThatAcknowledges) {
  settings.results_count = 10;
  fill(18);
  keep(on_day(20), 5);
  EXPECT_EQ(first(), 6u);
  fill(10);
  const KeepOutcome outcome = keep(on_day(30), 5);  // 28 results, twice the limit is 20
  EXPECT_EQ(first(), 9u);
  EXPECT_THAT(outcome.unseen, HasSubstr("(more than twice 10 results) that a host has not taken"));
  EXPECT_THAT(outcome.unseen, HasSubstr("it acknowledged up to 5"));
}

TEST_F(Results, WaitForAHostUntilTwiceTheirAge) {
  settings.results.days = 10;
  fill(30);
  keep(on_day(15), 2);
  EXPECT_EQ(first(), 3u);
  keep(on_day(25), 2);
  EXPECT_EQ(first(), 6u) << "five are older than twenty days";
}

TEST_F(Results, WhatWasAlteredIsNotedWhenItGoes) {
  settings.results_count = 2;
  fill(3);
  sqlite3* db = nullptr;
  sqlite3_open((folder / "results.db").c_str(), &db);
  sqlite3_exec(db, "UPDATE result SET decision = 0 WHERE sequence = 1", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  EXPECT_THAT(keep(on_day(3)).notes, ElementsAre(HasSubstr("result 1 was altered")));
}

// A board waits for one slice at most, which ends by its number of results or by its time.
TEST_F(Results, ASliceEndsByItsNumberOrItsTime) {
  settings.results_count = 1;
  fill(40);
  const ResultRetention keeper(settings);
  MonotonicNs now = 0;
  const auto slice_with = [&](MonotonicNs a_look_takes) {
    return keeper.slice(store,
                        {on_day(40), std::nullopt, [&now, a_look_takes] { return now += a_look_takes; }});
  };
  const KeepOutcome fast = slice_with(1);
  EXPECT_EQ(fast.removed.results, ResultRetention::most_at_once);
  EXPECT_TRUE(fast.more);
  // The clock is read at the begin and before each result but the first: the fourth would begin at 2.1 ms.
  const KeepOutcome slow = slice_with(ResultRetention::most_reading_ns / 3 + 1);
  EXPECT_EQ(slow.removed.results, 3u);
  EXPECT_TRUE(slow.more);
  EXPECT_EQ(slow.took_ns, 5 * (ResultRetention::most_reading_ns / 3 + 1)) << "by its clock";
  EXPECT_EQ(slice_with(ResultRetention::most_reading_ns * 100).removed.results, 1u)
      << "it goes on all the same";
  EXPECT_EQ(first(), 21u);
  EXPECT_EQ(check_chain(folder / "results.db").faults, 0u);
  while (slice_with(1).more) continue;
  EXPECT_EQ(store.extent().count, 1u);
}

// A measurement without a check: --gtest_also_run_disabled_tests --gtest_filter='*HowLongSlicesTake*', on an idle
// computer.
TEST_F(Results, DISABLED_HowLongSlicesTake) {
  settings.results_count = 1;
  fill(4000);
  std::vector<double> took_ms;
  const auto clock = [] {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  for (bool more = true; more;) {
    const KeepOutcome one = ResultRetention(settings).slice(store, {on_day(4000), std::nullopt, clock});
    more = one.more;
    took_ms.push_back(static_cast<double>(one.took_ns) * 1e-6);
  }
  std::sort(took_ms.begin(), took_ms.end());
  std::printf("%zu slices, results of %zu bytes: median %.2f ms, p99 %.2f, longest %.2f\n", took_ms.size(),
              store.latest()->json.size(), took_ms[took_ms.size() / 2], took_ms[took_ms.size() * 99 / 100],
              took_ms.back());
}

}  // namespace
}  // namespace datum::result_keeper_test
