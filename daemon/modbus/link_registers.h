// Registers of the sensor link and the CMM link.
#pragma once

#include <vector>

#include "daemon/modbus/registers.h"
#include "drivers/port/link_report.h"

namespace datum::modbus {

/// `to` begins at register 0.
void put_links(Words to, const std::vector<LinkReport>& reports, MonotonicNs now);

}  // namespace datum::modbus
