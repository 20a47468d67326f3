// Numeric codes of the Modbus registers. They never change, since PLC programs contain them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/inspection/verdict/verdict.h"

namespace datum::modbus {

enum class Fault : std::uint16_t {
  none = 0,
  trigger_not_ready = 1,
  trigger_refused = 2,
  control_elsewhere = 3,
  ack_without_result = 4,
  board_lost = 5,
  heartbeat_lost = 6,
  store = 7,
};

struct Coded {
  std::uint16_t code = 0;
  const char* name = "";
  const char* text = "";
};
const std::vector<Coded>& fault_codes();
const std::vector<Coded>& decision_codes();
const std::vector<Coded>& result_codes();
const std::vector<Coded>& characteristic_codes();
const std::vector<Coded>& measure_codes();

/// 0 is never a decision: an empty register is not a verdict.
std::uint16_t code_of(Decision decision);
std::uint16_t code_of(Reason reason);
std::uint16_t code_of(Characteristic characteristic);
/// Code of unit_of(characteristic).
std::uint16_t measure_code_of(Characteristic characteristic);

}  // namespace datum::modbus
