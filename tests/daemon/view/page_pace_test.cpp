// Share of time that pages take, with a clock of the test: greedy, many, gone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "daemon/view/page_pace.h"

namespace datum {
namespace page_pace_test {
namespace {

using namespace std::chrono_literals;
using Turn = PagePace::Turn;

constexpr PagePace::Time start{};

std::array<int, 100> names;
PagePace::Request request(std::size_t n) { return &names[n]; }

PaceSettings tenth() { return {.share = 0.1, .burst = 100ms, .most_waiting = 3}; }

}  // namespace

TEST(PagePace, APersonsPagesAreMadeAtOnce) {
  PagePace pace(tenth(), start);
  // A page of 20 ms each half second costs 4 % of the time.
  for (int i = 0; i < 100; ++i) {
    const PagePace::Time now = start + i * 500ms;
    ASSERT_EQ(pace.ask("a", request(0), now), Turn::now) << i;
    pace.done(20ms, now + 20ms);
  }
}

TEST(PagePace, GreedyClientsGetTheirShareInTheLongRun) {
  PagePace pace(tenth(), start);
  // Eight connections ask again as soon as they are answered, pages take 10 ms, for 100 s.
  PagePace::Time now = start;
  PagePace::Duration work{};
  std::size_t under_way = 99;
  for (std::size_t n = 0; n < 3; ++n)
    if (pace.ask("a", request(n), now) == Turn::now) under_way = n;
  while (now < start + 100s) {
    now += 10ms;
    work += 10ms;
    pace.done(10ms, now);
    pace.ask("a", request(under_way), now);
    ASSERT_TRUE(pace.due());
    now = std::max(now, *pace.due());
    const auto next = pace.next(now);
    ASSERT_TRUE(next);
    under_way = static_cast<std::size_t>(static_cast<int*>(*next) - names.data());
  }
  EXPECT_LE(work, 10s + 100ms + 10ms) << "the share, the burst and a page";
  EXPECT_GE(work, 9900ms);
}

TEST(PagePace, AnotherAddressWaitsForOnePageOfTheGreedyOne) {
  PagePace pace(tenth(), start);
  ASSERT_EQ(pace.ask("greedy", request(0), start), Turn::now);
  EXPECT_EQ(pace.ask("greedy", request(1), start), Turn::later) << "one page at a time";
  EXPECT_EQ(pace.ask("greedy", request(2), start), Turn::later);
  EXPECT_EQ(pace.ask("person", request(3), start), Turn::later);
  EXPECT_EQ(pace.ask("person", request(4), start), Turn::refused) << "three wait";
  EXPECT_FALSE(pace.due()) << "a page is under way";
  EXPECT_FALSE(pace.next(start + 1h));
  std::vector<PagePace::Request> order;
  for (int i = 0; i < 3; ++i) {
    pace.done(10ms, start + 10ms);
    const auto next = pace.next(start + 10ms);
    ASSERT_TRUE(next);
    order.push_back(*next);
  }
  EXPECT_THAT(order, ::testing::ElementsAre(request(1), request(3), request(2)));
}

TEST(PagePace, WhatIsOwedIsWaitedFor) {
  PagePace pace(tenth(), start);
  ASSERT_EQ(pace.ask("a", request(0), start), Turn::now);
  pace.done(150ms, start + 150ms);  // never above the burst: 100 - 150 = -50 ms
  EXPECT_EQ(pace.ask("a", request(1), start + 150ms), Turn::later);
  ASSERT_TRUE(pace.due());
  EXPECT_NEAR(std::chrono::duration<double>(*pace.due() - start).count(), 0.65, 1e-5) << "50 ms at a tenth";
  EXPECT_FALSE(pace.next(start + 649ms));
  EXPECT_EQ(pace.next(start + 651ms), request(1));
  pace.done(0ms, start + 651ms);
  EXPECT_EQ(pace.ask("a", request(2), start + 10h), Turn::now);
  pace.done(99ms, start + 10h);
  EXPECT_EQ(pace.ask("a", request(3), start + 10h), Turn::now) << "a rest of hours is worth one burst";
  pace.done(2ms, start + 10h);
  EXPECT_EQ(pace.ask("a", request(4), start + 10h), Turn::later);
}

TEST(PagePace, AClientThatHasGoneHoldsNothing) {
  PagePace pace(tenth(), start);
  ASSERT_EQ(pace.ask("a", request(0), start), Turn::now);
  ASSERT_EQ(pace.ask("a", request(1), start), Turn::later);
  ASSERT_EQ(pace.ask("b", request(2), start), Turn::later);
  pace.forget(request(1));
  pace.forget(request(0));  // under way
  EXPECT_EQ(pace.next(start), request(2));
  pace.forget(request(2));
  EXPECT_EQ(pace.ask("a", request(3), start), Turn::now);
}

TEST(PagePace, RefusesASettingWithoutSense) {
  for (const double share : {0.0, -0.1, 1.1, std::nan("")})
    EXPECT_THROW(PagePace({.share = share}, start), std::invalid_argument) << share;
  EXPECT_THROW(PagePace({.share = 0.1, .burst = 0ms}, start), std::invalid_argument);
}

}  // namespace page_pace_test
}  // namespace datum
