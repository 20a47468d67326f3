// Meanings of bits and values in the registers.
#include "daemon/modbus/codes.h"
#include "daemon/modbus/register_map.h"

namespace datum::modbus {

const std::vector<Meaning>& bit_meanings() {
  static const std::vector<Meaning> meanings{
      {"CONTROL", 0, "TRIGGER", "rises: measure the board that lies there; falls after TRIGGER_ACK"},
      {"CONTROL", 1, "RESULTS_ACK", "rises: the result was read; falls after RESULTS_VALID fell"},
      {"CONTROL", 2, "JOB_STROBE",
       "rises: choose the recipe of JOB_NAME, or of JOB_INDEX where that is empty, and arm"},
      {"CONTROL", 3, "RESET",
       "rises: FAULT and the result that is shown are cleared; a board in work goes on to the FIFO"},
      {"CONTROL", 4, "HEARTBEAT_IN", "toggles within HEARTBEAT_PERIOD"},
      {"STATUS", 0, "READY", "a trigger is taken"},
      {"STATUS", 1, "TRIGGER_ACK", "the trigger was taken, RESULT_ID is of this board"},
      {"STATUS", 2, "BUSY", "a board that this host triggered is measured"},
      {"STATUS", 3, "RESULTS_VALID", "the result of RESULT_ID is shown"},
      {"STATUS", 4, "PASS", "while RESULTS_VALID: each limit is kept"},
      {"STATUS", 5, "FAIL", "while RESULTS_VALID: a limit is broken"},
      {"STATUS", 6, "INCONCLUSIVE", "while RESULTS_VALID: the uncertainty allows no decision"},
      {"STATUS", 7, "INVALID", "while RESULTS_VALID: not measured, RESULT_CODE says why"},
      {"STATUS", 8, "FAULT", "FAULT_CODE says which"},
      {"STATUS", 9, "HEARTBEAT_OUT",
       "toggles each 0.5 s; after 1.5 s without, nothing here is to be believed"},
      {"STATUS", 10, "IN_PROGRESS", "what *OPC? waits for: a board or a calibration is in work"},
      {"STATUS", 11, "ARMED", "the cell is armed or measures"},
      {"STATUS", 12, "EXPOSING", "the sensor may expose: the board must stand still"},
      {"STATUS", 13, "FIFO_WAITING", "the FIFO window shows a result"},
      {"STATUS", 14, "FIFO_LOST", "FIFO_LOST is not 0"},
      {"STATUS", 15, "IN_CONTROL", "this host may command"},
      {"NOT_READY", 0, "NO_JOB", "no recipe is chosen"},
      {"NOT_READY", 1, "NOT_ARMED", "COMMAND 1 or JOB_STROBE arms"},
      {"NOT_READY", 2, "BUSY", "a board is in work, or its result is not taken"},
      {"NOT_READY", 3, "CALIBRATION", "it must not be used, CALibration:CURRent? says why"},
      {"NOT_READY", 4, "SENSOR", "its link is down"},
      {"NOT_READY", 5, "CMM", "its link is down"},
      {"NOT_READY", 6, "CONTROL", "another host holds control"},
      {"NOT_READY", 7, "HEARTBEAT", "HEARTBEAT_IN is stale"},
      {"NOT_READY", 8, "TRIGGER_HIGH", "TRIGGER has not fallen"},
      {"NOT_READY", 9, "ACK_HIGH", "RESULTS_ACK has not fallen"},
      {"NOT_READY", 10, "ON_FRAME",
       "the cell measures each frame; TRIGGER is not used, results come by the FIFO"},
      {"LINKS", 0, "SENSOR", "up"},
      {"LINKS", 1, "CMM", "up"},
      {"LINKS", 2, "CMM_CONFIGURED", ""},
      {"LINKS", 3, "CALIBRATION", "may be used, or is not needed"},
      {"LINKS", 4, "STORE", "can be read"},
      {"TRUNCATED", 0, "UNIT", ""},
      {"TRUNCATED", 1, "JOB", ""},
      {"TRUNCATED", 2, "FRAME", ""},
      {"TRUNCATED", 3, "ROWS", "there are more checks than rows"},
      {"TRUNCATED", 4, "REFERENCE", "of a row"},
      {"TRUNCATED", 5, "BOARDS",
       "there are more boards than BOARD_VERDICTS holds; FETCh:PANel? has them all"},
  };
  return meanings;
}

const std::vector<Meaning>& value_meanings() {
  static const std::vector<Meaning> meanings = [] {
    std::vector<Meaning> m{
        {"COMMAND", command_none, "NONE", ""},
        {"COMMAND", command_arm, "ARM", "INITiate"},
        {"COMMAND", command_abort, "ABORT", "ABORt: ends without a result, disarms; everybody may"},
        {"COMMAND", command_choose_job_by_index, "CHOOSE_JOB_BY_INDEX", "recipe of JOB_INDEX; disarms"},
        {"COMMAND", command_choose_job_by_name, "CHOOSE_JOB_BY_NAME", "recipe of JOB_NAME; disarms"},
        {"COMMAND", command_set_unit, "SET_UNIT", "UNIT is the next board's serial number"},
        {"COMMAND", command_set_temperature, "SET_TEMPERATURE", "SENSe:TEMPerature of TEMPERATURE"},
        {"COMMAND", command_resume, "RESUME",
         "the FIFO goes on behind ACK_SEQUENCE, even where this host acknowledged more; -222 beyond "
         "STORE_LAST"},
        {"COMMAND", command_self_test, "SELF_TEST", "*TST?: -330 where it fails"},
        {"COMMAND", command_reopen_links, "REOPEN_LINKS",
         "links that were refused, once the cause is removed"},
        {"COMMAND", command_take_control, "TAKE_CONTROL",
         "SYSTem:LOCK:REQuest?: -203 where another host has it"},
        {"COMMAND", command_release_control, "RELEASE_CONTROL", "SYSTem:LOCK:RELease"},
        {"CHECK_STATE", 0, "NONE", "the cell has no reference checks"},
        {"CHECK_STATE", 1, "VALID", "all are valid"},
        {"CHECK_STATE", 2, "OVERRIDDEN", "a person decided to go on without a good one"},
        {"CHECK_STATE", 3, "DUE", "one is due: its artefact is to be measured"},
        {"CHECK_STATE", 4, "CHECK", "the next boards are readings of an artefact"},
        {"CHECK_STATE", 5, "FAILED", "one has failed"},
        {"CHART_STATE", 0, "NONE", "the chosen recipe has no control charts"},
        {"CHART_STATE", 1, "IN_CONTROL", "no rule is hit"},
        {"CHART_STATE", 2, "NO_LIMITS", "nothing is watched: no limits are frozen"},
        {"CHART_STATE", 3, "STALE",
         "nothing is watched: another recipe text, calibration or version made the results"},
        {"CHART_STATE", 4, "HIT", "a rule is hit"},
        {"CHART_STATE", 5, "DISARMED",
         "a rule is hit that disarms; a person acknowledges it (CHARt:ACKnowledge)"},
        {"STATE", 0, "IDLE", ""},
        {"STATE", 1, "ARMED", ""},
        {"STATE", 2, "WAITING", "for positions or the frame"},
        {"STATE", 3, "MEASURING", ""},
    };
    for (const Coded& c : fault_codes()) m.push_back({"FAULT_CODE", c.code, c.name, c.text});
    for (const Coded& c : decision_codes()) m.push_back({"DECISION", c.code, c.name, c.text});
    for (const char* link : {"SENSOR_LINK_STATE", "CMM_LINK_STATE"}) {
      m.push_back({link, link_state_none, "NONE", "no such device is configured"});
      m.push_back({link, link_state_closed, "CLOSED", "lost, is opened again and again"});
      m.push_back({link, link_state_connecting, "CONNECTING", ""});
      m.push_back({link, link_state_open, "OPEN", ""});
      m.push_back(
          {link, link_state_refused, "REFUSED", "an operator must remove the cause, then REOPEN_LINKS"});
    }
    for (const Coded& c : result_codes()) m.push_back({"RESULT_CODE", c.code, c.name, c.text});
    for (const Coded& c : characteristic_codes()) m.push_back({"CHARACTERISTIC", c.code, c.name, c.text});
    for (const Coded& c : measure_codes()) m.push_back({"MEASURE", c.code, c.name, c.text});
    return m;
  }();
  return meanings;
}

}  // namespace datum::modbus
