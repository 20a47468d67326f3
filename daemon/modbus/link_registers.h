// The links of sensor and CMM as registers.
#pragma once

#include <vector>

#include "daemon/modbus/registers.h"
#include "drivers/port/link_report.h"

namespace datum::modbus {

/// `to` begins at register 0.
void put_links(Words to, const std::vector<LinkReport>& reports, MonotonicNs now);

}  // namespace datum::modbus
