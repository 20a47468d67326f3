#include "drivers/cmm/pairing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace datum::pairing_test {
namespace {

constexpr MonotonicNs ms = ns_per_ms;

ProbePoint at(double x, double y, double z, MonotonicNs poll_ms) {
  ProbePoint point;
  point.position_mm = {x, y, z};
  point.state = ProbeState::ok;
  point.poll_sent_ns = poll_ms * ms;
  point.first_byte_ns = poll_ms * ms + 2 * ms;
  point.last_byte_ns = poll_ms * ms + 5 * ms;
  return point;
}

// Exposure between 1005 and 1400 ms; positions requested at 1000 and 1400 ms.
struct Pairing : ::testing::Test {
  PairSettings settings;
  ProbePoint before = at(10, 20, 30, 1000), after = at(10, 20, 30, 1400);
  CaptureWindow frame{1005 * ms, 1400 * ms};

  PairingResult result() const { return pair(before, after, frame, settings); }
  void expect_refused(PairFault fault, const std::string& detail) const {
    const PairingResult r = result();
    EXPECT_FALSE(r.accepted);
    EXPECT_STREQ(name_of(r.fault), name_of(fault));
    EXPECT_EQ(r.detail, detail);
  }
};

TEST_F(Pairing, AcceptsAMachineThatStoodStill) {
  after = at(10.002, 20, 30 - 0.0015, 1400);
  const PairingResult r = result();
  EXPECT_TRUE(r.accepted) << r.detail;
  EXPECT_EQ(r.fault, PairFault::none);
  // sqrt(2^2 + 1.5^2) = 2.5; the coordinates are doubles near 30 with a spacing of 3.6e-15 mm = 3.6e-12 um
  EXPECT_NEAR(r.moved_um, 2.5, 1e-10);
  EXPECT_EQ(r.before.first_byte_ns, before.first_byte_ns);
  EXPECT_EQ(r.after.first_byte_ns, after.first_byte_ns);
}

TEST_F(Pairing, RefusesAHeadThatTurned) {
  before.head_deg = {{0, 90, 0}};
  expect_refused(PairFault::error, "only one of the positions before and after states the head's angles");
  after.head_deg = {{0, 90.002, 0}};
  EXPECT_TRUE(result().accepted);
  after.head_deg = {{0, 90.0025, 0}};
  expect_refused(PairFault::moved, "the head turned by 0.0025 degrees around the frame; allowed: 0.002");
}

// Positions from 1000 to 1005 ms and from 1400 to 1405 ms, 2.5 um apart: at least 395 ms for the motion,
// 6.329 um/s. The exposure may have begun at 1005 ms, 400 ms before the position after: at most 2.532 um,
// over sqrt(3) 1.462 um.
TEST_F(Pairing, TellsWhatTheMachineMayHaveDoneMeanwhile) {
  after = at(10.0025, 20, 30, 1400);
  const PairingFault doubt = result().doubt;
  EXPECT_EQ(doubt.spread_ns, 400 * ms);
  EXPECT_NEAR(doubt.speed_um_per_s, 2.5 / 0.395, 1e-9);  // 10.0025 - 10 is 2.5 um within 1e-12 um
  EXPECT_NEAR(doubt.u_um, 2.5 / 0.395 * 0.4 / std::sqrt(3.0), 1e-9);
  EXPECT_FALSE(result().exposure_known);
  frame = {1395 * ms, 1398 * ms,
           true};  // from the sensor's clock: 10 ms before the position's latest instant
  EXPECT_EQ(result().doubt.spread_ns, 10 * ms);
  EXPECT_NEAR(result().doubt.u_um, 2.5 / 0.395 * 0.01 / std::sqrt(3.0), 1e-9);
  EXPECT_TRUE(result().exposure_known);
}

TEST_F(Pairing, PositionsAtOneInstantBoundTheDoubtByTheirDistance) {
  before.last_byte_ns = after.poll_sent_ns = 1200 * ms;
  after = at(10.003, 20, 30, 1200);
  frame = {1200 * ms, 1200 * ms};
  EXPECT_EQ(result().doubt.speed_um_per_s, 0);
  EXPECT_NEAR(result().doubt.u_um, 3 / std::sqrt(3.0), 1e-9);
}

TEST_F(Pairing, AcceptsTheToleranceItselfAndNothingBeyond) {
  settings.tolerance_um = 8;
  after = at(10.0078125, 20, 30, 1400);  // 2^-7 mm: exact in binary
  EXPECT_TRUE(result().accepted);
  settings.tolerance_um = 7.8125;
  EXPECT_TRUE(result().accepted);
  settings.tolerance_um = std::nextafter(7.8125, 0);
  EXPECT_FALSE(result().accepted);
}

TEST_F(Pairing, RefusesPositionsByDifferentTools) {
  before.reference = "tool Probe1, MachineCsy";
  after.reference = before.reference;
  EXPECT_TRUE(result().accepted);
  after.reference = "tool Probe2, MachineCsy";
  expect_refused(
      PairFault::error,
      "the position before is by tool Probe1, MachineCsy, the one after by tool Probe2, MachineCsy");
}

TEST_F(Pairing, RefusesAMachineThatMoved) {
  after = at(10.25, 20, 30, 1400);
  expect_refused(PairFault::moved, "the machine moved 250.000 um around the frame; allowed: 5 um");
  EXPECT_DOUBLE_EQ(result().moved_um, 250);
}

TEST_F(Pairing, RefusesAPositionThatIsNaN) {
  after.position_mm[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(result().accepted);
}

TEST_F(Pairing, RefusesEveryStateButOk) {
  const std::pair<ProbeState, PairFault> cases[] = {
      {ProbeState::none_yet, PairFault::missing},   {ProbeState::stale, PairFault::stale},
      {ProbeState::partial, PairFault::error},      {ProbeState::device_error, PairFault::error},
      {ProbeState::out_of_range, PairFault::error}, {ProbeState::wrong_unit, PairFault::error},
      {ProbeState::malformed, PairFault::error},    {ProbeState::not_referenced, PairFault::error},
      {ProbeState::link_down, PairFault::error},
  };
  for (const auto& [state, fault] : cases) {
    before = at(10, 20, 30, 1000);
    after = at(10, 20, 30, 1400);
    after.state = state;
    after.detail = "why";
    expect_refused(fault, "position after the frame: " + std::string(name_of(state)) + " why");
    std::swap(before.state, after.state);
    before.detail = "why";
    expect_refused(fault, "position before the frame: " + std::string(name_of(state)) + " why");
  }
}

TEST_F(Pairing, RefusesPositionsOnTheWrongSideOfTheExposure) {
  before = at(10, 20, 30, 1002);  // complete at 1007 ms, when the exposure may have begun
  expect_refused(PairFault::missing, "the position before came when the exposure may have begun");
  before = at(10, 20, 30, 1000);
  after = at(10, 20, 30, 1399);
  expect_refused(PairFault::missing, "the position after may have been measured before the exposure's end");
}

TEST_F(Pairing, AFreeRunningPositionIsOlderThanItsFirstByteByTheLatency) {
  after.poll_sent_ns = 0;
  after.first_byte_ns = 1410 * ms;
  settings.latency_ms = 10;
  EXPECT_TRUE(result().accepted);
  settings.latency_ms = 11;
  expect_refused(PairFault::missing, "the position after may have been measured before the exposure's end");
}

TEST_F(Pairing, RefusesPositionsFarFromTheFrameInTime) {
  settings.window_ms =
      400;  // from the poll at 1000 ms to the end at 1400 ms; 400 ms from the start to 1405 ms
  EXPECT_TRUE(result().accepted);
  settings.window_ms = 399;
  expect_refused(PairFault::stale, "position before the frame is up to 400 ms away from it; allowed: 399 ms");
  before = at(10, 20, 30, 1300);
  frame.from_ns = 1305 * ms;
  after = at(10, 20, 30, 1700);
  expect_refused(PairFault::stale, "position after the frame is up to 400 ms away from it; allowed: 399 ms");
}

}  // namespace
}  // namespace datum::pairing_test
