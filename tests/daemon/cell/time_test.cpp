// Whose clock tells how old a frame is, and what a clock that is set does to it.
#include <gmock/gmock.h>

#include "daemon/cell/frame_time.h"

namespace datum {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t ms = 1'000'000, s = 1'000'000'000;
constexpr std::int64_t utc0 = 1'700'000'000 * s;  // host time 0

// The host's clock at 100 s, UTC known.
struct FrameTime : ::testing::Test {
  UtcWatch utc;
  FrameTimeLimits limits{2000, 20};
  FrameTime() { utc.observe(100 * s, utc0 + 100 * s); }

  FrameAge age(CaptureTime captured, const FrameArrival& arrival) const {
    place_in_host_time(captured, utc, limits);
    return age_of(captured, arrival, limits.max_age_ms);
  }
};

TEST_F(FrameTime, AStampInUtcIsAsOldAsTheClocksCanMakeIt) {
  const FrameAge a = age({utc0 + 99 * s, ClockDomain::utc}, {100 * s, 100 * s});
  EXPECT_EQ(a.at_most_ms, 1020);  // 1 s, and 20 ms by which the clocks may differ
  EXPECT_EQ(a.by, "utc");
  EXPECT_EQ(age_refusal(a), "");
  EXPECT_EQ(age_refusal(age({utc0 + 98 * s + 20 * ms, ClockDomain::utc}, {100 * s, 100 * s})), "");
  EXPECT_EQ(age_refusal(age({utc0 + 98 * s + 19 * ms, ClockDomain::utc}, {100 * s, 100 * s})),
            "it was up to 2001 ms old when it was taken, by its stamp in utc; allowed: 2000 ms");
}

TEST_F(FrameTime, AStampThatTellsNothingIsPassedOver) {
  for (const ClockDomain c : {ClockDomain::unknown, ClockDomain::sensor}) {
    const FrameAge a = age({5, c}, {97 * s, 100 * s});
    EXPECT_EQ(a.by, "arrival");
    EXPECT_EQ(age_refusal(a),
              "it was up to 3000 ms old when it was taken, counted from its arrival; allowed: 2000 ms");
  }
  limits.utc_uncertainty_ms.reset();  // nobody says how well the sensor's computer keeps UTC
  EXPECT_EQ(age({utc0 + 1 * s, ClockDomain::utc}, {99 * s, 100 * s}).at_most_ms, 1000);
}

TEST_F(FrameTime, TheHostsOwnClockTells) {
  EXPECT_EQ(age({99 * s, ClockDomain::host_monotonic}, {100 * s, 100 * s}).at_most_ms, 1000);
}

TEST_F(FrameTime, WhatASourceHasComparedStays) {
  CaptureTime captured{5, ClockDomain::sensor, HostSpan{97 * s, 99 * s}};
  EXPECT_THAT(age_refusal(age(captured, {100 * s, 100 * s})),
              HasSubstr("3000 ms old when it was taken, by the sensor's"));
}

TEST_F(FrameTime, AFrameOfTheFutureProvesThatAClockIsWrong) {
  EXPECT_EQ(
      age_refusal(age({utc0 + 101 * s, ClockDomain::utc}, {100 * s, 100 * s})),
      "it says that it was exposed 980 ms after it came, by its stamp in utc: one of the clocks is wrong");
  limits.max_age_ms.reset();
  EXPECT_NE(age_refusal(age({utc0 + 101 * s, ClockDomain::utc}, {100 * s, 100 * s})), "");
}

TEST_F(FrameTime, WhatAnEarlierRunLeftIsOfUnknownAge) {
  const FrameAge a = age({99 * s, ClockDomain::host_monotonic}, {100 * s, 100 * s, true});
  EXPECT_FALSE(a.at_most_ms) << "that clock may have been another computer's life";
  EXPECT_EQ(age_refusal(a), "it came before datumd started and has no time stamp; allowed: 2000 ms");
  EXPECT_EQ(age({utc0 + 99 * s, ClockDomain::utc}, {100 * s, 100 * s, true}).at_most_ms, 1020);
  limits.max_age_ms.reset();
  EXPECT_EQ(age_refusal(age({5, ClockDomain::unknown}, {100 * s, 100 * s, true})), "");
}

// UTC was an hour behind and is set: a frame that seemed young a moment ago is an hour old.
TEST_F(FrameTime, AClockThatIsSetMakesNoOldFrameYoung) {
  EXPECT_EQ(utc.observe(101 * s, utc0 + 3600 * s + 101 * s), 3600 * s);
  EXPECT_THAT(age_refusal(age({utc0 + 100 * s, ClockDomain::utc}, {101 * s, 101 * s})),
              HasSubstr("3601020 ms old"));
  const FrameAge young = age({utc0 + 3600 * s + 100 * s, ClockDomain::utc}, {101 * s, 101 * s});
  EXPECT_EQ(young.at_most_ms, 1020) << "by neither clock is it older";
  utc.observe(101 * s + 600 * s, utc0 + 3600 * s + 701 * s);
  utc.observe(101 * s + 1300 * s, utc0 + 3600 * s + 1401 * s);
  EXPECT_EQ(age({utc0 + 3600 * s + 1400 * s, ClockDomain::utc}, {1401 * s, 1401 * s}).at_most_ms, 1020)
      << "forgotten after ten minutes";
}

// UTC was an hour ahead and is set back: which of the two the sensor's computer kept is not known for a while.
TEST_F(FrameTime, AfterAClockWasSetBackAStampIsBelievedByNeitherFor10Minutes) {
  EXPECT_EQ(utc.observe(101 * s, utc0 - 3600 * s + 101 * s), -3600 * s);
  const auto seen = [&](std::int64_t at_s) {
    return age({utc0 - 3600 * s + (at_s - 1) * s, ClockDomain::utc}, {at_s * s, at_s * s}).at_most_ms;
  };
  EXPECT_EQ(seen(102), 3601020);
  utc.observe(701 * s, utc0 - 3600 * s + 701 * s);
  EXPECT_EQ(seen(702), 3601020) << "of the stretch before";
  utc.observe(1302 * s, utc0 - 3600 * s + 1302 * s);
  EXPECT_EQ(seen(1303), 1020);
}

TEST(UtcWatch, TellsAStepAndNotASlew) {
  UtcWatch utc;
  EXPECT_FALSE(utc.observe(0, utc0));
  EXPECT_FALSE(utc.observe(1 * s, utc0 + 1 * s + 99 * ms));
  EXPECT_EQ(utc.observe(2 * s, utc0 + 2 * s - 1 * ms), -100 * ms);
  EXPECT_FALSE(utc.observe(3 * s, utc0 + 3 * s));
}

TEST(UtcWatch, AClockThatIsSetBackMakesNothingValidAgain) {
  UtcWatch utc;
  utc.observe(0, utc0);
  utc.observe(1 * s, utc0 - 86'400 * s);
  EXPECT_EQ(utc.latest_utc_ns(2 * s), utc0 + 2 * s);
  utc.observe(3 * s, utc0 + 60 * s);
  EXPECT_EQ(utc.latest_utc_ns(4 * s), utc0 + 61 * s);
}

}  // namespace
}  // namespace datum
