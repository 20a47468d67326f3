// Registers of the sensor link and the CMM link.
#pragma once

#include <vector>

#include "daemon/instrument/chart_watcher.h"
#include "daemon/instrument/reference_checker.h"
#include "daemon/modbus/registers.h"
#include "drivers/port/link_report.h"

namespace datum::modbus {

/// `to` begins at register 0.
void put_links(Words to, const std::vector<LinkReport>& reports, MonotonicNs now);

/// State of the reference checks; null: the cell has none.
void put_checks(Words to, const ReferenceChecker* checker, std::int64_t utc_s);

/// Control charts of the chosen recipe; state none: it has none.
void put_chart(Words to, const ChartStatus& chart);

}  // namespace datum::modbus
