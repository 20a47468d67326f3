// One result as the registers of a window.
#pragma once

#include "daemon/inspection/verdict/verdict.h"
#include "daemon/modbus/image.h"

namespace datum::modbus {

/// `result_id`: of the trigger that it answers, 0 where it answers none.
std::shared_ptr<const Window> window_of(const BoardVerdict& verdict, std::uint16_t result_id);

/// Why the board is INVALID: its own reason, else that of its first component that is.
Reason reason_of(const BoardVerdict& verdict);

}  // namespace datum::modbus
