// The handshake under every order of events: what a PLC sees.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "daemon/modbus/handshake.h"

namespace datum::modbus {
namespace {

/// A handshake with a cell that accepts every trigger, and events of both.
struct Pair {
  Handshake handshake{100};
  Handshake::Signals plc;
  std::uint64_t board = 0;     // in progress
  std::uint64_t begun = 0;     // number of triggers
  std::uint64_t shown_of = 0;  // board of the last accepted result

  bool cell_ready() const { return board == 0; }
  void write(bool trigger, bool ack, bool reset = false) {
    plc = {trigger, ack, reset};
    if (handshake.plc(plc, cell_ready())) handshake.triggered(board = ++begun);
    handshake.in_work(board);
  }
  void store() {
    const std::uint64_t done = std::exchange(board, 0);
    if (done != 0 && handshake.stored(done)) shown_of = done;
    handshake.in_work(board);
  }
  void abort() {
    board = 0;
    handshake.in_work(0);
  }
  bool ready() const { return handshake.ready(cell_ready()); }
};

TEST(Handshake, GoesAroundInTheOrderOfTheBook) {
  Pair p;
  EXPECT_TRUE(p.ready());
  EXPECT_EQ(p.handshake.id(), 100);
  p.write(true, false);
  EXPECT_TRUE(p.handshake.trigger_ack());
  EXPECT_EQ(p.handshake.id(), 101) << "with the acknowledgement, not after it";
  EXPECT_TRUE(p.handshake.busy());
  EXPECT_FALSE(p.ready());
  p.write(false, false);
  EXPECT_FALSE(p.handshake.trigger_ack());
  EXPECT_TRUE(p.handshake.busy());
  p.store();
  EXPECT_TRUE(p.handshake.results_valid());
  EXPECT_FALSE(p.handshake.busy());
  EXPECT_FALSE(p.ready());
  p.write(false, true);
  EXPECT_FALSE(p.handshake.results_valid());
  EXPECT_FALSE(p.ready());
  p.write(false, false);
  EXPECT_TRUE(p.ready());
  EXPECT_EQ(p.handshake.fault(), Fault::none);
}

TEST(Handshake, HoldsAResultBackUntilTheTriggerHasFallen) {
  Pair p;
  p.write(true, false);
  p.store();
  EXPECT_FALSE(p.handshake.results_valid());
  EXPECT_TRUE(p.handshake.busy());
  EXPECT_TRUE(p.handshake.trigger_ack());
  p.write(false, false);
  EXPECT_TRUE(p.handshake.results_valid());
}

TEST(Handshake, ATriggerAtAnyOtherTimeIsIgnoredAndNamed) {
  Pair p;
  p.write(true, false);
  p.write(false, false);
  p.write(true, false);  // measuring
  EXPECT_EQ(p.begun, 1u);
  EXPECT_EQ(p.handshake.fault(), Fault::trigger_not_ready);
  EXPECT_FALSE(p.handshake.trigger_ack());
  EXPECT_EQ(p.handshake.ignored(), 1u);
  p.store();
  p.write(false, false);
  ASSERT_TRUE(p.handshake.results_valid());
  p.write(true, false);  // shown
  EXPECT_EQ(p.begun, 1u);
  p.write(true, true);
  p.write(true, false);
  EXPECT_FALSE(p.ready()) << "a level that stayed high starts nothing";
  EXPECT_EQ(p.begun, 1u);
  p.write(false, false);
  EXPECT_TRUE(p.ready());
}

TEST(Handshake, AnAcknowledgementThatWasHighBeforeTakesNoResult) {
  Pair p;
  p.write(true, false);
  p.write(false, true);
  EXPECT_EQ(p.handshake.fault(), Fault::ack_without_result);
  p.store();
  EXPECT_TRUE(p.handshake.results_valid());
  p.write(false, true);
  EXPECT_TRUE(p.handshake.results_valid());
  p.write(false, false);
  p.write(false, true);
  EXPECT_FALSE(p.handshake.results_valid());
}

TEST(Handshake, ABoardThatWasAbortedHasNoResultEvenWhenItComesLate) {
  Pair p;
  p.write(true, false);
  p.write(false, false);
  const std::uint64_t first = p.board;
  p.abort();
  EXPECT_EQ(p.handshake.fault(), Fault::board_lost);
  EXPECT_TRUE(p.ready());
  p.write(true, false);
  p.write(false, false);
  EXPECT_EQ(p.handshake.id(), 102);
  EXPECT_EQ(p.handshake.fault(), Fault::none);
  EXPECT_FALSE(p.handshake.stored(first)) << "it was stored in the moment of its abortion";
  EXPECT_FALSE(p.handshake.results_valid());
  p.store();
  EXPECT_TRUE(p.handshake.results_valid());
  EXPECT_EQ(p.shown_of, 2u);
}

TEST(Handshake, ResetClearsWhatIsShownAndLeavesTheBoardToTheFifo) {
  Pair p;
  p.write(true, false);
  p.write(false, false);
  p.write(false, false, true);
  EXPECT_FALSE(p.handshake.busy());
  EXPECT_FALSE(p.ready()) << "the cell still measures";
  p.store();
  EXPECT_FALSE(p.handshake.results_valid());
  EXPECT_TRUE(p.ready());
}

TEST(Handshake, TheIdentityGoesFrom65535To1) {
  Handshake h(65534);
  for (const int id : {65535, 1, 2}) {
    ASSERT_TRUE(h.plc({true, false, false}, true));
    h.triggered(static_cast<std::uint64_t>(id));
    EXPECT_EQ(h.id(), id);
    h.plc({false, false, true}, true);
    h.plc({false, false, false}, true);
  }
}

TEST(Handshake, ARefusedTriggerIsNotAcknowledged) {
  Handshake h(0);
  ASSERT_TRUE(h.plc({true, false, false}, true));
  h.refused(Fault::trigger_refused);
  EXPECT_FALSE(h.trigger_ack());
  EXPECT_FALSE(h.ready(true));
  EXPECT_EQ(h.id(), 0);
  EXPECT_EQ(h.fault(), Fault::trigger_refused);
  h.plc({false, false, false}, true);
  EXPECT_TRUE(h.ready(true));
}

/// Conditions after every event.
void check(const Pair& before, const Pair& p, const std::string& way) {
  const Handshake &h = p.handshake, &was = before.handshake;
  const auto holds = [&](bool is, const char* what) { EXPECT_TRUE(is) << what << ", way " << way; };
  const bool trigger_rose = p.plc.trigger && !before.plc.trigger;
  const bool ack_rose = p.plc.results_ack && !before.plc.results_ack;
  const bool reset_rose = p.plc.reset && !before.plc.reset;
  holds(
      !p.ready() || !(h.busy() || h.results_valid() || h.trigger_ack() || p.plc.trigger || p.plc.results_ack),
      "READY beside anything else");
  holds(!h.trigger_ack() || (p.plc.trigger && !h.results_valid()), "TRIGGER_ACK without TRIGGER");
  holds(!h.results_valid() || (!h.busy() && h.id() == 100 + p.shown_of), "a result under another board's id");
  holds(p.begun == before.begun || (before.ready() && trigger_rose && h.trigger_ack()),
        "a trigger out of turn");
  holds(!h.results_valid() || was.results_valid() || was.busy(), "a result shown a second time");
  holds(h.results_valid() || !was.results_valid() || ack_rose || reset_rose, "a result that nobody took");
  holds(!was.busy() || h.busy() || h.results_valid() || reset_rose || h.fault() == Fault::board_lost,
        "a result that was never shown");
  holds(was.busy() || !was.results_valid() || !h.busy(), "BUSY out of turn");
}

void explore(const Pair& from, int depth, const std::string& way) {
  if (depth == 0 || ::testing::Test::HasFailure()) return;
  for (int event = 0; event < 10; ++event) {
    Pair p = from;
    if (event < 8)
      p.write(event & 1, event & 2, event & 4);
    else
      event == 8 ? p.store() : p.abort();
    const std::string name = way + static_cast<char>('0' + event);
    check(from, p, name);
    explore(p, depth - 1, name);
  }
}

// 10^6 sequences: a whole cycle has five events, so each of its steps is left in each direction and continued.
TEST(Handshake, HoldsItsPromisesInEveryOrderOfSixEvents) { explore(Pair(), 6, ""); }

}  // namespace
}  // namespace datum::modbus
