// Motion over I++ DME: commands to the controller, refusals before them, and stops, with the virtual server
// in injected time.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "tests/drivers/ipp/ipp_moving.h"

namespace datum {
namespace {

using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IppRig;
using ::testing::IsEmpty;
using testing::moving_cell;
using ::testing::Not;
using testing::refusal;
using ::testing::StartsWith;
using testing::to;
using testing::Xyz;

// The probe is at the centre of the bore, 1 mm below the surface.
struct Moving : IppRig {
  std::vector<std::string> ends;

  explicit Moving(const CmmSettings& s = moving_cell(), const std::string& before = "") : IppRig(s) {
    if (reader.mover())
      reader.mover()->on_moved([this](const std::string& why, MonotonicNs) { ends.push_back(why); });
    if (!before.empty()) order(before);
    until_good();
    order("hole 10 20 4 31");
  }
  void go(const Xyz& target, bool until_contact = false, int ms = 5000) {
    reader.mover()->move(to(target, until_contact), now);
    pass(ms);
  }
  Xyz tip() { return server.machine.tip_mm(now); }
  double set(const std::string& parameter) { return server.machine.parameters.at(parameter).act; }
};

TEST(IppMotion, GoesThereAndReadsItBack) {
  Moving rig;
  rig.go({12, 20, 30});
  EXPECT_THAT(rig.ends, ElementsAre(""));
  EXPECT_THAT(rig.tip(), ElementsAre(12, 20, 30));
  EXPECT_EQ(rig.reader.latest(rig.now).position_mm, (Xyz{12, 20, 30}));
  EXPECT_EQ(rig.set("Tool.GoToPar.Speed"), 20);
  EXPECT_FALSE(rig.reader.moving());
}

TEST(IppMotion, TouchesTheWallAndTellsOfItAsATouch) {
  Moving rig;
  rig.go({15, 20, 30}, true);
  EXPECT_THAT(rig.ends, ElementsAre(""));
  ASSERT_EQ(rig.touches.size(), 1u);
  EXPECT_EQ(rig.touches[0].state, ProbeState::ok) << rig.touches[0].detail;
  EXPECT_NEAR(rig.touches[0].position_mm[0], 14, 1e-5);  // the protocol has five decimals
  EXPECT_EQ(rig.set("Tool.PtMeasPar.Speed"), 2);
  EXPECT_EQ(rig.set("Tool.PtMeasPar.Retract"), 3.5) << "not the 10 mm that the server stood at";
  EXPECT_NEAR(rig.tip()[0], 10.5, 1e-5);
  rig.go({10, 20, 30});
  EXPECT_THAT(rig.ends, ElementsAre("", ""));
}

TEST(IppMotion, ADoubtEndsIt) {
  Moving missing;
  missing.order("hole 10 20 9 31");  // wider than any touch searches
  missing.go({14.5, 20, 30}, true);
  ASSERT_EQ(missing.ends.size(), 1u);
  EXPECT_THAT(missing.ends[0], HasSubstr("Surface not found"));
  EXPECT_THAT(missing.touches, IsEmpty());
  Moving crash;
  crash.order("hole 10 20 1 31");  // narrower than any scan
  crash.go({12, 20, 30});
  EXPECT_THAT(crash.ends, ElementsAre(HasSubstr("Unexpected touch")));
  EXPECT_THAT(crash.tip(), ElementsAre(DoubleNear(11, 1e-6), 20, 30));
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
  // The controller is silent: the stop is sent nevertheless, in case it is received.
  CmmSettings slow = moving_cell();
  slow.ipp.motion->speed_mm_s = 2;  // 30 s of motion, longer than the client's timeout
  Moving mute(slow);
  mute.go({10, 20, 90}, false, 1000);
  mute.server.fault = VirtualIppFault::drop;  // its data lines are lost: no status, no position
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
                forbidden.reader.move(to({10, 20, 30}), forbidden.now);
              }),
              StartsWith("probe motion: not allowed"));
  Moving rig;
  rig.reader.mover()->move(to({12, 20, 30}), rig.now);
  EXPECT_EQ(refusal([&] {
              rig.reader.mover()->move(to({11, 20, 30}), rig.now);
            }),
            "probe motion: a move is in progress");
  rig.pass(3000);
  EXPECT_THAT(refusal([&] { rig.go({10, 20, 101}); }), HasSubstr("outside the box of motion"));
  rig.order("unhome");
  rig.pass(1000);
  EXPECT_THAT(refusal([&] { rig.go({10, 20, 30}); }), HasSubstr("homed"));
  EXPECT_THAT(rig.tip(), ElementsAre(12, 20, 30));
}

/// Output of the reader from now on.
struct Heard : Moving {
  std::vector<std::string> said;
  explicit Heard(const CmmSettings& s = moving_cell(), const std::string& before = "") : Moving(s, before) {
    wire->on_line = [this](const std::string& line) { said.push_back(line.substr(6)); };
  }
};

TEST(IppMotion, SetsAndReadsBackAllThatATouchNeeds) {
  Heard rig;
  rig.go({15, 20, 30}, true);
  EXPECT_THAT(rig.ends, ElementsAre(""));
  for (const char* name : {"Tool.GoToPar.Speed", "Tool.PtMeasPar.Speed", "Tool.PtMeasPar.Approach",
                           "Tool.PtMeasPar.Search", "Tool.PtMeasPar.Retract"}) {
    const std::string property = name;
    for (const std::string limit : {".Min", ".Max"})
      EXPECT_THAT(rig.said, Contains("GetProp(" + property + limit + "())"));
    const auto set = std::find_if(rig.said.begin(), rig.said.end(), [&](const std::string& line) {
      return line.rfind("SetProp(" + property + "(", 0) == 0;
    });
    ASSERT_NE(set, rig.said.end()) << property;
    EXPECT_EQ(*(set + 1), "GetProp(" + property + "())");
  }
  const auto touch = std::find_if(rig.said.begin(), rig.said.end(),
                                  [](const std::string& line) { return line.rfind("PtMeas(", 0) == 0; });
  EXPECT_EQ(*(touch - 1), "GetProp(Part.Retract())") << "the last look at what somebody may have changed";
}

TEST(IppMotion, AMachineThatDoesNotTakeAPropertyIsNotTouchedWith) {
  Heard rig(moving_cell(), "set Tool.PtMeasPar.Retract unknown");
  rig.go({15, 20, 30}, true);
  ASSERT_EQ(rig.ends.size(), 1u);
  EXPECT_THAT(rig.ends[0], HasSubstr("the machine does not take SetProp(Tool.PtMeasPar.Retract("));
  EXPECT_THAT(rig.said, Not(Contains(StartsWith("PtMeas("))));
  EXPECT_THAT(rig.tip(), ElementsAre(10, 20, 30));
}

// The server refuses Search(0) with 0504, its limit is 1. The value read back is used.
TEST(IppMotion, WhatTheMachineStandsAtIsReckonedWith) {
  Heard far(moving_cell(), "set Tool.PtMeasPar.Retract 9 9 100");
  far.go({15, 20, 30}, true);
  ASSERT_EQ(far.ends.size(), 1u);
  EXPECT_THAT(far.ends[0], HasSubstr("leads to the other side of the bore"));
  EXPECT_THAT(far.said, Not(Contains(StartsWith("PtMeas("))));
  Heard part(moving_cell(), "set Part.Approach 1.5");
  part.go({15, 20, 30}, true);
  EXPECT_THAT(part.ends, ElementsAre(""));
  EXPECT_NEAR(part.set("Tool.PtMeasPar.Approach"), 3, 1e-9) << "5 less 1.5 less the radius";
  Heard radius(moving_cell(), "set Tool.Radius 8");
  radius.go({15, 20, 30}, true);
  EXPECT_THAT(radius.ends, ElementsAre(HasSubstr("the machine backs away by 4.500 mm before the touch")));
}

TEST(IppMotion, WhatAMachineDoesNotTellIsClearedAndForgotten) {
  Heard rig(moving_cell(), "set Part.Search unknown");
  rig.go({15, 20, 30}, true, 10'000);
  EXPECT_THAT(rig.ends, ElementsAre(""));
  const auto asked = std::find(rig.said.begin(), rig.said.end(), "GetProp(Part.Search())");
  ASSERT_NE(asked, rig.said.end());
  EXPECT_EQ(*(asked + 1), "ClearAllErrors()");
  rig.said.clear();
  rig.go({10, 20, 30});
  rig.go({15, 20, 30}, true);
  EXPECT_THAT(rig.ends, ElementsAre("", "", ""));
  EXPECT_THAT(rig.said, Not(Contains("GetProp(Part.Search())")));
  EXPECT_THAT(rig.said, Contains("GetProp(Part.Approach())"));
}

TEST(IppMotion, AfterAbortEErrorsAreClearedFirst) {
  Heard rig;
  rig.go({10, 20, 90}, false, 1000);
  rig.said.clear();
  rig.reader.mover()->stop("aborted", rig.now);
  rig.pass(500);
  ASSERT_GE(rig.said.size(), 3u);
  const auto abort = std::find(rig.said.begin(), rig.said.end(), "AbortE()");
  ASSERT_NE(abort, rig.said.end());
  EXPECT_EQ(*(abort + 1), "ClearAllErrors()");
  EXPECT_GE(rig.until_good(), 0);
}

// The first line of a session: an earlier daemon may have been killed during motion.
TEST(IppMotion, ASessionBeginsWithAbortE) {
  Heard rig;
  rig.go({10, 20, 90}, false, 1000);
  rig.order("reset");
  rig.said.clear();
  rig.pass(2000);
  ASSERT_GE(rig.said.size(), 4u);
  EXPECT_THAT(std::vector<std::string>(rig.said.begin(), rig.said.begin() + 4),
              ElementsAre("AbortE()", "ClearAllErrors()", "EndSession()", "StartSession()"));
  EXPECT_FALSE(rig.server.machine.moving(rig.now));
  EXPECT_LT(rig.tip()[2], 80);
  Heard read_only(testing::ipp_cell());
  read_only.order("reset");
  read_only.said.clear();
  read_only.pass(2000);
  EXPECT_THAT(read_only.said, Not(Contains("AbortE()"))) << "nothing that moves is this cell's";
}

TEST(IppMotion, ClosingStopsTheMachineAndEndsTheSession) {
  Heard rig;
  rig.go({10, 20, 90}, false, 1000);
  rig.said.clear();
  rig.reader.close(rig.now);
  rig.pass(500);
  EXPECT_TRUE(rig.reader.closed());
  EXPECT_FALSE(rig.server.machine.moving(rig.now));
  std::erase(rig.said, "GetErrStatusE()");
  EXPECT_THAT(rig.said, ElementsAre("AbortE()", "ClearAllErrors()", "EndSession()"));
  EXPECT_THAT(rig.ends, ElementsAre(StartsWith("datumd ends")));
  EXPECT_THAT(refusal([&] { rig.go({10, 20, 30}); }), HasSubstr("datumd ends"));
  rig.pass(60'000);
  EXPECT_TRUE(rig.reader.closed()) << "nothing is opened again";
  Heard still;
  still.said.clear();
  still.reader.close(still.now);
  still.pass(500);
  EXPECT_TRUE(still.reader.closed());
  EXPECT_EQ(still.said.back(), "EndSession()");
}

// An error with an unknown tag: a controller with inconsistent tags must not move.
TEST(IppMotion, AnErrorUnderAnUnknownTagStopsTheMachine) {
  Heard rig;
  rig.go({10, 20, 90}, false, 1000);
  ASSERT_TRUE(rig.server.machine.moving(rig.now));
  rig.wire->queued += "77777 ! Error(3, 1000, \"Machine\", \"Drive fault\")\r\n";
  rig.pass(500);
  EXPECT_FALSE(rig.server.machine.moving(rig.now));
  ASSERT_EQ(rig.ends.size(), 1u);
  EXPECT_THAT(rig.ends[0], HasSubstr("Drive fault"));
  Moving still;
  still.samples.clear();
  still.wire->queued += "77777 ! Error(9, 0503, \"Machine\", \"Controller gone\")\r\n";
  still.pass(100);
  EXPECT_THAT(still.reader.describe(), HasSubstr("FAULT"));
}

// datumd(8), MOTION: commands to a machine, one by one.
TEST(IppMotion, TheManualNamesEachCommandThatIsSent) {
  std::ifstream in(DATUM_SOURCE_DIR "/systemd/datumd.8.in");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  const auto begin = page.find(".SH MOTION");
  ASSERT_NE(begin, std::string::npos);
  const std::string motion = page.substr(begin, page.find(".SH ", begin + 1) - begin);
  CmmSettings s = moving_cell();
  s.ipp.move_report_s = 0.5;
  s.pairing.latency_ms = 100;
  s.ipp.coordinate_system = "PartCsy";
  s.ipp.transformation = {0, 0, 0, 0, 0, 0};
  IppRig rig(s);
  std::set<std::string> said;
  rig.wire->on_line = [&](const std::string& line) {
    const auto open = line.find('(');
    std::string command = line.substr(6, open - 6);
    // A property by its name, a limit by its end.
    if (command == "SetProp" || command == "GetProp") {
      const std::string property = line.substr(open + 1, line.find('(', open + 1) - open - 1);
      said.insert(property.ends_with(".Min") || property.ends_with(".Max")
                      ? property.substr(0, property.size() - 4)
                      : property + "(");
      command += property.ends_with(".Max")   ? "(\\fIP\\fP.Max("
                 : property.ends_with(".Min") ? "(\\fIP\\fP.Min("
                                              : "(";
      said.insert(command);
      return;
    }
    said.insert(command + "(");
  };
  rig.order("csy PartCsy");
  rig.order("reset");
  ASSERT_GE(rig.until_good(), 0);
  rig.order("hole 10 20 4 31");
  for (const bool contact : {true, false}) {
    rig.reader.mover()->move(to({contact ? 15.0 : 10.0, 20, 30}, contact), rig.now);
    rig.pass(5000);
  }
  rig.order("error 2 1000");
  rig.pass(2000);
  rig.reader.close(rig.now);
  rig.pass(1000);
  EXPECT_GE(said.size(), 25u);
  for (const std::string& command : said) EXPECT_THAT(motion, HasSubstr(command));
}

// For any offset of the machine, the path out of the hole is free once the tip is above it.
TEST(VirtualIppHole, KeepsTheTipWithinItsCircle) {
  VirtualIppMachine machine;
  machine.holes = {{10, 20, 4, 31}};
  const auto wall = machine.wall_between({10, 20, 30}, {20, 20, 30});
  ASSERT_TRUE(wall);
  EXPECT_DOUBLE_EQ((*wall)[0], 14);
  EXPECT_FALSE(machine.wall_between({10, 20, 30}, {13, 20, 30}));
  EXPECT_FALSE(machine.wall_between({10, 20, 30}, {10, 20, 60}));
  EXPECT_FALSE(machine.wall_between({10, 20, 31}, {20, 20, 31}));
}

}  // namespace
}  // namespace datum
