// Every fault of a controller, applied to one board: the pairing is refused for the right reason, or the
// position is true, and the reader recovers without a restart. Prints the recovery times.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "drivers/cmm/stare_session.h"
#include "tests/drivers/ipp/ipp_wire.h"

namespace datum {
namespace {

using ::testing::HasSubstr;
using testing::ipp_cell;
using testing::IppRig;

struct Trouble {
  const char* name;
  std::vector<std::string> orders;  // events at the machine
  PairFault fault;                  // of the board's pairing
  const char* why;                  // part of its detail
  std::vector<std::string> mended;  // the repair
  int recovery_ms;                  // upper limit from then on
};

// Limits: a repair is detected by the next poll, within 200 ms, and the poll after that is the first with
// good contexts on both sides. An unanswered transaction closes the link 4000 ms after it was sent, at most
// 200 ms after the fault began; it is reopened 250 ms later. A FAULT ends with the next watchdog, 2000 ms,
// and the poll after it. 20 ms: the step of the test's clock.
constexpr int polls_ms = 420, reopen_ms = 4200 + 250 + 20, fault_ms = 2220;

const Trouble troubles[] = {
    {"silent", {"fault stall"}, PairFault::stale, "no answer to", {"fault none"}, reopen_ms},
    {"data dropped", {"fault drop"}, PairFault::error, "0 data lines", {"fault none"}, polls_ms},
    {"corrupt",
     {"fault corrupt"},
     PairFault::error,
     "a character outside 32 to 126",
     {"fault none"},
     polls_ms},
    {"reordered", {"fault reorder"}, PairFault::error, "0 data lines", {"fault none"}, polls_ms},
    {"lines cut", {"fault cut"}, PairFault::stale, "no answer to", {"fault none"}, reopen_ms},
    {"no end", {"fault no-end"}, PairFault::stale, "no answer to", {"fault none"}, reopen_ms},
    {"babble", {"fault babble"}, PairFault::error, "MALFORMED", {"fault none"}, polls_ms},
    {"reset", {"reset"}, PairFault::none, "", {}, polls_ms},  // restored before the position is due
    {"gone", {"leave"}, PairFault::error, "LINK_DOWN wire: nobody there", {"return"}, 1000 + polls_ms},
    {"other tool", {"tool Probe2"}, PairFault::error, "tool 'Probe2' is active", {"tool Probe1"}, polls_ms},
    {"other tool, silently",
     {"silent-tool Probe2"},
     PairFault::error,
     "tool 'Probe2' is active",
     {"silent-tool Probe1"},
     polls_ms},
    {"other coordinate system",
     {"csy MachineCsy"},
     PairFault::error,
     "coordinate system MachineCsy is active",
     {"csy PartCsy"},
     polls_ms},
    {"other transformation",
     {"transform 1 2 3 0 0 90.001"},
     PairFault::error,
     "phi 90.001 deg; the cell demands",
     {"transform 1 2 3 0 0 90"},
     polls_ms},
    {"mirrored about x",  // no left-handed system in I++ DME: theta = 180 inverts y and z
     {"transform 1 2 3 180 0 90"},
     PairFault::error,
     "theta 180",
     {"transform 1 2 3 0 0 90"},
     polls_ms},
    {"position lost", {"unhome"}, PairFault::error, "not homed", {"home"}, polls_ms},
    {"inches", {"inches"}, PairFault::error, "X = -0.70", {"mm"}, polls_ms},
    {"error, cleared by us", {"error 2 1001"}, PairFault::none, "", {}, polls_ms},
    {"emergency stop",
     {"hold-error 3 500"},
     PairFault::error,
     "the error status stays set",
     {"mend"},
     fault_ms},
    {"fatal", {"hold-error 9 503"}, PairFault::error, "controller communication failed", {"mend"}, fault_ms},
    {"warning", {"error 1 504"}, PairFault::none, "", {}, polls_ms},
    {"information and a key", {"error 0 1", "key F1"}, PairFault::none, "", {}, polls_ms},
};

/// Part coordinates (18, -9, 27) for machine (10, 20, 30): x' = -(y - 2), y' = x - 1, z' = z - 3.
CmmSettings part_cell() {
  CmmSettings settings = ipp_cell();
  settings.ipp.coordinate_system = "PartCsy";
  settings.ipp.transformation = {{1, 2, 3, 0, 0, 90}};
  // The working range, which distinguishes inches from mm.
  settings.axes[0].min_mm = -100;
  settings.axes[0].max_mm = -10;
  return settings;
}

class IppTrouble : public ::testing::TestWithParam<Trouble> {
 protected:
  IppTrouble() : rig(part_cell()) {
    rig.server.machine.systems["PartCsy"] = {1, 2, 3, 0, 0, 90};
    rig.server.machine.coordinate_system = "PartCsy";
  }
  void obey(const std::vector<std::string>& orders) {
    for (const std::string& order : orders) order == "wait" ? rig.pass(400) : rig.order(order);
  }
  IppRig rig;
};

TEST_P(IppTrouble, IsNoPositionOrATrueOneAndEnds) {
  const Trouble& t = GetParam();
  ASSERT_GE(rig.until_good(), 0);
  StareSession stare(part_cell().pairing);
  rig.reader.on_sample([&](const ProbePoint& p, MonotonicNs now) {
    rig.samples.push_back(p);
    if (p.state == ProbeState::ok) {
      EXPECT_NEAR(p.position_mm[0], -18, 1e-5) << "never a wrong one";
    }
    if (stare.wants_position()) stare.position(p, now);
  });
  stare.start(rig.now);
  rig.reader.poll_soon(rig.now);
  rig.pass(100);
  ASSERT_EQ(stare.step(), StareSession::Step::wait_frame);
  obey(t.orders);
  rig.pass(50);
  stare.frame_arrived(rig.now);
  rig.reader.poll_soon(rig.now);
  while (!stare.finished() && stare.deadline()) {
    rig.pass(10);
    stare.on_deadline(rig.now);
  }
  EXPECT_EQ(stare.result().fault, t.fault) << stare.result().detail;
  EXPECT_THAT(stare.result().detail, HasSubstr(t.why));
  EXPECT_EQ(stare.result().accepted, t.fault == PairFault::none);
  obey(t.mended);
  const int recovered_ms = rig.until_good();
  EXPECT_GE(recovered_ms, 0);
  EXPECT_LE(recovered_ms, t.recovery_ms);
  fmt::print("{:34} {:8} back after {:5} ms\n", t.name, name_of(stare.result().fault), recovered_ms);
}

INSTANTIATE_TEST_SUITE_P(Matrix, IppTrouble, ::testing::ValuesIn(troubles), [](const auto& info) {
  std::string name = info.param.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

// The controller restarts with another tool: the reconnect reads everything again.
TEST_F(IppTrouble, ARestartWithOtherSettingsIsSeen) {
  ASSERT_GE(rig.until_good(), 0);
  rig.wire->reachable = false;
  rig.order("reset");
  rig.pass(20'000);
  EXPECT_EQ(rig.reader.latest(rig.now).state, ProbeState::link_down);
  rig.server.machine.tool = "RefTool";
  rig.wire->reachable = true;
  rig.samples.clear();
  rig.pass(9'000);
  ASSERT_FALSE(rig.samples.empty());
  for (const ProbePoint& p : rig.samples) EXPECT_EQ(p.state, ProbeState::not_referenced);
  rig.order("tool Probe1");
  EXPECT_LE(rig.until_good(), polls_ms);
}

}  // namespace
}  // namespace datum
