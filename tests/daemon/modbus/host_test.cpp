// Registers of a host with a cell and a real store: handshake, commands, control, heartbeat.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/modbus/plc_cell.h"

namespace datum::modbus {
namespace {

using testing::OneHost;

TEST(Host, ShowsTheConstantsThatProveTheWordOrder) {
  OneHost h;
  const Image image = h.image();
  const ConstWords w(image.base);
  EXPECT_EQ(w[at_map_version], 1);
  EXPECT_EQ(w[at_test_u16], 4660);
  EXPECT_EQ(static_cast<std::int32_t>(get_u32(w, at_test_i32)), -123456789);
  EXPECT_EQ(get_f32(w, at_test_f32), 123456.0f);
  EXPECT_EQ(get_u64(w, at_test_u64), 0x0123456789ABCDEFu);
  EXPECT_EQ(get_text(w, at_test_text, 8), "datumd");
  EXPECT_EQ(get_text(w, at_cell, 32), "cell,1");
  EXPECT_EQ(get_text(w, at_firmware, 40), "0.1.0");
}

struct Shown {
  Decision decision;
  unsigned bit;
};
class HostShows : public ::testing::TestWithParam<Shown> {};

TEST_P(HostShows, OneBoardFromReadyToReady) {
  OneHost h;
  h.ready();
  EXPECT_EQ(h.status(), status_ready);
  h.control(control_trigger);
  EXPECT_EQ(h.status(), status_trigger_ack | status_busy);
  const std::uint16_t id = h.at(at_result_id);
  EXPECT_EQ(id, 1);
  h.control(0);
  EXPECT_EQ(h.status(), status_busy);
  EXPECT_EQ(h.image().result->at(in_shown), 0);
  const BoardVerdict v = h.finish(GetParam().decision);
  EXPECT_EQ(h.status(), status_results_valid | GetParam().bit);
  EXPECT_EQ(h.at(at_result_id), id);
  EXPECT_EQ(h.at64(at_result_sequence), v.sequence);
  EXPECT_EQ(h.at(at_result_code), GetParam().decision == Decision::invalid ? 13 : 0);
  const Image image = h.image();
  EXPECT_EQ(image.result->at(in_result_id), id);
  EXPECT_EQ(get_u64(*image.result, in_sequence), v.sequence);
  EXPECT_EQ(image.result->at(in_decision), code_of(GetParam().decision));
  EXPECT_EQ(image.fifo->at(in_result_id), id) << "the same result, in the FIFO too";
  h.control(control_results_ack);
  EXPECT_EQ(h.status(), 0u);
  EXPECT_EQ(h.image().result->at(in_shown), 0);
  EXPECT_EQ(h.at64(at_result_sequence), 0u);
  EXPECT_EQ(h.at64(at_fifo_acknowledged), v.sequence) << "what was taken is acknowledged";
  h.control(0);
  EXPECT_EQ(h.status(), status_ready);
}

INSTANTIATE_TEST_SUITE_P(EachDecision, HostShows,
                         ::testing::Values(Shown{Decision::pass, status_pass},
                                           Shown{Decision::fail, status_fail},
                                           Shown{Decision::inconclusive, status_inconclusive},
                                           Shown{Decision::invalid, status_invalid}),
                         [](const auto& shown) { return std::string(name_of(shown.param.decision)); });

TEST(Host, TellsHowTheLinksOfSensorAndCmmFare) {
  OneHost h;
  const auto at32 = [&](std::size_t at) {
    return static_cast<std::int32_t>(get_u32(ConstWords(h.image().base), at));
  };
  EXPECT_EQ(h.at(at_sensor_link), link_state_none);
  EXPECT_EQ(at32(at_sensor_link + of_link_age), no_integer);
  h.now = 60'000'000'000;
  LinkReport sensor, cmm;
  sensor.name = "sensor";
  sensor.state = LinkState::open;
  sensor.record.since_ns = h.now - 12'700'000'000;
  sensor.delivered_ns = h.now - 1'500'000'000;
  sensor.clock = ClockOffset{5, 350'000};
  cmm.name = "cmm";
  cmm.state = LinkState::refused;
  cmm.record.lost = 65'537;
  h.cell.reports = {sensor, cmm};
  EXPECT_EQ(h.at(at_sensor_link), link_state_open);
  EXPECT_EQ(at32(at_sensor_link + of_link_since), 12);
  EXPECT_EQ(at32(at_sensor_link + of_link_age), 1500);
  EXPECT_EQ(at32(at_sensor_link + of_link_clock), 350);
  EXPECT_EQ(h.at(at_cmm_link), link_state_refused);
  EXPECT_EQ(h.at(at_cmm_link + of_link_lost), 1) << "wraps";
  EXPECT_EQ(at32(at_cmm_link + of_link_since), no_integer);
}

TEST(Host, SaysWhyItIsNotReady) {
  OneHost h;
  EXPECT_EQ(h.at(at_not_ready), not_ready_job | not_ready_armed);
  h.ready();
  EXPECT_EQ(h.at(at_not_ready), 0);
  h.cell.sensor_up = false;
  EXPECT_EQ(h.at(at_not_ready), not_ready_sensor);
  h.cell.sensor_up = true;
  h.cell.calibration_refusal = "expired";
  EXPECT_EQ(h.at(at_not_ready), not_ready_calibration);
  EXPECT_EQ(h.at(at_links), link_sensor | link_store);
  h.cell.calibration_refusal = "";
  h.cell.point = ProbePoint{};
  EXPECT_EQ(h.at(at_not_ready), not_ready_cmm) << "configured, and down";
  h.cell.point.reset();
  h.desk.force("tcp 10.0.0.9:1");
  EXPECT_EQ(h.at(at_not_ready), not_ready_control);
  h.desk.release("tcp 10.0.0.9:1");
  h.cell.source = TriggerSource::external;
  EXPECT_EQ(h.at(at_not_ready), not_ready_on_frame);
  h.cell.source = TriggerSource::bus;
  h.control(control_trigger);
  EXPECT_EQ(h.at(at_not_ready), not_ready_busy | not_ready_trigger_high);
}

TEST(Host, ATriggerWhileItIsNotReadyMeasuresNothing) {
  OneHost h;
  h.cell.select_recipe("mainboard", std::nullopt);
  h.control(control_trigger);
  EXPECT_EQ(h.status(), status_fault);
  EXPECT_EQ(h.at(at_fault_code), static_cast<int>(Fault::trigger_not_ready));
  EXPECT_EQ(h.cell.board_in_work(), 0u);
  h.cell.arm();
  EXPECT_EQ(h.cell.board_in_work(), 0u) << "the level that stayed high starts nothing";
  h.control(control_reset);
  EXPECT_EQ(h.at(at_fault_code), 0);
  h.control(0);
  EXPECT_EQ(h.status(), status_ready);
}

TEST(Host, ATriggerThatTheCellRefusesIsNotAcknowledged) {
  OneHost h;
  h.ready();
  h.cell.set_unit("of another host");
  h.cell.refuse_trigger = true;
  h.write_text(at_unit, "SN-9");
  h.control(control_trigger);
  EXPECT_EQ(h.status(), status_fault);
  EXPECT_EQ(h.at(at_fault_code), static_cast<int>(Fault::trigger_refused));
  EXPECT_EQ(h.at(at_result_id), 0);
  EXPECT_EQ(h.cell.unit(), "of another host") << "SN-9 must not name another board";
}

TEST(Host, WhileAnotherHoldsControlItOnlyReadsAndStops) {
  OneHost h;
  h.ready();
  h.desk.force("tcp 10.0.0.9:1");
  EXPECT_EQ(h.at(at_status) & status_in_control, 0);
  h.control(control_trigger);
  EXPECT_EQ(h.at(at_fault_code), static_cast<int>(Fault::control_elsewhere));
  EXPECT_EQ(h.cell.board_in_work(), 0u);
  h.control(0);
  for (const Command command : {command_arm, command_choose_job_by_index, command_choose_job_by_name,
                                command_set_unit, command_reopen_links, command_take_control}) {
    h.write(at_job_index, {1});
    EXPECT_EQ(h.command(command), Exception::none);
    EXPECT_EQ(h.command_result(), -203) << command;
  }
  EXPECT_EQ(h.cell.state(), InstrumentState::armed);
  EXPECT_EQ(h.cell.reopened, 0);
  EXPECT_EQ(get_text(h.image().base, at_control_owner, 32), "tcp 10.0.0.9:1");
  h.command(command_abort);
  EXPECT_EQ(h.command_result(), 0);
  EXPECT_EQ(h.cell.state(), InstrumentState::idle);
}

TEST(Host, TakesControlAndGivesItBack) {
  OneHost h;
  h.command(command_take_control);
  EXPECT_EQ(h.command_result(), 0);
  EXPECT_EQ(h.desk.owner(), "modbus_tcp 10.0.0.2");
  h.command(command_release_control);
  EXPECT_EQ(h.desk.owner(), "");
}

TEST(Host, TheSerialNumberHoldsForOneBoard) {
  OneHost h;
  h.ready();
  h.write_text(at_unit, "a much longer number");
  h.write_text(at_unit, "SN-1");
  EXPECT_EQ(get_text(h.image().base, at_unit, long_text), "SN-1");
  h.control(control_trigger);
  EXPECT_THAT(h.cell.units, ::testing::ElementsAre("SN-1"));
  EXPECT_TRUE(h.logged("modbus_tcp 10.0.0.2: TRIGGER, unit SN-1")) << "who does what";
  EXPECT_EQ(h.at(at_unit), 0) << "the next board must not get it";
  h.control(0);
  h.finish(Decision::pass);
  h.control(control_results_ack);
  h.control(0);
  h.control(control_trigger);
  EXPECT_THAT(h.cell.units, ::testing::ElementsAre("SN-1"));
}

TEST(Host, ACommandRunsWhenItsValueChanges) {
  OneHost h;
  h.write(at_job_index, {1});
  EXPECT_EQ(h.write(at_command, {command_choose_job_by_index}), Exception::none);
  EXPECT_EQ(h.at(at_command_count), 1);
  EXPECT_EQ(h.at(at_job_chosen), 1);
  EXPECT_EQ(get_text(h.image().base, at_job_chosen_name, long_text), "mainboard");
  EXPECT_EQ(h.write(at_command, {command_choose_job_by_index, 2}), Exception::none);
  EXPECT_EQ(h.at(at_command_count), 1) << "a poller that writes it again";
  EXPECT_EQ(h.at(at_job_chosen), 1);
  EXPECT_EQ(get_text(h.image().base, at_job_listed_name, long_text), "power \"A\"") << "what 2 would choose";
  h.command(command_choose_job_by_index);
  EXPECT_EQ(h.at(at_job_chosen), 2);
  EXPECT_EQ(h.at(at_command_done), command_choose_job_by_index);
}

TEST(Host, ARefusedCommandSaysWhichErrorItIs) {
  OneHost h;
  h.write(at_job_index, {3});
  h.command(command_choose_job_by_index);
  EXPECT_EQ(h.command_result(), -222);
  h.write_text(at_job_name, "no such");
  h.command(command_choose_job_by_name);
  EXPECT_EQ(h.command_result(), -256);
  EXPECT_EQ(h.at(at_job_chosen), 0);
  h.command(command_arm);
  EXPECT_EQ(h.command_result(), -221);
  h.cell.failures = {"the kernel gives another plane"};
  h.command(command_self_test);
  EXPECT_EQ(h.command_result(), -330);
  h.cell.failures.clear();
  h.command(command_self_test);
  EXPECT_EQ(h.command_result(), 0);
}

TEST(Host, ReadsATemperatureAndRefusesOneThatIsNone) {
  OneHost h;
  h.write(at_temperature, {0x41A4, 0x0000});  // 20.5
  h.command(command_set_temperature);
  ASSERT_TRUE(h.cell.temperature());
  EXPECT_EQ(h.cell.temperature()->degc, 20.5);
  for (const std::uint16_t high :
       {std::uint16_t{0x7FC0}, std::uint16_t{0x7F80}, std::uint16_t{0x42F0}}) {  // NaN, inf, 120
    h.write(at_temperature, {high, 0});
    h.command(command_set_temperature);
    EXPECT_EQ(h.command_result(), -222);
  }
  EXPECT_EQ(h.cell.temperature()->degc, 20.5);
}

TEST(Host, TheStrobeChoosesAndArms) {
  OneHost h;
  h.write_text(at_job_name, "mainboard");
  h.control(control_job_strobe);
  EXPECT_EQ(h.command_result(), 0);
  EXPECT_EQ(h.status(), status_ready);
  h.control(0);
  h.write_text(at_job_name, "");
  h.write(at_job_index, {2});
  h.control(control_job_strobe);
  EXPECT_EQ(h.at(at_job_chosen), 2);
  EXPECT_EQ(h.status(), status_ready);
  h.control(0);
  h.write_text(at_job_name, "no such");
  h.control(control_job_strobe);
  EXPECT_EQ(h.command_result(), -256);
  EXPECT_EQ(h.status() & status_ready, 0u) << "the next board is never measured by the old one";
}

TEST(Host, RefusesValuesThatMeanNothingAndChangesNothing) {
  OneHost h;
  h.ready();
  const auto before = h.image().base;
  EXPECT_EQ(h.control(1u << 5), Exception::illegal_value);
  EXPECT_EQ(h.command(last_command + 1), Exception::illegal_value);
  EXPECT_EQ(h.write(at_heartbeat_period, {49}), Exception::illegal_value);
  EXPECT_EQ(h.write(at_unit, {'S', 200, 0}), Exception::illegal_value);
  EXPECT_EQ(h.write(at_unit, {'S', 0x5300}), Exception::illegal_value) << "two characters in one register";
  EXPECT_EQ(h.write(at_job_name, {'\n', 0}), Exception::illegal_value);
  EXPECT_EQ(h.write(at_control, {control_trigger, last_command + 1}), Exception::illegal_value);
  EXPECT_EQ(h.cell.board_in_work(), 0u) << "not even the good half of the write";
  EXPECT_EQ(h.acknowledge(1), Exception::illegal_value) << "there is no result yet";
  EXPECT_EQ(h.image().base, before);
}

TEST(Host, CoilsAreTheBitsOfControl) {
  OneHost h;
  h.ready();
  Request coil;
  coil.table = Table::coils;
  coil.writes = true;
  coil.address = 0;
  coil.count = 1;
  coil.values = {1};
  EXPECT_EQ(h.host.write(coil, h.now), Exception::none);
  EXPECT_EQ(h.status(), status_trigger_ack | status_busy);
  Request read;
  read.table = Table::discrete_inputs;
  read.address = 0;
  read.count = 48;
  const auto inputs = h.image().read(read);
  EXPECT_EQ(inputs[0], 0) << "READY";
  EXPECT_EQ(inputs[1], 1) << "TRIGGER_ACK";
  EXPECT_EQ(inputs[2], 1) << "BUSY";
  EXPECT_EQ(inputs[16 + 8], 1) << "TRIGGER_HIGH";
  EXPECT_EQ(inputs[32], 1) << "link of the sensor";
  read.table = Table::coils;
  read.count = 16;
  EXPECT_EQ(h.image().read(read)[0], 1);
  coil.values = {0};
  h.host.write(coil, h.now);
  EXPECT_EQ(h.status(), status_busy);
}

TEST(Host, ABoardThatIsAbortedLeavesAFaultAndNoResult) {
  OneHost h;
  h.ready();
  h.control(control_trigger);
  h.control(0);
  h.cell.abort();
  EXPECT_EQ(h.status(), status_fault);
  EXPECT_EQ(h.at(at_fault_code), static_cast<int>(Fault::board_lost));
  h.cell.arm();
  h.control(control_trigger);
  h.control(0);
  const std::uint16_t id = h.at(at_result_id);
  // Stored at the moment of its abort, and announced after the next trigger.
  BoardVerdict late = h.cell.finish_board(datum::testing::board(1));
  h.view.store = h.cell.results();
  h.host.announced(late, 1);
  EXPECT_EQ(h.status() & status_results_valid, 0u);
  EXPECT_EQ(h.image().fifo->at(in_result_id), id - 1) << "in the FIFO it has its own id";
}

TEST(Host, AResultThatIsHeldBackIsNotInItsWindowEither) {
  OneHost h;
  h.ready();
  h.control(control_trigger);
  h.finish(Decision::pass);
  EXPECT_EQ(h.status(), status_trigger_ack | status_busy);
  EXPECT_EQ(h.image().result->at(in_shown), 0);
  h.control(0);
  EXPECT_EQ(h.image().result->at(in_shown), 1);
}

TEST(Host, AnotherHostsBoardDoesNotReplaceTheResultThatIsShown) {
  OneHost h;
  h.ready();
  h.control(control_trigger);
  h.control(0);
  const BoardVerdict own = h.finish(Decision::fail, 1);
  ASSERT_EQ(h.status(), status_results_valid | status_fail);
  h.cell.trigger();  // by another host
  EXPECT_EQ(h.status(), status_results_valid | status_fail);
  h.finish(Decision::pass, 2);
  EXPECT_EQ(h.status(), status_results_valid | status_fail);
  EXPECT_EQ(h.at64(at_result_sequence), own.sequence);
  EXPECT_EQ(get_u64(*h.image().result, in_sequence), own.sequence);
  EXPECT_EQ(get_u32(h.image().base, at_fifo_count), 2u);
}

TEST(Host, ALostHeartbeatOfThePlcStopsTriggersUntilItIsBack) {
  OneHost h;
  h.ready();
  h.write(at_heartbeat_period, {200});
  h.control(control_heartbeat);
  h.now += 599'000'000;
  EXPECT_EQ(h.status(), status_ready);
  EXPECT_EQ(h.host.due(), h.now + 1'000'000);
  h.now += 1'000'000;
  EXPECT_EQ(h.status(), status_fault);
  EXPECT_EQ(h.at(at_fault_code), static_cast<int>(Fault::heartbeat_lost));
  EXPECT_EQ(h.at(at_not_ready), not_ready_heartbeat);
  EXPECT_TRUE(h.logged("its heartbeat is lost"));
  h.control(control_heartbeat | control_trigger);
  EXPECT_EQ(h.cell.board_in_work(), 0u);
  h.control(0);
  EXPECT_TRUE(h.logged("its heartbeat is back"));
  EXPECT_EQ(h.status() & status_ready, status_ready);
}

TEST(Host, ABoardInWorkOutlivesTheHeartbeat) {
  OneHost h;
  h.ready();
  h.write(at_heartbeat_period, {200});
  h.control(control_trigger);
  h.control(0);
  h.now += 1'000'000'000;
  const BoardVerdict v = h.finish(Decision::pass);
  EXPECT_EQ(h.status(), status_results_valid | status_pass | status_fault);
  EXPECT_EQ(h.at64(at_fifo_sequence), v.sequence);
}

}  // namespace
}  // namespace datum::modbus
