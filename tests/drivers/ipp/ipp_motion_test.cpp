// Motion over I++ DME: what is said to the controller, what is refused before, and what stops it, against the
// virtual server in injected time.
#include "drivers/ipp/ipp_motion.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/drivers/ipp/ipp_wire.h"

namespace datum {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IppRig;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using Xyz = std::array<double, 3>;

CmmSettings moving_cell() {
  CmmSettings s = testing::ipp_cell();
  IppMotionSettings& motion = s.ipp.motion.emplace();
  motion.speed_mm_s = 20;
  motion.probing_speed_mm_s = 2;
  motion.min_mm = {0, 0, 0};
  motion.max_mm = {100, 100, 100};
  return s;
}

template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const RefusedError& e) {
    return e.what();
  }
  return "";
}

TEST(IppMotion, SaysWhereToAndHowFast) {
  const CmmSettings s = moving_cell();
  EXPECT_THAT(move_properties(s, {1, 2, 3}, {4, 6, 3}, false),
              ElementsAre("SetProp(Tool.GoToPar.Speed(20))"));
  EXPECT_EQ(move_command(s, {1, 2, 3}, {4, 6, 3}, false), "GoTo(X(4.00000), Y(6.00000), Z(3.00000))");
  // It measures from where it stands: the approach is the whole way, 5 mm, and nothing is sought beyond.
  EXPECT_THAT(move_properties(s, {1, 2, 3}, {4, 6, 3}, true),
              ElementsAre("SetProp(Tool.PtMeasPar.Speed(2))", "SetProp(Tool.PtMeasPar.Approach(5.00000))",
                          "SetProp(Tool.PtMeasPar.Search(0))"));
  EXPECT_EQ(move_command(s, {1, 2, 3}, {4, 6, 3}, true),
            "PtMeas(X(4.00000), Y(6.00000), Z(3.00000), IJK(-0.600000, -0.800000, 0.000000))");
  CmmSettings mapped = s;  // the controller's X is the machine's -Y + 50, its Y the machine's X
  mapped.axes[0].machine_axis = 1;
  mapped.axes[0].reversed = true;
  mapped.axes[0].offset_mm = 50;
  mapped.axes[1].machine_axis = 0;
  EXPECT_EQ(move_command(mapped, {1, 2, 3}, {4, 6, 3}, true),
            "PtMeas(X(44.00000), Y(4.00000), Z(3.00000), IJK(0.800000, -0.600000, 0.000000))");
}

TEST(IppMotion, WhatIsNeverSaid) {
  const CmmSettings s = moving_cell();
  const auto refused = [&](const CmmSettings& c, const Xyz& to) {
    return refusal([&] { check_move(c, {1, 2, 3}, to); });
  };
  EXPECT_EQ(refused(s, {4, 6, 3}), "");
  EXPECT_THAT(refused(testing::ipp_cell(), {4, 6, 3}), StartsWith("probe motion: not allowed"));
  EXPECT_EQ(refused(s, {4, 6, 100.001}),
            "probe motion: target Z = 100.0010 mm is outside the box of motion, 0 to 100 mm");
  EXPECT_EQ(refusal([&] {
              check_move(s, {-0.1, 0, 0}, {1, 1, 1});
            }),
            "probe motion: start X = -0.1000 mm is outside the box of motion, 0 to 100 mm");
  EXPECT_EQ(refused(s, {std::numeric_limits<double>::quiet_NaN(), 0, 0}),
            "probe motion: a target that is no number");
  EXPECT_THAT(refused(s, {99, 99, 99}), HasSubstr("mm at once; allowed: 100 mm"));
  CmmSettings limited = s;
  limited.axes[1].max_mm = 5;
  EXPECT_EQ(refused(limited, {4, 6, 3}),
            "probe motion: target Y = 6.0000 mm is outside its axis, -1000000 to 5 mm");
}

// A hole of tip radius 4 mm about (10, 20); the probe stands in its middle, 1 mm below the surface.
struct Moving : IppRig {
  std::vector<std::string> ends;

  explicit Moving(const CmmSettings& s = moving_cell()) : IppRig(s) {
    if (reader.mover())
      reader.mover()->on_moved([this](const std::string& why, MonotonicNs) { ends.push_back(why); });
    until_good();
    order("hole 10 20 4 31");
  }
  void go(const Xyz& to, bool until_contact = false, int ms = 5000) {
    reader.mover()->move(to, until_contact, now);
    pass(ms);
  }
  Xyz tip() { return server.machine.tip_mm(now); }
};

TEST(IppMotion, GoesThereAndReadsItBack) {
  Moving rig;
  rig.go({12, 20, 30});
  EXPECT_THAT(rig.ends, ElementsAre(""));
  EXPECT_THAT(rig.tip(), ElementsAre(12, 20, 30));
  EXPECT_EQ(rig.reader.latest(rig.now).position_mm, (Xyz{12, 20, 30}));
  EXPECT_EQ(rig.server.machine.speed_mm_s, 20);
  EXPECT_FALSE(rig.reader.moving());
}

TEST(IppMotion, TouchesTheWallAndTellsOfItAsATouch) {
  Moving rig;
  rig.go({15, 20, 30}, true);
  EXPECT_THAT(rig.ends, ElementsAre(""));
  ASSERT_EQ(rig.touches.size(), 1u);
  EXPECT_EQ(rig.touches[0].state, ProbeState::ok) << rig.touches[0].detail;
  EXPECT_NEAR(rig.touches[0].position_mm[0], 14, 1e-5);  // five decimals on the wire
  EXPECT_EQ(rig.server.machine.speed_mm_s, 2);
  rig.go({10, 20, 30});
  EXPECT_THAT(rig.ends, ElementsAre("", ""));
}

TEST(IppMotion, ADoubtEndsIt) {
  Moving missing;
  missing.go({13, 20, 30}, true);
  ASSERT_EQ(missing.ends.size(), 1u);
  EXPECT_THAT(missing.ends[0], HasSubstr("Surface not found"));
  EXPECT_THAT(missing.touches, IsEmpty());
  Moving crash;
  crash.go({16, 20, 30});
  EXPECT_THAT(crash.ends, ElementsAre(HasSubstr("Unexpected touch")));
  EXPECT_THAT(crash.tip(), ElementsAre(10, 20, 30));
  Moving elsewhere;
  elsewhere.order("overshoot 0.2");
  elsewhere.go({12, 20, 30});
  EXPECT_THAT(elsewhere.ends, ElementsAre("it ended 200 um from its target; allowed: 100 um"));
  Moving changed;
  changed.order("silent-tool Probe2");
  changed.go({12, 20, 30});
  ASSERT_EQ(changed.ends.size(), 1u);
  EXPECT_THAT(changed.ends[0], HasSubstr("no good position to start from")) << "nobody told, it was read";
  EXPECT_THAT(changed.server.machine.moving(changed.now), false);
}

TEST(IppMotion, AMoveThatLastsTooLongStopsTheMachine) {
  CmmSettings s = moving_cell();
  s.ipp.motion->timeout_ms = 1000;
  s.ipp.motion->speed_mm_s = 1;
  Moving rig(s);
  rig.go({10, 20, 60}, false, 3000);
  ASSERT_EQ(rig.ends.size(), 1u);
  EXPECT_THAT(rig.ends[0], StartsWith("the move took longer than 1000 ms; "));
  EXPECT_FALSE(rig.server.machine.moving(rig.now));
  EXPECT_NEAR(rig.tip()[2], 31, 0.01) << "1 mm in a second";
  EXPECT_GE(rig.until_good(), 0) << "and the session mends itself";
  rig.go({10, 20, 31.5});
  EXPECT_EQ(rig.ends.back(), "");
}

TEST(IppMotion, AnOperatorStopsIt) {
  Moving rig;
  rig.go({10, 20, 90}, false, 1000);
  EXPECT_TRUE(rig.server.machine.moving(rig.now));
  rig.reader.mover()->stop("aborted", rig.now);
  rig.pass(500);
  EXPECT_FALSE(rig.server.machine.moving(rig.now));
  ASSERT_EQ(rig.ends.size(), 1u);
  EXPECT_THAT(rig.ends[0], StartsWith("aborted; "));
  rig.reader.mover()->stop("again", rig.now);
  EXPECT_EQ(rig.ends.size(), 1u);
}

TEST(IppMotion, ASessionThatIsLostTakesTheMoveWithIt) {
  Moving reset;
  reset.go({10, 20, 90}, false, 1000);
  reset.order("leave");
  reset.pass(500);
  ASSERT_EQ(reset.ends.size(), 1u);
  EXPECT_THAT(reset.ends[0], HasSubstr("reset by peer"));
  // The controller says nothing any more: it is told to stop all the same, in the hope that it hears.
  CmmSettings slow = moving_cell();
  slow.ipp.motion->speed_mm_s = 2;  // under way for 30 s, longer than the client waits
  Moving mute(slow);
  mute.go({10, 20, 90}, false, 1000);
  mute.server.fault = VirtualIppFault::drop;  // its answers' data are lost: no status, no position
  mute.pass(100);
  mute.server.fault = VirtualIppFault::no_end;
  mute.pass(10'000);
  ASSERT_EQ(mute.ends.size(), 1u);
  EXPECT_THAT(mute.ends[0], HasSubstr("no answer for 4000 ms"));
  EXPECT_FALSE(mute.server.machine.moving(mute.now));
  EXPECT_LT(mute.tip()[2], 90) << "AbortE was heard";
}

TEST(IppMotion, IsRefusedWhereItIsNotAllowedOrNotReady) {
  Moving forbidden(testing::ipp_cell());
  EXPECT_EQ(forbidden.reader.mover(), nullptr);
  EXPECT_THAT(refusal([&] {
                forbidden.reader.move({10, 20, 30}, false, forbidden.now);
              }),
              StartsWith("probe motion: not allowed"));
  Moving rig;
  rig.reader.mover()->move({12, 20, 30}, false, rig.now);
  EXPECT_EQ(refusal([&] {
              rig.reader.mover()->move({11, 20, 30}, false, rig.now);
            }),
            "probe motion: a move is in progress");
  rig.pass(3000);
  EXPECT_THAT(refusal([&] { rig.go({10, 20, 101}); }), HasSubstr("outside the box of motion"));
  rig.order("unhome");
  rig.pass(1000);
  EXPECT_THAT(refusal([&] { rig.go({10, 20, 30}); }), HasSubstr("homed"));
  EXPECT_THAT(rig.tip(), ElementsAre(12, 20, 30));
}

// Whatever the machine's offset is at, the way out of the hole is free once the tip is above it.
TEST(VirtualIppHole, KeepsTheTipWithinItsCircle) {
  VirtualIppMachine machine;
  machine.place({10, 20, 30});
  machine.hole = VirtualIppMachine::Hole{10, 20, 4, 31};
  const auto wall = machine.wall_before({20, 20, 30}, 0);
  ASSERT_TRUE(wall);
  EXPECT_DOUBLE_EQ((*wall)[0], 14);
  EXPECT_FALSE(machine.wall_before({13, 20, 30}, 0));
  EXPECT_FALSE(machine.wall_before({10, 20, 60}, 0));
  machine.place({10, 20, 31});
  EXPECT_FALSE(machine.wall_before({20, 20, 31}, 0));
}

}  // namespace
}  // namespace datum
