// The Modbus register map: one table for the daemon's answers, the manual and the exported CSV.
//
// Addresses count from 0, as in a request. A value of several registers has its high word first, a text one character per
// register, ended by 0. Function codes 3 and 4 read the same registers. Coil n is bit n of CONTROL, discrete input n is
// bit n % 16 of STATUS, NOT_READY and LINKS in this order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace datum::modbus {

using Address = std::uint16_t;

inline constexpr std::uint16_t map_version = 1;  // incremented by a change that breaks existing PLC programs
inline constexpr std::int32_t test_i32 = -123456789;
inline constexpr float test_f32 = 123456.0f;
inline constexpr std::uint16_t test_u16 = 4660;
inline constexpr std::uint64_t test_u64 = 0x0123456789ABCDEF;
inline constexpr const char* test_text = "datumd";

/// Absent values: a 32-bit integer, and a float, which is NaN.
inline constexpr std::int32_t no_integer = INT32_MIN;

/// First registers of the entries of the table.
enum At : Address {
  at_map_version = 0,
  at_test_u16 = 1,
  at_test_i32 = 2,
  at_test_f32 = 4,
  at_test_u64 = 6,
  at_test_text = 10,
  at_cell = 20,
  at_firmware = 52,
  at_store_id = 92,

  at_control = 100,
  at_command = 101,
  at_job_index = 102,
  at_heartbeat_period = 103,
  at_ack_sequence = 104,
  at_temperature = 108,
  at_unit = 110,
  at_job_name = 158,
  control_end = 206,

  at_status = 300,
  at_not_ready = 301,
  at_fault_code = 302,
  at_result_id = 303,
  at_result_sequence = 304,
  at_result_code = 308,
  at_state = 309,
  at_command_done = 310,
  at_command_result = 311,
  at_command_count = 312,
  at_job_chosen = 313,
  at_job_count = 314,
  at_links = 315,
  at_boards_pass = 316,
  at_boards_inconclusive = 318,
  at_boards_fail = 320,
  at_boards_invalid = 322,
  at_triggers_taken = 324,
  at_triggers_ignored = 326,
  at_fifo_count = 328,
  at_fifo_lost = 330,
  at_fifo_sequence = 332,
  at_fifo_acknowledged = 336,
  at_store_first = 340,
  at_store_last = 344,
  at_operation = 348,
  at_questionable = 349,
  at_job_chosen_name = 350,
  at_job_sha256 = 398,
  at_job_listed_name = 414,
  at_control_owner = 462,
  at_sensor_link = 500,
  at_cmm_link = 510,
  at_check_state = 516,
  at_chart_state = 517,
  at_check_due = 518,
  at_chart_hits = 520,
  base_end = 522,  // registers 0 to 521; unnamed ones read 0

  // Two windows of the same layout, one result each.
  at_result = 10000,  // result of the handshake, while RESULTS_VALID
  at_fifo = 30000,    // the oldest result that this host has not acknowledged
};

/// Offsets from the first register of a window.
enum In : Address {
  in_shown = 0,
  in_result_id = 1,
  in_sequence = 2,
  in_decision = 6,
  in_result_code = 7,
  in_time = 8,
  in_checks = 12,
  in_rows = 13,
  in_components = 14,
  in_components_pass = 15,
  in_components_inconclusive = 16,
  in_components_fail = 17,
  in_components_invalid = 18,
  in_truncated = 19,
  in_unit = 20,
  in_job = 68,
  in_frame = 116,
  in_boards = 156,  // of a panel; 0: one board
  in_boards_pass = 157,
  in_boards_fail = 158,
  in_boards_skipped = 159,
  in_first_row = 160,
  in_board_verdicts = 19984,  // behind the last row
};
inline constexpr Address window_size = 20000;
/// Of the register BOARD_VERDICTS: codes as of DECISION, and one more for a bad board.
inline constexpr std::uint16_t boards_in_register = 4, board_skipped = 5;
inline constexpr std::uint16_t most_boards = (window_size - in_board_verdicts) * boards_in_register;
/// Offsets from the first register of a device's link.
inline constexpr Address of_link_state = 0, of_link_lost = 1, of_link_since = 2, of_link_age = 4;
inline constexpr Address of_link_clock = 6;  // of the sensor only
/// Offsets of a row, one check of one component.
enum Of : Address {
  of_reference = 0,
  of_characteristic = 12,
  of_decision = 13,
  of_result_code = 14,
  of_measure = 15,
  of_value = 16,
  of_expanded = 18,
  of_value_milli = 20,
  of_expanded_milli = 22,
};
inline constexpr Address row_size = 24;
inline constexpr std::uint16_t most_rows = (in_board_verdicts - in_first_row) / row_size;
static_assert(in_first_row + most_rows * row_size <= in_board_verdicts);
inline constexpr std::uint16_t long_text = 48, reference_text = 12;

enum LinkStateNumber : std::uint16_t {
  link_state_none = 0,
  link_state_closed = 1,
  link_state_connecting = 2,
  link_state_open = 3,
  link_state_refused = 4,
};

enum ControlBit : std::uint16_t {
  control_trigger = 1u << 0,
  control_results_ack = 1u << 1,
  control_job_strobe = 1u << 2,
  control_reset = 1u << 3,
  control_heartbeat = 1u << 4,
  control_bits = 0x1F,
};
enum StatusBit : std::uint16_t {
  status_ready = 1u << 0,
  status_trigger_ack = 1u << 1,
  status_busy = 1u << 2,
  status_results_valid = 1u << 3,
  status_pass = 1u << 4,
  status_fail = 1u << 5,
  status_inconclusive = 1u << 6,
  status_invalid = 1u << 7,
  status_fault = 1u << 8,
  status_heartbeat = 1u << 9,
  status_in_progress = 1u << 10,
  status_armed = 1u << 11,
  status_exposing = 1u << 12,
  status_fifo_waiting = 1u << 13,
  status_fifo_lost = 1u << 14,
  status_in_control = 1u << 15,
};
enum NotReadyBit : std::uint16_t {
  not_ready_job = 1u << 0,
  not_ready_armed = 1u << 1,
  not_ready_busy = 1u << 2,
  not_ready_calibration = 1u << 3,
  not_ready_sensor = 1u << 4,
  not_ready_cmm = 1u << 5,
  not_ready_control = 1u << 6,
  not_ready_heartbeat = 1u << 7,
  not_ready_trigger_high = 1u << 8,
  not_ready_ack_high = 1u << 9,
  not_ready_on_frame = 1u << 10,
};
enum LinkBit : std::uint16_t {
  link_sensor = 1u << 0,
  link_cmm = 1u << 1,
  link_cmm_configured = 1u << 2,
  link_calibration_good = 1u << 3,
  link_store = 1u << 4,
};
enum TruncatedBit : std::uint16_t {
  truncated_unit = 1u << 0,
  truncated_job = 1u << 1,
  truncated_frame = 1u << 2,
  truncated_rows = 1u << 3,
  truncated_reference = 1u << 4,
  truncated_boards = 1u << 5,
};
enum Command : std::uint16_t {
  command_none = 0,
  command_arm = 1,
  command_abort = 2,
  command_choose_job_by_index = 3,
  command_choose_job_by_name = 4,
  command_set_unit = 5,
  command_set_temperature = 6,
  command_resume = 7,
  command_self_test = 8,
  command_reopen_links = 9,
  command_take_control = 10,
  command_release_control = 11,
  last_command = command_release_control,
};

enum class Type : std::uint8_t { u16, i16, bits, i32, u32, f32, u64, text, bytes };
const char* name_of(Type type);
enum class Access : std::uint8_t { read, write };

struct Register {
  Address address = 0;
  std::uint16_t count = 1;  // number of registers
  Type type = Type::u16;
  Access access = Access::read;
  const char* name = "";
  const char* unit = "";  // "" without a unit
  const char* text = "";
};
/// Registers 0 to base_end, in order.
const std::vector<Register>& base_registers();
/// Entries of a window, and of a row in it; addresses are offsets.
const std::vector<Register>& window_registers();
const std::vector<Register>& row_registers();

/// Meaning of a bit or a value in every register of this name.
struct Meaning {
  const char* of = "";
  std::uint16_t number = 0;
  const char* name = "";
  const char* text = "";
};
const std::vector<Meaning>& bit_meanings();
const std::vector<Meaning>& value_meanings();

/// The map as CSV with a header line: kind,address,registers,type,access,name,unit,text. kind: register, bit (address is
/// register.bit), value (register=number), coil, discrete.
std::string map_as_csv();

}  // namespace datum::modbus
