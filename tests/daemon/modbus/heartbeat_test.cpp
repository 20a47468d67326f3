#include <gtest/gtest.h>

#include "daemon/modbus/heartbeat.h"

namespace datum::modbus {
namespace {

constexpr MonotonicNs ms = 1'000'000;

TEST(Beat, TogglesEachHalfSecondAndOnceAfterAPause) {
  Beat beat;
  EXPECT_TRUE(beat.due(7 * ms));
  const bool level = beat.level();
  EXPECT_FALSE(beat.due(506 * ms));
  EXPECT_EQ(beat.next(), 507 * ms);
  EXPECT_TRUE(beat.due(507 * ms));
  EXPECT_NE(beat.level(), level);
  EXPECT_TRUE(beat.due(60'000 * ms));
  EXPECT_FALSE(beat.due(60'001 * ms));
}

TEST(PlcBeat, IsStaleAfterThreePeriodsAndBackWithTheNextToggle) {
  PlcBeat beat;
  EXPECT_FALSE(beat.stale(1'000'000 * ms)) << "not watched";
  EXPECT_FALSE(beat.due());
  beat.watch(200, 1000 * ms);
  beat.level(true, 1100 * ms);
  EXPECT_FALSE(beat.stale(1699 * ms));
  EXPECT_EQ(beat.due(), 1700 * ms);
  EXPECT_TRUE(beat.stale(1700 * ms));
  beat.level(true, 1800 * ms);
  EXPECT_TRUE(beat.stale(1800 * ms)) << "the same level is no beat";
  beat.level(false, 1800 * ms);
  EXPECT_FALSE(beat.stale(2399 * ms));
  beat.watch(0, 2399 * ms);
  EXPECT_FALSE(beat.stale(9999 * ms));
}

}  // namespace
}  // namespace datum::modbus
