// What a replay calls different.
#include "daemon/cell/replay.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/daemon/scpi/fixture.h"

namespace datum {
namespace {

TEST(Replay, FindsTheFirstNumberThatDiffers) {
  const BoardVerdict then = testing::board();
  BoardVerdict now = then;
  EXPECT_EQ(first_difference(then, now), "");
  now.components[1].checks[0].value = std::nextafter(1190.0, 2000.0);
  EXPECT_EQ(first_difference(then, now), "/components/1/checks/0/value_um: 1190.0, now 1190.0000000000002");
}

TEST(Replay, DoesNotCareWhoMeasuredAndWhen) {
  const BoardVerdict then = testing::board();
  BoardVerdict now = then;
  now.sequence = 0;
  now.store_id.clear();
  now.backend = "cuda";
  now.frame_source = "done/frame-1/frame-1.ptr";
  EXPECT_EQ(first_difference(then, now), "");
}

TEST(Replay, SeesAComponentThatIsGone) {
  const BoardVerdict then = testing::board();
  BoardVerdict now = then;
  now.components.pop_back();
  EXPECT_EQ(first_difference(then, now).rfind("/components/2: {", 0), 0u) << first_difference(then, now);
}

TEST(Replay, SaysThatTheFrameIsGone) {
  Replay replay;
  SensorProfile sensor;
  replay.verdict = testing::board();
  replay.verdict.frame_source = "frame-1.ptr";
  replay.frames = "/nonexistent";
  replay.sensor = &sensor;
  run(replay);
  EXPECT_TRUE(replay.failed);
  EXPECT_EQ(replay.detail.rfind("frame frame-1 with sha256 ", 0), 0u) << replay.detail;
}

}  // namespace
}  // namespace datum
