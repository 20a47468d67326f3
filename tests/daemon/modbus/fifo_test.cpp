// The FIFO of a host: no result is skipped, and a read does not advance it.
#include <gtest/gtest.h>

#include "tests/daemon/modbus/plc_cell.h"

namespace datum::modbus {
namespace {

using testing::OneHost;

/// A cell that measures each frame.
struct OnFrame : OneHost {
  explicit OnFrame(std::uint64_t acknowledged = 0) : OneHost(acknowledged) {
    cell.source = TriggerSource::external;
    ready();
  }
  BoardVerdict measure(Decision decision, int n) {
    cell.source = TriggerSource::bus;
    cell.trigger();  // represents the frame
    cell.source = TriggerSource::external;
    return finish(decision, n);
  }
  std::uint64_t shown() { return get_u64(*image().fifo, in_sequence); }
};

TEST(ResultFifo, GoesOnWithAWriteAlone) {
  OnFrame h;
  for (int n = 1; n <= 3; ++n) h.measure(n == 2 ? Decision::fail : Decision::pass, n);
  for (int reads = 0; reads < 3; ++reads) EXPECT_EQ(h.shown(), 1u);
  EXPECT_EQ(get_u32(h.image().base, at_fifo_count), 3u);
  EXPECT_EQ(h.image().fifo->at(in_decision), 1);
  EXPECT_EQ(h.image().fifo->at(in_result_id), 0) << "this host did not trigger it";
  EXPECT_EQ(h.status(), 0u) << "no bit of the handshake";
  EXPECT_EQ(h.acknowledge(1), Exception::none);
  EXPECT_EQ(h.shown(), 2u);
  EXPECT_EQ(h.image().fifo->at(in_decision), 3);
  EXPECT_EQ(h.acknowledge(1), Exception::none) << "written again";
  EXPECT_EQ(h.shown(), 2u);
  EXPECT_EQ(h.acknowledge(4), Exception::illegal_value);
  EXPECT_EQ(h.shown(), 2u);
  EXPECT_EQ(h.acknowledge(3), Exception::none);
  EXPECT_EQ(h.shown(), 0u);
  EXPECT_EQ(h.image().fifo->at(in_shown), 0);
  EXPECT_EQ(get_u32(h.image().base, at_fifo_count), 0u);
  EXPECT_EQ(h.at(at_status) & status_fifo_waiting, 0);
  h.measure(Decision::invalid, 4);
  EXPECT_EQ(h.shown(), 4u);
  EXPECT_EQ(h.at(at_status) & status_fifo_waiting, status_fifo_waiting);
}

TEST(ResultFifo, ResumeGoesBackToo) {
  OnFrame h;
  for (int n = 1; n <= 3; ++n) h.measure(Decision::pass, n);
  h.acknowledge(3);
  EXPECT_EQ(h.write(at_command, {command_resume, 0, 0, 0, 0, 0, 1}), Exception::none);
  EXPECT_EQ(h.command_result(), 0);
  EXPECT_EQ(h.shown(), 2u);
  EXPECT_EQ(h.write(at_command, {command_none, 0, 0, 0, 0, 0, 9}), Exception::illegal_value);
}

TEST(ResultFifo, GoesOnWhereTheLastRunEnded) {
  OnFrame h(2);
  for (int n = 1; n <= 3; ++n) h.measure(Decision::pass, n);
  EXPECT_EQ(h.shown(), 3u);
  EXPECT_EQ(h.at64(at_fifo_acknowledged), 2u);
}

TEST(ResultFifo, AResultThatWasTakenEarlierDoesNotHideOneThatWasMissed) {
  OneHost h;
  h.ready();
  for (int n = 1; n <= 2; ++n) {
    h.control(control_trigger);
    h.control(0);
    h.finish(Decision::pass, n);
    h.control(n == 1 ? control_reset : control_results_ack);  // the first one is not accepted
    h.control(0);
  }
  EXPECT_EQ(h.at64(at_fifo_sequence), 1u);
  EXPECT_EQ(h.image().fifo->at(in_result_id), 1);
  EXPECT_EQ(get_u32(h.image().base, at_fifo_count), 2u);
}

TEST(ResultFifo, SaysWhatTheStoreNoLongerHas) {
  ResultFifo fifo(2);
  const StoreExtent have{3, 6, 8, "s"};
  EXPECT_EQ(fifo.oldest(have), 6u);
  EXPECT_EQ(fifo.lost(have), 3u);
  EXPECT_EQ(fifo.count(have), 3u);
  EXPECT_FALSE(fifo.acknowledge(9, have));
  EXPECT_FALSE(fifo.resume(9, have));
  EXPECT_EQ(fifo.acknowledged(), 2u);
  EXPECT_TRUE(fifo.acknowledge(6, have));
  EXPECT_EQ(fifo.lost(have), 0u);
  EXPECT_EQ(fifo.oldest(have), 7u);
  EXPECT_EQ(fifo.oldest(StoreExtent{}), 0u);
  EXPECT_EQ(fifo.count(StoreExtent{}), 0u);
}

TEST(ResultFifo, AStoreThatCanNotBeReadIsAFaultAndLosesNothing) {
  OnFrame h;
  h.measure(Decision::pass, 1);
  const StoreExtent have = *h.view.store;
  h.view.store.reset();
  EXPECT_EQ(h.at64(at_fifo_sequence), 0u);
  EXPECT_EQ(h.at(at_links) & link_store, 0);
  EXPECT_EQ(h.acknowledge(0), Exception::illegal_value);
  h.view.store = have;
  EXPECT_EQ(h.shown(), 1u);
}

}  // namespace
}  // namespace datum::modbus
