// The register server: several hosts, each with its own position in the results, also after a restart.
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <thread>

#include "daemon/modbus/register_server.h"
#include "tests/daemon/modbus/plc_cell.h"

namespace datum::modbus {
namespace {

struct Desk {
  explicit Desk(const datum::testing::FreshFolder& folder)
      : cell(folder / "results.db"),
        control(
            {}, [] { return MonotonicNs{0}; }, [](int, const std::string&) {}),
        desk({cell, control, [](int, const std::string&) {}, folder / "positions"}) {
    cell.select_recipe("mainboard", std::nullopt);
    cell.arm();
  }
  /// A write by a link's thread.
  Exception write(Mailbox& mailbox, Address at, std::vector<std::uint16_t> values) {
    Request r;
    r.writes = true;
    r.address = at;
    r.count = static_cast<std::uint16_t>(values.size());
    r.values = std::move(values);
    Exception answer = Exception::none;
    std::atomic<bool> answered{false};
    std::thread link([&] {
      answer = mailbox.write(r, std::chrono::seconds(30));
      answered = true;
    });
    while (!answered) {
      pollfd wake{desk.fd(), POLLIN, 0};
      if (::poll(&wake, 1, 10) > 0) desk.on_ready(now);
    }
    link.join();
    return answer;
  }
  BoardVerdict measure(int n) {
    cell.trigger();
    const BoardVerdict v = cell.finish(Decision::pass, n);
    desk.push_result(v);
    return v;
  }
  std::uint64_t shown(const Mailbox& mailbox) {
    if (desk.deadline() <= now) desk.on_deadline(now);
    return get_u64(mailbox.image()->base, at_fifo_sequence);
  }
  testing::PlcCell cell;
  LockArbiter control;
  RegisterServer desk;
  MonotonicNs now = 1'000'000'000;
};

TEST(RegisterServer, EachHostHasItsOwnPlaceAndKeepsItOverARestart) {
  const datum::testing::FreshFolder folder;
  {
    Desk d(folder);
    const auto plc = d.desk.connect("modbus_tcp 10.0.0.2"), scada = d.desk.connect("modbus_tcp 10.0.0.3");
    const auto plc_again = d.desk.connect("modbus_tcp 10.0.0.2");
    for (int n = 1; n <= 3; ++n) d.measure(n);
    EXPECT_EQ(d.shown(*plc), 1u);
    EXPECT_EQ(d.write(*plc, at_ack_sequence, {0, 0, 0, 2}), Exception::none);
    EXPECT_EQ(d.shown(*plc), 3u);
    EXPECT_EQ(d.shown(*plc_again), 3u) << "the same host";
    EXPECT_EQ(d.shown(*scada), 1u);
    EXPECT_EQ(get_u32(scada->image()->base, at_boards_pass), 3u);
  }
  Desk d(folder);
  const auto plc = d.desk.connect("modbus_tcp 10.0.0.2"), scada = d.desk.connect("modbus_tcp 10.0.0.3");
  d.measure(4);
  EXPECT_EQ(d.shown(*plc), 3u);
  EXPECT_EQ(d.shown(*scada), 1u);
}

/// The store was restored from a copy; the positions were not.
TEST(RegisterServer, AStoreThatWasSetBackHidesNothingFromItsHosts) {
  const datum::testing::FreshFolder folder;
  namespace fs = std::filesystem;
  const auto file = folder / "results.db", kept = folder / "kept.db";
  const auto read = [&](const std::string& id) { return highest_position(folder / "positions", id); };
  std::string id;
  {
    Desk d(folder);
    for (int n = 1; n <= 2; ++n) id = d.measure(n).store_id;
  }
  fs::copy_file(file, kept);
  {
    Desk d(folder);
    const auto plc = d.desk.connect("modbus_tcp 10.0.0.2"), slow = d.desk.connect("modbus_tcp 10.0.0.3");
    for (int n = 3; n <= 6; ++n) d.measure(n);
    ASSERT_EQ(d.write(*plc, at_ack_sequence, {0, 0, 0, 6}), Exception::none);
    ASSERT_EQ(d.write(*slow, at_ack_sequence, {0, 0, 0, 1}), Exception::none);
  }
  fs::copy_file(kept, file, fs::copy_options::overwrite_existing);
  EXPECT_EQ(read(id).sequence, 6u);
  EXPECT_EQ(read(id).who, "modbus_tcp 10.0.0.2");
  fs::remove(folder / "results.db.mark");  // only the position reveals it
  ASSERT_TRUE(ResultStore(file, {"", {}, read}).renewed());
  EXPECT_EQ(ResultStore::read_only(file).extent().given, 6u);
  {
    Desk d(folder);
    const auto plc = d.desk.connect("modbus_tcp 10.0.0.2"), slow = d.desk.connect("modbus_tcp 10.0.0.3");
    EXPECT_EQ(d.shown(*plc), 0u) << "it has all that there is";
    EXPECT_EQ(d.shown(*slow), 2u);
    EXPECT_EQ(d.measure(7).sequence, 7u);
    EXPECT_EQ(d.shown(*plc), 7u);
    EXPECT_EQ(get_u32(plc->image()->base, at_fifo_count), 1u);
    EXPECT_EQ(get_u32(slow->image()->base, at_fifo_count), 2u);
    ASSERT_EQ(d.write(*slow, at_ack_sequence, {0, 0, 0, 2}), Exception::none);
    EXPECT_EQ(d.shown(*slow), 7u) << "3 to 6 are not there";
  }
  EXPECT_EQ(read(id).sequence, 0u) << "kept under the new id";
}

/// With connected hosts: the next publication reveals the new id.
TEST(RegisterServer, FollowsAStoreThatGetsAnotherId) {
  const datum::testing::FreshFolder folder;
  Desk d(folder);
  const auto plc = d.desk.connect("modbus_tcp 10.0.0.2");
  for (int n = 1; n <= 3; ++n) d.measure(n);
  ASSERT_EQ(d.write(*plc, at_ack_sequence, {0, 0, 0, 2}), Exception::none);
  d.cell.renew({8, "tcp 10.0.0.9"});
  d.desk.instrument_changed();
  EXPECT_EQ(d.shown(*plc), 3u);
  ASSERT_EQ(d.write(*plc, at_ack_sequence, {0, 0, 0, 3}), Exception::none);
  EXPECT_EQ(d.shown(*plc), 0u);
  EXPECT_EQ(d.measure(4).sequence, 9u);
  EXPECT_EQ(d.shown(*plc), 9u);
  EXPECT_EQ(d.write(*plc, at_ack_sequence, {0, 0, 0, 10}), Exception::illegal_value);
}

// Results that a host has not acknowledged are kept longer; a host that never acknowledges does not count.
TEST(RegisterServer, TellsRetentionWhatItsHostsHave) {
  const datum::testing::FreshFolder folder;
  {
    Desk d(folder);
    const auto plc = d.desk.connect("modbus_tcp 10.0.0.2"), scada = d.desk.connect("modbus_tcp 10.0.0.3");
    plc->present(true);
    for (int n = 1; n <= 5; ++n) d.measure(n);
    EXPECT_FALSE(d.desk.acknowledged());
    d.write(*plc, at_ack_sequence, {0, 0, 0, 4});
    EXPECT_EQ(d.desk.acknowledged(), 4u);
    d.write(*scada, at_ack_sequence, {0, 0, 0, 2});
    EXPECT_EQ(d.desk.acknowledged(), 2u) << "the one that has least";
  }
  Desk d(folder);
  EXPECT_EQ(d.desk.acknowledged(), 2u) << "neither is there yet; results wait";
  const auto plc = d.desk.connect("modbus_tcp 10.0.0.2");
  ResultStore(folder / "results.db").remove_oldest({2, "", 100, "a test", "", {}});
  d.desk.instrument_changed();
  EXPECT_EQ(d.shown(*plc), 5u);
  EXPECT_EQ(d.desk.acknowledged(), 2u) << "both had seen what went";
  ResultStore(folder / "results.db").remove_oldest({3, "", 100, "a test", "", {}});
  d.desk.instrument_changed();
  EXPECT_EQ(d.shown(*plc), 5u);
  EXPECT_EQ(get_u64(plc->image()->base, at_store_first), 4u);
  EXPECT_EQ(d.desk.acknowledged(), 4u) << "who is gone and has lost some holds up nobody's";
  const auto scada = d.desk.connect("modbus_tcp 10.0.0.3");
  scada->present(true);
  EXPECT_EQ(d.desk.acknowledged(), 2u) << "it is back";
}

TEST(RegisterServer, AResultTakenInTheHandshakeIsAcknowledged) {
  const datum::testing::FreshFolder folder;
  Desk d(folder);
  const auto plc = d.desk.connect("modbus_tcp 10.0.0.2");
  plc->present(true);
  d.cell.sensor_up = true;
  const auto control = [&](unsigned bits) {
    return d.write(*plc, at_control, {static_cast<std::uint16_t>(bits)});
  };
  ASSERT_EQ(control(control_trigger), Exception::none);
  const BoardVerdict v = d.cell.finish(Decision::pass, 1);
  d.desk.push_result(v);
  control(0);
  ASSERT_TRUE(plc->image()->base[at_status] & status_results_valid) << plc->image()->base[at_not_ready];
  EXPECT_FALSE(d.desk.acknowledged());
  control(control_results_ack);
  EXPECT_EQ(d.desk.acknowledged(), v.sequence);
}

TEST(RegisterServer, PositionsInAnotherStoreSayNothing) {
  const datum::testing::FreshFolder folder;
  {
    Desk d(folder);
    const auto plc = d.desk.connect("modbus_tcp 10.0.0.2");
    for (int n = 1; n <= 3; ++n) d.measure(n);
    d.write(*plc, at_ack_sequence, {0, 0, 0, 3});
  }
  for (const char* file : {"results.db", "results.db-wal", "results.db-shm"})
    std::filesystem::remove(folder / file);
  Desk d(folder);
  const auto plc = d.desk.connect("modbus_tcp 10.0.0.2");
  d.measure(1);
  EXPECT_EQ(d.shown(*plc), 1u);
}

TEST(RegisterServer, AHostIsGoneWithItsLastLink) {
  const datum::testing::FreshFolder folder;
  Desk d(folder);
  const auto one = d.desk.connect("modbus_tcp 10.0.0.2"), two = d.desk.connect("modbus_tcp 10.0.0.2");
  one->present(true);
  two->present(true);
  EXPECT_EQ(d.write(*one, at_command, {command_take_control}), Exception::none);
  EXPECT_EQ(d.control.owner(), "modbus_tcp 10.0.0.2");
  d.desk.disconnect(one);
  EXPECT_EQ(d.control.owner(), "modbus_tcp 10.0.0.2");
  d.desk.disconnect(two);
  EXPECT_EQ(d.control.owner(), "");
}

TEST(RegisterServer, AWriteThatTheLoopDoesNotTakeChangesNothing) {
  const datum::testing::FreshFolder folder;
  Desk d(folder);
  const auto plc = d.desk.connect("modbus_tcp 10.0.0.2");
  Request r;
  r.writes = true;
  r.address = at_job_index;
  r.count = 1;
  r.values = {7};
  EXPECT_EQ(plc->write(r, std::chrono::milliseconds(0)), Exception::busy);
  d.desk.on_ready(d.now);
  EXPECT_EQ(plc->image()->base[at_job_index], 0);
  d.desk.close();
  EXPECT_EQ(plc->write(r, std::chrono::seconds(30)), Exception::device_failure);
}

TEST(RegisterServer, BeatsEachHalfSecond) {
  const datum::testing::FreshFolder folder;
  Desk d(folder);
  const auto plc = d.desk.connect("modbus_tcp 10.0.0.2");
  d.desk.on_deadline(d.now);
  const auto level = [&] { return plc->image()->base[at_status] & status_heartbeat; };
  const int first = level();
  EXPECT_EQ(d.desk.deadline(), d.now + 500'000'000);
  d.desk.on_deadline(d.now += 499'000'000);
  EXPECT_EQ(level(), first);
  d.desk.on_deadline(d.now += 1'000'000);
  EXPECT_NE(level(), first);
}

TEST(RegisterServer, RefusesAFileThatHoldsNoPositions) {
  const datum::testing::FreshFolder folder;
  folder.write("positions",
               "this is no database, but it is longer than a header of one hundred bytes would be, by far "
               "and so it is seen to be none");
  EXPECT_THROW(Desk d(folder), StoreError);
}

}  // namespace
}  // namespace datum::modbus
