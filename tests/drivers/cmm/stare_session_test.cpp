#include "drivers/cmm/stare_session.h"

#include <gtest/gtest.h>

namespace datum::stare_session_test {
namespace {

using Step = StareSession::Step;
constexpr MonotonicNs ms = ns_per_ms;

ProbePoint sample(MonotonicNs polled_ms, ProbeState state = ProbeState::ok, const std::string& detail = "") {
  ProbePoint point;
  point.position_mm = {1, 2, 3};
  point.state = state;
  point.detail = detail;
  point.poll_sent_ns = polled_ms * ms;
  point.first_byte_ns = point.last_byte_ns = (polled_ms + 5) * ms;
  return point;
}

struct Session : ::testing::Test {
  PairSettings settings;
  StareSession session{settings};

  // Started at 1000 ms, position before at 1005 ms.
  void reach_wait_frame() {
    session.start(1000 * ms);
    session.position(sample(1000), 1005 * ms);
    ASSERT_EQ(session.step(), Step::wait_frame);
  }
  void reach_wait_after() {
    reach_wait_frame();
    session.frame_arrived(1400 * ms);
    ASSERT_EQ(session.step(), Step::wait_after);
  }
  void expect_failed(PairFault fault, const std::string& detail) const {
    EXPECT_EQ(session.step(), Step::failed);
    EXPECT_FALSE(session.result().accepted);
    EXPECT_STREQ(name_of(session.result().fault), name_of(fault));
    EXPECT_EQ(session.result().detail, detail);
    EXPECT_FALSE(session.deadline());
  }
};

TEST_F(Session, BracketsAFrame) {
  EXPECT_FALSE(session.wants_position());
  reach_wait_frame();
  EXPECT_FALSE(session.wants_position());
  session.frame_arrived(1400 * ms);
  EXPECT_TRUE(session.wants_position());
  session.position(sample(1401), 1406 * ms);
  EXPECT_EQ(session.step(), Step::done);
  EXPECT_TRUE(session.result().accepted) << session.result().detail;
  EXPECT_EQ(session.result().before.poll_sent_ns, 1000 * ms);
  EXPECT_EQ(session.result().after.poll_sent_ns, 1401 * ms);
  EXPECT_FALSE(session.deadline());
}

// Exposure from the file: 1300 ms is after the position before (1005 ms), 900 ms is not.
TEST_F(Session, AnExposureBeforeThePositionBeforeIsNoPair) {
  for (const bool after_first : {true, false}) {
    for (const MonotonicNs exposed_ms : {1300, 900}) {
      reach_wait_after();
      if (after_first) session.position(sample(1401), 1406 * ms);
      session.exposed({exposed_ms * ms, exposed_ms * ms, true});
      if (!after_first) session.position(sample(1401), 1406 * ms);
      if (exposed_ms == 900) {
        expect_failed(PairFault::missing, "the position before came when the exposure may have begun");
      } else {
        EXPECT_EQ(session.step(), Step::done);
      }
      EXPECT_TRUE(session.result().exposure_known);
    }
  }
}

TEST_F(Session, KeepsThePositionBeforeWhenAnotherFrameCame) {
  reach_wait_after();
  session.frame_discarded(1500 * ms);
  EXPECT_EQ(session.step(), Step::wait_frame);
  EXPECT_FALSE(session.wants_position());
  EXPECT_EQ(session.deadline(), (1500 + settings.frame_timeout_ms) * ms);
  session.frame_arrived(1600 * ms);
  session.position(sample(1601), 1606 * ms);
  EXPECT_EQ(session.step(), Step::done);
  EXPECT_EQ(session.result().before.poll_sent_ns, 1000 * ms);
  EXPECT_EQ(session.result().after.poll_sent_ns, 1601 * ms);
}

TEST_F(Session, ForgetsAPositionAfterAFrameThatWasAnother) {
  reach_wait_after();
  ProbePoint elsewhere = sample(1401);
  elsewhere.position_mm = {9, 9, 9};
  session.position(elsewhere, 1406 * ms);
  ASSERT_EQ(session.step(), Step::failed);
  session.frame_discarded(1500 * ms);
  session.frame_arrived(1600 * ms);
  session.position(sample(1601), 1606 * ms);
  EXPECT_TRUE(session.result().accepted) << session.result().detail;
}

TEST_F(Session, AsksAnewWhenAnotherFrameCameBeforeThePosition) {
  session.start(1000 * ms);
  session.frame_arrived(1001 * ms);
  ASSERT_EQ(session.step(), Step::failed);
  session.frame_discarded(1002 * ms);
  EXPECT_EQ(session.step(), Step::wait_before);
  session.position(sample(1001), 1006 * ms);
  EXPECT_EQ(session.step(), Step::wait_before) << "measured before it was asked for";
  session.position(sample(1003), 1008 * ms);
  EXPECT_EQ(session.step(), Step::wait_frame);
}

TEST_F(Session, PassesOverPositionsOlderThanTheQuestion) {
  session.start(1000 * ms);
  session.position(sample(999), 1004 * ms);
  EXPECT_EQ(session.step(), Step::wait_before);
  session.position(sample(1000), 1005 * ms);
  session.frame_arrived(1400 * ms);
  session.position(sample(1399), 1404 * ms);
  EXPECT_EQ(session.step(), Step::wait_after);
}

TEST_F(Session, AGarbledLineIsRetriedAndTheLastReasonIsGivenAtTheDeadline) {
  reach_wait_after();
  session.position(sample(1401, ProbeState::malformed, "noise"), 1406 * ms);
  EXPECT_EQ(session.step(), Step::wait_after);
  session.position(sample(1600, ProbeState::device_error, "says 'Error'"), 1605 * ms);
  ASSERT_EQ(session.deadline(), (1400 + settings.position_timeout_ms) * ms);
  session.on_deadline(*session.deadline() - 1);
  EXPECT_EQ(session.step(), Step::wait_after);
  session.on_deadline(*session.deadline());
  expect_failed(PairFault::error, "position after the frame: DEVICE_ERROR says 'Error'");
  EXPECT_EQ(session.result().after.state, ProbeState::device_error);
  EXPECT_EQ(session.result().before.state, ProbeState::ok);
}

TEST_F(Session, AStalePositionIsReportedAsSuch) {
  session.start(1000 * ms);
  session.position(sample(1000, ProbeState::stale, "no answer"), 1500 * ms);
  session.on_deadline(2500 * ms);
  expect_failed(PairFault::stale, "position before the frame: STALE no answer");
}

TEST_F(Session, NoPositionAtAllIsMissing) {
  session.start(1000 * ms);
  session.on_deadline(2500 * ms);
  expect_failed(PairFault::missing, "no position before the frame within 1500 ms");
  reach_wait_after();
  session.on_deadline(2900 * ms);
  expect_failed(PairFault::missing, "no position after the frame within 1500 ms");
}

TEST_F(Session, AFrameThatDoesNotComeOrComesTooEarlyFails) {
  reach_wait_frame();
  session.on_deadline(6005 * ms);
  expect_failed(PairFault::missing, "no frame within 5000 ms of the position before it");
  session.start(7000 * ms);
  session.frame_arrived(7001 * ms);
  expect_failed(PairFault::missing,
                "the frame came before the position before it: trigger once the position is known");
}

TEST_F(Session, AMachineThatMovedFails) {
  reach_wait_after();
  ProbePoint moved = sample(1401);
  moved.position_mm[0] += 0.5;
  session.position(moved, 1406 * ms);
  expect_failed(PairFault::moved, "the machine moved 500.000 um around the frame; allowed: 5 um");
}

TEST_F(Session, AKnownCaptureTimeNarrowsTheWindow) {
  reach_wait_frame();
  session.frame_arrived(1400 * ms,
                        CaptureWindow{1004 * ms, 1004 * ms});  // before the first position was complete
  session.position(sample(1401), 1406 * ms);
  expect_failed(PairFault::missing, "the position before came when the exposure may have begun");
}

TEST_F(Session, AbortAndRestart) {
  session.abort();
  EXPECT_EQ(session.step(), Step::idle);
  reach_wait_frame();
  session.abort();
  expect_failed(PairFault::missing, "aborted");
  reach_wait_after();
  session.position(sample(1401), 1406 * ms);
  EXPECT_EQ(session.step(), Step::done);
  session.abort();
  EXPECT_EQ(session.step(), Step::done);
}

TEST_F(Session, StepsHaveNames) {
  EXPECT_STREQ(name_of(session.step()), "idle");
  session.start(0);
  EXPECT_STREQ(name_of(session.step()), "waiting for the position before");
}

}  // namespace
}  // namespace datum::stare_session_test
