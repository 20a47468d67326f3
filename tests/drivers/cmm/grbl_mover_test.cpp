// GRBL's mover against a virtual machine: each move checked before, read back behind, and what stops it.
#include "drivers/cmm/grbl_mover.h"

#include <gmock/gmock.h>

#include "drivers/cmm/codec.h"
#include "drivers/cmm/presets.h"
#include "tests/refusal.h"
#include "tests/virtual_cell/virtual_grbl.h"

namespace datum::grbl_mover_test {
namespace {

using ::testing::HasSubstr;

constexpr MonotonicNs ms = 1'000'000;

/// A bore of radius 5 at (40, 30) in a plate at z = 20; the tip's radius is 1.5.
struct Rig {
  CmmSettings settings = with_motion();
  VirtualGrbl machine{{{20, {{40, 30, 5}}}, 1.5, {40, 30, 60}}};
  CmmCodec codec{settings};
  std::string sent;
  std::vector<std::string> notes;
  std::optional<std::string> moved;
  MonotonicNs now = 1000 * ms;
  bool silent = false;  // the machine's answers are lost
  GrblMover mover{settings,
                  {[this](std::string_view bytes) { send(bytes); }, [](MonotonicNs) {},
                   [this](const std::string& text) { notes.push_back(text); }}};

  Rig() {
    mover.on_moved([this](const std::string& why, MonotonicNs) { moved = why; });
    mover.opened();
    hear("$13=0\r\nok\r\n");
    poll();
  }
  static CmmSettings with_motion() {
    CmmSettings s = grbl_1_1();
    s.grbl_motion = ProbeMotionSettings{50, 5, {0, 0, 0}, {100, 100, 100}};
    return s;
  }
  static ProbeRoom room() { return {{40, 30, 20}, {0, 0, 1}, 3, 4, 1.5, 1.5, 1.5}; }
  void send(std::string_view bytes) {
    sent += bytes;
    if (bytes == "!" || bytes == "\x18") return hear(machine.receive_byte(bytes[0], now));
    if (const auto answer = machine.receive_line(std::string(bytes.substr(0, bytes.size() - 1)), now))
      hear(*answer);
  }
  void hear(const std::string& bytes) {
    if (silent) return;
    std::string line;
    for (const char byte : bytes) {
      if (byte != '\n' && byte != '\r') {
        line += byte;
        continue;
      }
      if (!line.empty()) mover.heard(std::exchange(line, ""), now);
    }
    codec.receive(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), now);
    while (const auto sample = codec.next()) mover.position(*sample, now);
  }
  void poll() {
    now += ms;
    codec.begin_round(now);
    const auto at = machine.at_mm(now);
    hear(fmt_report(at));
  }
  std::string fmt_report(const std::array<double, 3>& at) const {
    char text[120];
    std::snprintf(text, sizeof text, "<%s|MPos:%.3f,%.3f,%.3f|FS:0,0|WCO:0.000,0.000,0.000>\r\n",
                  machine.state(now).c_str(), at[0], at[1], at[2]);
    return text;
  }
  /// In steps of 100 ms until the move has ended.
  std::string run(const ProbeWay& way) {
    moved.reset();
    mover.move(way, now);
    for (int step = 0; step < 20'000 && !moved; ++step) {
      now += 100 * ms;
      if (!silent) hear(machine.advance(now));
      mover.on_deadline(now);
      poll();
    }
    return moved.value_or("it never ended");
  }
};

TEST(GrblMover, EntersTouchesAndComesBack) {
  Rig rig;
  EXPECT_EQ(rig.run({{40, 30, 19}, false, Rig::room()}), "");
  EXPECT_THAT(rig.sent, HasSubstr("G38.3 Z-41.000 F3000")) << "also a free way stops at a contact";
  EXPECT_EQ(rig.run({{43.8, 30, 19}, true, Rig::room()}), "");
  EXPECT_NEAR(rig.machine.at_mm(rig.now)[0], 43.5, 0.001);
  EXPECT_EQ(rig.run({{40, 30, 19}, false, Rig::room()}), "");
  EXPECT_THAT(rig.sent, HasSubstr("G1 X-3.50")) << "away from the contact";
  EXPECT_THAT(rig.sent, HasSubstr(" F300\nG4 P0.01\n")) << "and to its end";
  EXPECT_EQ(rig.run({{40, 30, 60}, false, Rig::room()}), "");
}

TEST(GrblMover, AContactOnAFreeWayAndAWayIntoNothingAreFaults) {
  Rig rig;
  rig.machine.place({40, 30, 30});
  ProbeRoom wrong = Rig::room();  // of a hole that is not there
  wrong.surface_mm = {60, 30, 20};
  EXPECT_EQ(rig.run({{60, 30, 30}, false, wrong}), "");
  EXPECT_THAT(rig.run({{60, 30, 19}, false, wrong}),
              HasSubstr("a contact on a free way, at 60.000 30.000 21.4"));
  Rig other;
  ProbeRoom wide = Rig::room();
  wide.surface_mm[2] = 60;
  other.machine.place({40, 30, 59});
  EXPECT_THAT(other.run({{43.8, 30, 59}, true, wide}), HasSubstr("nothing was touched up to 43.800"));
}

TEST(GrblMover, WhatIsNotFreeIsNotSent) {
  Rig rig;
  EXPECT_THAT(testing::refusal_of<RefusedError>([&] {
                rig.mover.move({{99, 30, 50}, false, Rig::room()}, rig.now);
              }),
              HasSubstr("outside the box of motion"));
  EXPECT_THAT(rig.run({{50, 30, 19}, false, Rig::room()}), HasSubstr("the tip is not surely free"));
  EXPECT_EQ(rig.run({{40, 30, 19}, false, Rig::room()}), "");
  const std::string before = rig.sent;
  EXPECT_THAT(rig.run({{45, 30, 19}, true, Rig::room()}), HasSubstr("its wall is expected within 4.000 mm"));
  EXPECT_EQ(rig.sent, before);
}

TEST(GrblMover, AnAlarmAResetALossAndARefusalEndTheMove) {
  Rig rig;
  rig.mover.move({{40, 30, 19}, false, Rig::room()}, rig.now);
  rig.poll();
  rig.hear(rig.machine.order("alarm", rig.now += 100 * ms));
  EXPECT_THAT(rig.moved.value_or(""), HasSubstr("ALARM:1 was raised"));
  Rig reset;
  reset.mover.move({{40, 30, 19}, false, Rig::room()}, reset.now);
  reset.poll();
  reset.hear("\r\nGrbl 1.1h ['$' for help]\r\n");
  EXPECT_EQ(reset.moved.value_or(""), "the controller was reset");
  Rig lost;
  lost.mover.move({{40, 30, 19}, false, Rig::room()}, lost.now);
  lost.poll();
  lost.mover.lost("unplugged", lost.now);
  EXPECT_EQ(lost.moved.value_or(""), "the link was lost: unplugged");
  EXPECT_THAT(testing::refusal_of<RefusedError>([&] {
                lost.mover.move({{40, 30, 50}, false, Rig::room()}, lost.now);
              }),
              HasSubstr("has not reported its state yet"));
  Rig refused;
  refused.mover.reader_sent(1);
  refused.mover.move({{40, 30, 19}, false, Rig::room()}, refused.now);
  refused.poll();
  refused.hear("ok\r\n");
  EXPECT_FALSE(refused.moved) << "that was of the reader's own line";
  refused.hear("error:9\r\n");
  EXPECT_THAT(refused.moved.value_or(""), HasSubstr("does not take the move: error:9"));
}

// Too late: held, then reset where it stands; a machine that answers nothing is reset all the same.
TEST(GrblMover, AStopIsAHoldThenAReset) {
  Rig rig;
  rig.machine.order("late 120000", rig.now);
  EXPECT_THAT(rig.run({{40, 30, 19}, false, Rig::room()}), HasSubstr("it lasts longer than 60000 ms"));
  EXPECT_EQ(rig.sent.substr(rig.sent.size() - 2), "!\x18");
  Rig deaf;
  deaf.mover.move({{40, 30, 19}, false, Rig::room()}, deaf.now);
  deaf.poll();
  deaf.silent = true;
  deaf.mover.stop("aborted", deaf.now);
  deaf.mover.on_deadline(deaf.now += 3000 * ms);
  EXPECT_EQ(deaf.sent.substr(deaf.sent.size() - 2), "!\x18");
  EXPECT_FALSE(deaf.moved);
  deaf.mover.on_deadline(deaf.now += 3000 * ms);
  EXPECT_THAT(deaf.moved.value_or(""), HasSubstr("aborted; the controller does not answer the stop"));
}

TEST(GrblMover, WhatAnEarlierProcessLeftMovingIsStopped) {
  Rig rig;
  rig.machine.receive_line("G21 G91 G94 G38.3 Z-20.000 F60", rig.now);
  rig.mover.lost("killed", rig.now);
  rig.mover.opened();
  const std::string before = rig.sent;
  rig.poll();
  EXPECT_EQ(rig.sent, before + "!");
  rig.poll();
  EXPECT_EQ(rig.sent, before + "!\x18");
  EXPECT_FALSE(rig.mover.moving());
}

}  // namespace
}  // namespace datum::grbl_mover_test
