// Each fault of a Gocator: the frame has the right fault, or is correct, and the source recovers by itself.
// Prints the recovery time by the source's own deadlines.
#include <gmock/gmock.h>

#include <cstdio>

#include "tests/drivers/gocator/gocator_rig.h"

namespace datum {
namespace {

using testing::gocator_profile;
using testing::gocator_settings;
using testing::GocatorRig;
using ::testing::HasSubstr;
using testing::ms;

/// Time to the first frame without a fault.
int recovers_within_ms(GocatorRig& rig, int most_ms) {
  std::optional<ClaimedFrame> good;
  const auto ready = [&] { return rig.source.refusal().empty() && rig.device.running(); };
  const int waited = rig.ms_until(ready, most_ms);
  if (waited < 0) return -1;
  rig.source.begin(rig.now);
  for (int frames = 0; frames < 2; ++frames) {  // the first may report an earlier loss
    rig.expose();
    good = rig.claim();
    if (good && good->doubt.empty()) {
      load_frame(*good, gocator_profile());
      return waited;
    }
  }
  return -1;
}

void print(const char* fault, int recovered_ms) {
  std::printf("gocator, %-42s recovers within %5d ms\n", fault, recovered_ms);
}

class GocatorFaults : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(rig.connect());
    rig.expose();
    ASSERT_EQ(rig.claim()->doubt, "");
    rig.source.begin(rig.now);
    rig.warnings();
  }
  void expect_doubt(GocatorFault fault, const char* words) {
    rig.device.fault(fault);
    rig.expose();
    if (fault == GocatorFault::skip) rig.expose();
    const auto claim = rig.claim();
    ASSERT_TRUE(claim);
    EXPECT_THAT(claim->doubt, HasSubstr(words));
  }
  /// The connection is lost with this text, which is also the fault of the board in progress.
  void expect_lost(const char* words) {
    std::string fault;
    ASSERT_TRUE(rig.until([&] { return !(fault = rig.source.take_fault()).empty(); }));
    EXPECT_THAT(fault, HasSubstr(words));
    EXPECT_THAT(rig.warnings(), HasSubstr(words));
  }
  void expect_recovery(const char* fault, int most_ms) {
    const int recovered = recovers_within_ms(rig, most_ms);
    EXPECT_GE(recovered, 0) << rig.source.describe();
    print(fault, recovered);
  }
  GocatorRig rig;
};

TEST_F(GocatorFaults, FrameDropped) {
  expect_doubt(GocatorFault::skip, "1 frames before it were lost: index 3 after 1");
  expect_recovery("a frame is dropped", 0);
}

TEST_F(GocatorFaults, IndexGoesBack) {
  expect_doubt(GocatorFault::back, "its index 0 comes after 1");
  expect_recovery("the index goes back", 0);
}

TEST_F(GocatorFaults, FrameSentTwice) {
  rig.device.fault(GocatorFault::twice);
  rig.expose();
  const auto first = rig.claim(), second = rig.claim();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->doubt, "");
  EXPECT_THAT(second->doubt, HasSubstr("its index 2 comes after 2"));
  const auto one = read_claim(*first, gocator_profile()), two = read_claim(*second, gocator_profile());
  EXPECT_EQ(one.identity, two.identity) << "a duplicate, measured once";
  expect_recovery("a frame is sent twice", 0);
}

TEST_F(GocatorFaults, WrongUnits) {
  expect_doubt(GocatorFault::units, "its resolution is 0.035 x 0.036 x 0.001 um, this cell's 35 x 36 x 1 um");
  expect_recovery("steps in another unit", 0);
}

TEST_F(GocatorFaults, OldFrame) {
  expect_doubt(GocatorFault::old, "ms before it came; allowed: 5000 ms");
  expect_recovery("an old frame", 0);
}

TEST_F(GocatorFaults, DropCounterRisesWhileAFrameWaits) {
  rig.send_health();
  rig.expose();
  ASSERT_TRUE(rig.until([&] { return rig.source.describe().find("1 waiting") != std::string::npos; }));
  rig.device.drop(21005, 2);
  rig.send_health();
  std::string fault;
  ASSERT_TRUE(rig.until([&] { return !(fault = rig.source.take_fault()).empty(); }));
  EXPECT_THAT(fault, HasSubstr("Ethernet drops rose by 2 to 2"));
  EXPECT_THAT(rig.claim()->doubt, HasSubstr("Ethernet drops rose by 2 to 2"));
  expect_recovery("a drop counter rises", 0);
}

TEST_F(GocatorFaults, Corrupt) {
  rig.device.fault(GocatorFault::corrupt);
  rig.expose();
  expect_lost("a surface of 4 x 6 pixels");
  expect_recovery("a message contradicts itself", 1000);
}

TEST_F(GocatorFaults, Stall) {
  rig.device.fault(GocatorFault::stall);
  rig.expose();
  ASSERT_TRUE(rig.until([&] { return rig.source.describe().find("receiving") != std::string::npos; }));
  rig.pass(1999);
  EXPECT_EQ(rig.source.take_fault(), "");
  const MonotonicNs stalled_ns = rig.now;
  rig.pass(1);
  expect_lost("a data set stopped in its middle for 2000 ms");
  expect_recovery("a frame stalls (after 2000 ms)", 1000);
  EXPECT_GT(rig.now, stalled_ns);
}

TEST_F(GocatorFaults, ResetInTheMiddleOfAFrame) {
  rig.device.fault(GocatorFault::reset);
  rig.expose();
  expect_lost("the connection was lost");
  expect_recovery("the connection is reset", 1000);
}

TEST_F(GocatorFaults, SilentControl) {
  rig.device.silence();
  rig.pass(2000);  // the periodic request
  rig.until([&] { return rig.source.pollables()[0]->deadline() <= rig.now + 3000 * ms; });
  rig.pass(3000);
  expect_lost("no answer to GetStates within 3000 ms");
  rig.device.restart();
  expect_recovery("control is silent (after 5000 ms)", 1000);
}

TEST_F(GocatorFaults, Restart) {
  rig.hang_up();
  rig.device.restart();
  rig.switched_on = rig.now;
  expect_lost("the connection was lost");
  expect_recovery("the sensor is switched off and on", 1000);
  EXPECT_THAT(rig.warnings(), HasSubstr("its clock began again"));
}

TEST_F(GocatorFaults, StoppedByAHand) {
  rig.device.stop();
  rig.pass(2000);
  std::string fault;
  ASSERT_TRUE(rig.until([&] { return !(fault = rig.source.take_fault()).empty(); }));
  EXPECT_THAT(fault, HasSubstr("is stopped"));
  expect_recovery("the sensor is stopped by a hand", 2000);
}

TEST_F(GocatorFaults, ConnectionLostWhileTheJobIsAskedFor) {
  rig.device.silence();
  rig.expose();
  ASSERT_TRUE(rig.until([&] { return rig.source.describe().find("1 waiting") != std::string::npos; }));
  rig.hang_up();
  const auto claim = rig.claim();
  ASSERT_TRUE(claim) << "a frame that came gives a result";
  EXPECT_THAT(claim->doubt, HasSubstr("the connection was lost"));
  rig.device.restart();
  rig.switched_on = rig.now;
  expect_recovery("lost before the job is known", 1000);
}

// Without a trigger a missing frame was a board's; with one, it was not this board's.
TEST_F(GocatorFaults, FramesLostWithTheConnection) {
  for (const bool triggered : {false, true}) {
    rig.hang_up();
    ASSERT_TRUE(rig.until([&] { return !rig.source.refusal().empty(); }));
    rig.expose();
    ASSERT_GE(rig.ms_until([&] { return rig.source.refusal().empty(); }, 1000), 0);
    if (triggered) rig.source.begin(rig.now);
    rig.expose();
    const auto claim = rig.claim();
    ASSERT_TRUE(claim);
    EXPECT_EQ(claim->doubt, triggered ? "" : "1 frames before it were lost: index 3 after 1");
  }
}

TEST_F(GocatorFaults, AbsentForLong) {
  rig.hang_up();
  rig.device.silence();
  ASSERT_TRUE(rig.until([&] { return !rig.source.refusal().empty(); }));
  int tries = 0;
  for (int s = 0; s < 120; ++s) {
    const bool was = rig.source.describe().find("closed") != std::string::npos;
    rig.pass(1000);
    rig.settle();
    tries += was && rig.source.describe().find("connecting") != std::string::npos;
  }
  EXPECT_GT(tries, 5);
  EXPECT_LT(tries, 30) << "later and later";
  rig.device.restart();
  rig.switched_on = rig.now;
  expect_recovery("absent for two minutes", 12'000);
}

}  // namespace
}  // namespace datum
