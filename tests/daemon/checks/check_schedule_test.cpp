// Starts of shifts: fixed offsets, the computer's time zone with its change of the clock.
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "config/utc_time.h"
#include "daemon/checks/check_schedule.h"

namespace datum::check_schedule {
namespace {

std::int64_t at(const char* utc) { return *utc_from_iso8601(utc); }

TEST(CheckSchedule, ReadsTimesAndZones) {
  EXPECT_EQ(minutes_of_day("06:30"), 390);
  for (const char* wrong : {"6:30", "24:00", "06:60", "06.30", "", "06:300"})
    EXPECT_FALSE(minutes_of_day(wrong));
  EXPECT_EQ(utc_offset_of("UTC"), 0);
  EXPECT_EQ(utc_offset_of("-03:30"), -12'600);
  for (const char* wrong : {"CET", "+1:00", "+15:00", "01:00", ""}) EXPECT_FALSE(utc_offset_of(wrong));
}

TEST(CheckSchedule, FindsTheNextStartInAFixedZone) {
  const ShiftStarts shifts{{360, 840, 1320}, 3600};  // 06:00, 14:00, 22:00 at +01:00
  EXPECT_EQ(next_start(shifts, at("2026-11-23T04:59:59Z")), at("2026-11-23T05:00:00Z"));
  EXPECT_EQ(next_start(shifts, at("2026-11-23T05:00:00Z")), at("2026-11-23T13:00:00Z"))
      << "behind it, not at it";
  EXPECT_EQ(next_start(shifts, at("2026-11-23T23:30:00Z")), at("2026-11-24T05:00:00Z"))
      << "the day there is the next";
  EXPECT_EQ(next_start({{0}, -12 * 3600}, at("2026-12-31T11:00:00Z")), at("2026-12-31T12:00:00Z"));
}

TEST(CheckSchedule, FollowsTheComputersClockChange) {
  ::setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
  ::tzset();
  const ShiftStarts six{{360}, std::nullopt};
  EXPECT_EQ(next_start(six, at("2026-03-28T06:00:00Z")), at("2026-03-29T04:00:00Z")) << "summer time begins";
  EXPECT_EQ(next_start(six, at("2026-10-24T05:00:00Z")), at("2026-10-25T05:00:00Z")) << "and ends";
  ::unsetenv("TZ");
  ::tzset();
}

TEST(CheckSchedule, IsDueByWhicheverComesFirst) {
  CheckDefinition d;
  EXPECT_EQ(due_at(d, at("2026-11-23T10:00:00Z")), 0);
  d.interval_s = 4 * 3600;
  EXPECT_EQ(due_at(d, at("2026-11-23T10:00:00Z")), at("2026-11-23T14:00:00Z"));
  d.shifts = ShiftStarts{{720}, 0};
  EXPECT_EQ(due_at(d, at("2026-11-23T10:00:00Z")), at("2026-11-23T12:00:00Z"));
}

}  // namespace
}  // namespace datum::check_schedule
