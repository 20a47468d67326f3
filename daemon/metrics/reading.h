// Values that are read at a scrape: instrument, process and computer. Part of CellMetrics.
#pragma once

#include "daemon/metrics/cell_metrics.h"

namespace datum {

void put_instrument(Exposition& to, Instrument& instrument);
void put_service(Exposition& to, const ServiceReading& service, MonotonicNs now);

}  // namespace datum
