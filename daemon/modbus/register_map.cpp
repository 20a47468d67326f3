#include "daemon/modbus/register_map.h"

namespace datum::modbus {
namespace {

constexpr auto r = Access::read, w = Access::write;

}  // namespace

const char* name_of(Type type) {
  switch (type) {
    case Type::u16:
      return "u16";
    case Type::i16:
      return "i16";
    case Type::bits:
      return "bits";
    case Type::i32:
      return "i32";
    case Type::u32:
      return "u32";
    case Type::f32:
      return "f32";
    case Type::u64:
      return "u64";
    case Type::text:
      return "text";
    case Type::bytes:
      return "bytes";
  }
  return "?";
}

const std::vector<Register>& base_registers() {  // NOLINT(readability-function-size): a table
  static const std::vector<Register> registers{
      {at_map_version, 1, Type::u16, r, "MAP_VERSION", "", "version of this map"},
      {at_test_u16, 1, Type::u16, r, "TEST_U16", "", "always 4660 (1234 hex): the address offset is right"},
      {at_test_i32, 2, Type::i32, r, "TEST_I32", "", "always -123456789: word order and sign are right"},
      {at_test_f32, 2, Type::f32, r, "TEST_F32", "", "always 123456.0"},
      {at_test_u64, 4, Type::u64, r, "TEST_U64", "", "always 0123456789ABCDEF hex"},
      {at_test_text, 8, Type::text, r, "TEST_TEXT", "", "always datumd"},
      {at_cell, 32, Type::text, r, "CELL", "", "name of the cell"},
      {at_firmware, 40, Type::text, r, "FIRMWARE", "", "version and commit"},
      {at_store_id, 4, Type::u64, r, "STORE_ID", "",
       "of the result store: another one means a new store, whose sequences begin again, or one that was put "
       "back from a "
       "copy, whose sequences go on above those that it gave before"},

      {at_control, 1, Type::bits, w, "CONTROL", "", "signals of the PLC; they are also coils"},
      {at_command, 1, Type::u16, w, "COMMAND", "",
       "runs when its value changes, after the parameters of the same write; write 0 before the same command "
       "again"},
      {at_job_index, 1, Type::u16, w, "JOB_INDEX", "",
       "parameter: 1 is the first recipe in the order of names"},
      {at_heartbeat_period, 1, Type::u16, w, "HEARTBEAT_PERIOD", "ms",
       "within which HEARTBEAT_IN toggles; after three without it READY drops; 0: not supervised"},
      {at_ack_sequence, 4, Type::u64, w, "ACK_SEQUENCE", "",
       "writing it acknowledges all results up to this sequence; the FIFO goes on behind it"},
      {at_temperature, 2, Type::f32, w, "TEMPERATURE", "degC", "parameter of SET_TEMPERATURE"},
      {at_unit, long_text, Type::text, w, "UNIT", "",
       "serial number of the board of the next TRIGGER or SET_UNIT, which empties it; printable ASCII"},
      {at_job_name, long_text, Type::text, w, "JOB_NAME", "", "parameter: name of a recipe"},

      {at_status, 1, Type::bits, r, "STATUS", "", "signals of datumd; they are also discrete inputs 0 to 15"},
      {at_not_ready, 1, Type::bits, r, "NOT_READY", "", "why READY is 0; discrete inputs 16 to 31"},
      {at_fault_code, 1, Type::u16, r, "FAULT_CODE", "", "of FAULT, until RESET rises or a trigger is taken"},
      {at_result_id, 1, Type::u16, r, "RESULT_ID", "",
       "of the board that was triggered last; given before TRIGGER_ACK, 1 to 65535, then 1 again; 0: none "
       "yet"},
      {at_result_sequence, 4, Type::u64, r, "RESULT_SEQUENCE", "",
       "in the store, of the result that is shown; 0: none is"},
      {at_result_code, 1, Type::u16, r, "RESULT_CODE", "", "why the result that is shown is INVALID"},
      {at_state, 1, Type::u16, r, "STATE", "", "of the cell"},
      {at_command_done, 1, Type::u16, r, "COMMAND_DONE", "", "the COMMAND that ran last"},
      {at_command_result, 1, Type::i16, r, "COMMAND_RESULT", "",
       "0, or the SCPI error number of its refusal (-203: another host has control)"},
      {at_command_count, 1, Type::u16, r, "COMMAND_COUNT", "", "commands and strobes that ran, wraps"},
      {at_job_chosen, 1, Type::u16, r, "JOB_CHOSEN", "", "index of the recipe that is chosen; 0: none"},
      {at_job_count, 1, Type::u16, r, "JOB_COUNT", "", "recipes that can be chosen"},
      {at_links, 1, Type::bits, r, "LINKS", "", "discrete inputs 32 to 47"},
      {at_boards_pass, 2, Type::u32, r, "BOARDS_PASS", "", "results since the start of datumd"},
      {at_boards_inconclusive, 2, Type::u32, r, "BOARDS_INCONCLUSIVE", "", ""},
      {at_boards_fail, 2, Type::u32, r, "BOARDS_FAIL", "", ""},
      {at_boards_invalid, 2, Type::u32, r, "BOARDS_INVALID", "", ""},
      {at_triggers_taken, 2, Type::u32, r, "TRIGGERS_TAKEN", "", "of this host since the start"},
      {at_triggers_ignored, 2, Type::u32, r, "TRIGGERS_IGNORED", "",
       "that rose while READY was 0, or were refused"},
      {at_fifo_count, 2, Type::u32, r, "FIFO_COUNT", "",
       "stored results that this host has not acknowledged"},
      {at_fifo_lost, 2, Type::u32, r, "FIFO_LOST", "",
       "results that were taken out of the store before this host acknowledged them; cleared by the next "
       "acknowledgement"},
      {at_fifo_sequence, 4, Type::u64, r, "FIFO_SEQUENCE", "",
       "of the result in the FIFO window; 0: it is empty"},
      {at_fifo_acknowledged, 4, Type::u64, r, "FIFO_ACKNOWLEDGED", "",
       "this host has acknowledged all up to here; kept over a restart"},
      {at_store_first, 4, Type::u64, r, "STORE_FIRST", "", "sequence of the oldest stored result"},
      {at_store_last, 4, Type::u64, r, "STORE_LAST", "", "sequence of the newest stored result"},
      {at_operation, 1, Type::bits, r, "OPERATION", "", "as STATus:OPERation:CONDition?"},
      {at_questionable, 1, Type::bits, r, "QUESTIONABLE", "", "as STATus:QUEStionable:CONDition?"},
      {at_job_chosen_name, long_text, Type::text, r, "JOB_CHOSEN_NAME", "", "recipe that is chosen"},
      {at_job_sha256, 16, Type::bytes, r, "JOB_SHA256", "",
       "of the chosen recipe's file, two bytes a register"},
      {at_job_listed_name, long_text, Type::text, r, "JOB_LISTED_NAME", "",
       "recipe of the index in JOB_INDEX"},
      {at_control_owner, 32, Type::text, r, "CONTROL_OWNER", "", "host that holds control; empty: none"},
      {at_sensor_link + of_link_state, 1, Type::u16, r, "SENSOR_LINK_STATE", "", ""},
      {at_sensor_link + of_link_lost, 1, Type::u16, r, "SENSOR_LINK_LOST", "",
       "times since the start, wraps"},
      {at_sensor_link + of_link_since, 2, Type::i32, r, "SENSOR_LINK_SINCE", "s",
       "in this state; -2147483648: not known"},
      {at_sensor_link + of_link_age, 2, Type::i32, r, "SENSOR_AGE", "ms",
       "since the last frame came, looked at each 0.5 s; -2147483648: none came"},
      {at_sensor_link + of_link_clock, 2, Type::i32, r, "SENSOR_CLOCK_UNCERTAINTY", "us",
       "of the host's clock less the sensor's; -2147483648: not known"},
      {at_cmm_link + of_link_state, 1, Type::u16, r, "CMM_LINK_STATE", "", ""},
      {at_cmm_link + of_link_lost, 1, Type::u16, r, "CMM_LINK_LOST", "", "times since the start, wraps"},
      {at_cmm_link + of_link_since, 2, Type::i32, r, "CMM_LINK_SINCE", "s",
       "in this state; -2147483648: not known"},
      {at_cmm_link + of_link_age, 2, Type::i32, r, "CMM_AGE", "ms",
       "since the last position came, looked at each 0.5 s; -2147483648: none came"},
      {at_check_state, 1, Type::u16, r, "CHECK_STATE", "", "of the reference checks together, the worst"},
      {at_chart_state, 1, Type::u16, r, "CHART_STATE", "", "of the chosen recipe's control charts"},
      {at_check_due, 2, Type::i32, r, "CHECK_DUE", "s",
       "until the first of them is due; negative: since; -2147483648: none has a time"},
      {at_chart_hits, 2, Type::u32, r, "CHART_HITS", "",
       "results of the chosen recipe that hit a rule since a person acknowledged it"},
  };
  return registers;
}

const std::vector<Register>& window_registers() {
  static const std::vector<Register> registers{
      {in_shown, 1, Type::u16, r, "SHOWN", "",
       "1: a result is shown; 0: there is none, and all below says so"},
      {in_result_id, 1, Type::u16, r, "RESULT_ID", "",
       "0 where this host did not trigger it in this run of datumd"},
      {in_sequence, 4, Type::u64, r, "SEQUENCE", "", "in the store"},
      {in_decision, 1, Type::u16, r, "DECISION", "", "of the board"},
      {in_result_code, 1, Type::u16, r, "RESULT_CODE", "", "of the board, where it is INVALID"},
      {in_time, 4, Type::u64, r, "TIME", "us", "when it was measured, since 1970-01-01 UTC"},
      {in_checks, 1, Type::u16, r, "CHECKS", "", "of all components"},
      {in_rows, 1, Type::u16, r, "ROWS", "", "checks that are shown below"},
      {in_components, 1, Type::u16, r, "COMPONENTS", "", ""},
      {in_components_pass, 1, Type::u16, r, "COMPONENTS_PASS", "", ""},
      {in_components_inconclusive, 1, Type::u16, r, "COMPONENTS_INCONCLUSIVE", "", ""},
      {in_components_fail, 1, Type::u16, r, "COMPONENTS_FAIL", "", ""},
      {in_components_invalid, 1, Type::u16, r, "COMPONENTS_INVALID", "", ""},
      {in_truncated, 1, Type::bits, r, "TRUNCATED", "",
       "what is longer than its registers; FETCh:JSON? has it whole"},
      {in_unit, long_text, Type::text, r, "UNIT", "", "serial number of the board"},
      {in_job, long_text, Type::text, r, "JOB", "", "recipe"},
      {in_frame, 40, Type::text, r, "FRAME", "", "id of the frame"},
      {in_boards, 1, Type::u16, r, "BOARDS", "", "of a panel; 0: the result is of one board"},
      {in_boards_pass, 1, Type::u16, r, "BOARDS_PASS", "", ""},
      {in_boards_fail, 1, Type::u16, r, "BOARDS_FAIL", "", ""},
      {in_boards_skipped, 1, Type::u16, r, "BOARDS_SKIPPED", "", "bad boards, which decide nothing"},
      {in_board_verdicts, most_boards / boards_in_register, Type::bytes, r, "BOARD_VERDICTS", "",
       "four bits a board in the recipe's order, the first one in the lowest bits: codes of DECISION, and 5 "
       "SKIPPED"},
  };
  return registers;
}

const std::vector<Register>& row_registers() {
  static const std::vector<Register> registers{
      {of_reference, reference_text, Type::text, r, "REFERENCE", "", "component"},
      {of_characteristic, 1, Type::u16, r, "CHARACTERISTIC", "", "what was measured"},
      {of_decision, 1, Type::u16, r, "DECISION", "", "of this check; 0 in a row that is not used"},
      {of_result_code, 1, Type::u16, r, "RESULT_CODE", "", "of this check, where it is INVALID"},
      {of_measure, 1, Type::u16, r, "MEASURE", "", "unit of the four values below"},
      {of_value, 2, Type::f32, r, "VALUE", "MEASURE", "NaN where it is INVALID"},
      {of_expanded, 2, Type::f32, r, "U", "MEASURE", "expanded uncertainty, k = 2; NaN where it is INVALID"},
      {of_value_milli, 2, Type::i32, r, "VALUE_MILLI", "MEASURE/1000",
       "the same as a whole number, um as nm; 80000000 hex where it is INVALID or too large"},
      {of_expanded_milli, 2, Type::i32, r, "U_MILLI", "MEASURE/1000", ""},
  };
  return registers;
}

}  // namespace datum::modbus
