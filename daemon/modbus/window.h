// One result as the registers of a window.
#pragma once

#include "daemon/inspection/verdict/verdict.h"
#include "daemon/modbus/image.h"

namespace datum::modbus {

/// `result_id`: of its trigger; 0: no trigger of this host.
std::shared_ptr<const Window> window_of(const BoardVerdict& verdict, std::uint16_t result_id);

/// Why the board is INVALID: its own reason, else that of its first invalid component.
Reason reason_of(const BoardVerdict& verdict);

}  // namespace datum::modbus
