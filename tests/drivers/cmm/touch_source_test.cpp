#include "drivers/cmm/touch_source.h"

#include <gmock/gmock.h>

#include "drivers/cmm/presets.h"

namespace datum::touch_source_test {
namespace {

using Step = TouchSource::Step;
using ::testing::HasSubstr;
constexpr MonotonicNs ms = ns_per_ms;

ProbePoint at(std::array<double, 3> position_mm, MonotonicNs when_ms, ProbeState state = ProbeState::ok) {
  ProbePoint point;
  point.position_mm = position_mm;
  point.state = state;
  if (state != ProbeState::ok) point.detail = "so it says";
  point.poll_sent_ns = when_ms * ms;
  point.first_byte_ns = point.last_byte_ns = (when_ms + 5) * ms;
  return point;
}

struct Latching : ::testing::Test {
  TouchSource source{{TouchRule::latched}};
  void latch(std::array<double, 3> position_mm, MonotonicNs when_ms, ProbeState state = ProbeState::ok) {
    source.latched(at(position_mm, when_ms, state), (when_ms + 5) * ms);
  }
};

TEST_F(Latching, TakesTheNextTouchAfterItWasAskedFor) {
  latch({1, 2, 3}, 900);
  EXPECT_EQ(source.step(), Step::idle);
  source.ask(1000 * ms);
  latch({1, 2, 3}, 990);  // first byte at 995: before the request
  EXPECT_EQ(source.step(), Step::waiting);
  latch({4, 5, 6}, 1000);
  ASSERT_EQ(source.step(), Step::done);
  EXPECT_EQ(source.touch().position_mm, (std::array<double, 3>{4, 5, 6}));
  EXPECT_EQ(source.touch().at_ns, 1005 * ms);
  EXPECT_FALSE(source.deadline());
  latch({7, 8, 9}, 1100);  // not requested
  EXPECT_EQ(source.touch().position_mm, (std::array<double, 3>{4, 5, 6}));
}

TEST_F(Latching, APositionIsNoTouch) {
  source.ask(1000 * ms);
  for (int i = 0; i < 10; ++i) source.position(at({1, 2, 3}, 1001 + i), (1006 + i) * ms);
  EXPECT_EQ(source.step(), Step::waiting);
}

TEST_F(Latching, AFailedTouchFailsWithItsReason) {
  source.ask(1000 * ms);
  latch({}, 1001, ProbeState::device_error);
  EXPECT_EQ(source.step(), Step::failed);
  EXPECT_EQ(source.why(), "DEVICE_ERROR so it says");
}

TEST_F(Latching, ALostLinkOrReferenceFailsTheTouch) {
  for (const ProbeState state : {ProbeState::link_down, ProbeState::not_referenced}) {
    source.ask(1000 * ms);
    source.position(at({}, 1001, ProbeState::stale), 1006 * ms);
    EXPECT_EQ(source.step(), Step::waiting);
    source.position(at({}, 1001, state), 1006 * ms);
    EXPECT_EQ(source.step(), Step::failed);
    EXPECT_EQ(source.why(), std::string(name_of(state)) + " so it says");
  }
}

// A count is 4 um and more: two touches of one place often have equal counts.
TEST_F(Latching, EqualPositionsOfTwoTouchesAreTwoTouches) {
  source.ask(1000 * ms);
  latch({1, 2, 3}, 1001);
  latch({1, 2, 3}, 1003);  // bounces, not requested
  EXPECT_EQ(source.step(), Step::done);
  source.ask(1100 * ms);
  latch({1, 2, 3}, 1090);  // late
  EXPECT_EQ(source.step(), Step::waiting);
  latch({1, 2, 3}, 1101);
  EXPECT_EQ(source.step(), Step::done);
}

// GRBL is polled at 5 Hz, by its own guidance; a latched touch needs no position.
TEST_F(Latching, AsksForNoPositionBeforeItsTime) {
  source.ask(1000 * ms);
  source.position(at({1, 2, 3}, 1001), 1002 * ms);
  EXPECT_EQ(source.step(), Step::waiting);
  EXPECT_FALSE(source.wants_position());
}

TEST_F(Latching, NoTouchInTimeFails) {
  source.ask(1000 * ms);
  source.on_deadline(30'999 * ms);
  EXPECT_EQ(source.step(), Step::waiting);
  source.on_deadline(31'000 * ms);
  EXPECT_EQ(source.step(), Step::failed);
  EXPECT_EQ(source.why(), "no touch came from the device within 30000 ms");
  source.ask(40'000 * ms);
  source.abort();
  EXPECT_EQ(source.why(), "aborted");
}

struct Standing : ::testing::Test {
  TouchSource source{{TouchRule::stand_still, 3, 5, 2000}};
  void see(std::array<double, 3> position_mm, MonotonicNs when_ms, ProbeState state = ProbeState::ok) {
    source.position(at(position_mm, when_ms, state), (when_ms + 5) * ms);
  }
};

TEST_F(Standing, IsTheMeanOfPositionsThatAgree) {
  source.ask(1000 * ms);
  see({1, 2, 3}, 999);  // polled before the operator's report
  see({1.000, 2, 3}, 1000);
  see({1.003, 2, 3}, 1200);
  EXPECT_EQ(source.step(), Step::waiting);
  see({1.006, 2, 3}, 1400);
  ASSERT_EQ(source.step(), Step::done);
  EXPECT_NEAR(source.touch().position_mm[0], 1.003, 1e-12);
  EXPECT_NEAR(source.touch().spread_um, 3, 1e-9);
  EXPECT_EQ(source.touch().samples, 3);
  EXPECT_EQ(source.touch().at_ns, 1405 * ms);
}

// The mean of 0, 6 and 12 um is 6 um from the outer two: more than the allowed 5 um.
TEST_F(Standing, AMovingMachineIsNoTouch) {
  source.ask(1000 * ms);
  for (int i = 0; i < 5; ++i) see({1 + 0.006 * i, 2, 3}, 1000 + 200 * i);
  EXPECT_EQ(source.step(), Step::waiting);
  source.on_deadline(3000 * ms);
  EXPECT_EQ(source.step(), Step::failed);
  EXPECT_EQ(source.why(),
            "2 of 3 positions came within 2000 ms; last: the machine moved: 6.0 um from the mean of 3 "
            "positions; allowed: 5 um");
}

TEST_F(Standing, AFaultBetweenStartsAnew) {
  source.ask(1000 * ms);
  see({1, 2, 3}, 1000);
  see({1, 2, 3}, 1100);
  see({1, 2, 3}, 1200, ProbeState::partial);
  see({1, 2, 3}, 1300);
  see({1, 2, 3}, 1400);
  EXPECT_EQ(source.step(), Step::waiting);
  see({1, 2, 3}, 1500);
  EXPECT_EQ(source.step(), Step::done);
}

TEST_F(Standing, WhatADeviceLatchesIsNotItsRule) {
  source.ask(1000 * ms);
  source.latched(at({1, 2, 3}, 1100), 1105 * ms);
  EXPECT_EQ(source.step(), Step::waiting);
}

TEST(TouchSettings, RefusedWithWhatIsAllowed) {
  const auto refusal = [](TouchSettings settings) -> std::string {
    try {
      TouchSource{settings};
    } catch (const RefusedError& error) {
      return error.what();
    }
    return "(accepted)";
  };
  EXPECT_EQ(refusal({TouchRule::stand_still, 1}), "touch: samples = 1; allowed: 2 to 100");
  EXPECT_EQ(refusal({TouchRule::stand_still, 3, 0}), "touch: tolerance_um = 0; allowed: more than 0");
  EXPECT_EQ(refusal({TouchRule::stand_still, 3, 5, 10}), "touch: timeout_ms = 10; allowed: 100 to 600000");
  EXPECT_EQ(refusal({TouchRule::stand_still, 3, 5, 1000, -1}), "touch: latency_ms = -1; allowed: 0 to 60000");
}

}  // namespace
}  // namespace datum::touch_source_test
