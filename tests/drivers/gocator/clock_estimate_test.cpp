#include "drivers/gocator/clock_estimate.h"

#include <gtest/gtest.h>

namespace datum::gocator {
namespace {

constexpr MonotonicNs us = 1000, ms = 1'000'000, s = 1'000'000'000;

// The sensor was switched on at host time 1000 s.
constexpr MonotonicNs boot = 1000 * s;

TEST(GocatorClock, TheAnswerLiesBetweenQuestionAndAnswer) {
  ClockEstimate clock;
  EXPECT_FALSE(clock.host_time(0, 0));
  const MonotonicNs sent = boot + 5 * s;
  // Read 300 us after sending, answered 100 us later.
  EXPECT_TRUE(clock.answered(sent, sent + 400 * us, 5'000'300));
  const auto host = clock.host_time(5'000'000, sent + 400 * us);
  ASSERT_TRUE(host);
  // offset is in [sent - read - 1 us, answer - read], the stamp itself in [t, t + 1 us].
  EXPECT_EQ(host->from_ns, sent - 300 * us - 1 * us);
  EXPECT_EQ(host->to_ns, sent + 100 * us + 1 * us);
  EXPECT_EQ(clock.uncertainty_ns(sent + 400 * us), (401 * us) / 2);
  // Least host - sensor: sent - read - 1 us; the middle is half of 401 us above it.
  EXPECT_EQ(clock.offset(sent + 400 * us)->offset_ns, sent - 5'000'301 * us + (401 * us) / 2);
  EXPECT_EQ(clock.offset(sent + 400 * us)->uncertainty_ns, (401 * us) / 2);
}

TEST(GocatorClock, FurtherAnswersNarrowItAndTimeWidensIt) {
  ClockEstimate clock;
  MonotonicNs now = boot;
  clock.answered(now, now + 1 * ms, 900);  // read late in the bracket
  clock.answered(now + 1 * ms, now + 2 * ms, 1100);
  const MonotonicNs narrow = *clock.uncertainty_ns(now + 2 * ms);
  EXPECT_LT(narrow, 150 * us) << "the overlap of both";
  // 100 ppm over 10 s is 1 ms to each side.
  EXPECT_EQ(*clock.uncertainty_ns(now + 2 * ms + 10 * s), narrow + 1 * ms);
  const auto host = clock.host_time(0, now + 2 * ms);
  EXPECT_LE(host->from_ns, boot);
  EXPECT_GE(host->to_ns, boot);
}

TEST(GocatorClock, AClockThatBeganAnewIsSeen) {
  ClockEstimate clock;
  EXPECT_TRUE(clock.answered(boot + 5 * s, boot + 5 * s + ms, 5'000'500));
  EXPECT_FALSE(clock.answered(boot + 9 * s, boot + 9 * s + ms, 500)) << "switched on a moment ago";
  EXPECT_TRUE(clock.answered(boot + 10 * s, boot + 10 * s + ms, 1'000'500));
  const auto host = clock.host_time(0, boot + 10 * s + ms);
  EXPECT_LE(host->from_ns, boot + 9 * s);
  EXPECT_GE(host->to_ns, boot + 9 * s);
}

TEST(GocatorClock, ATimeThatCanBeNoneIsNoTime) {
  ClockEstimate clock;
  EXPECT_FALSE(clock.answered(boot, boot + ms, UINT64_MAX));
  EXPECT_FALSE(clock.host_time(0, boot));
  EXPECT_TRUE(clock.answered(boot, boot + ms, 500));
  EXPECT_FALSE(clock.host_time(UINT64_MAX, boot + ms));
  EXPECT_FALSE(clock.host_time(INT64_MAX / 1000, boot + ms));
}

// A drift within the bound is not a jump, and the truth remains inside.
TEST(GocatorClock, ADriftingClockStaysInside) {
  ClockEstimate clock;
  for (int k = 1; k <= 1000; ++k) {
    const MonotonicNs now = boot + 2 * s * k;
    const auto shown =
        static_cast<std::uint64_t>((now - boot) / 1000 + (now - boot) / 1000 * 9 / 100'000);  // 90 ppm fast
    ASSERT_TRUE(clock.answered(now - 50 * us, now + 50 * us, shown)) << k;
    const auto host = clock.host_time(shown, now + 50 * us);
    EXPECT_LE(host->from_ns, now);
    EXPECT_GE(host->to_ns, now);
    EXPECT_LE(host->to_ns - host->from_ns, 102 * us) << "never wider than one question";
  }
}

}  // namespace
}  // namespace datum::gocator
