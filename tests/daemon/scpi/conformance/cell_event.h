// Events in the test cell during a transcript.
#pragma once

#include <string>

#include "tests/daemon/scpi/scpi_host.h"

namespace datum::testing {

/// Events are sentences, see cell_event.cpp. Throws std::runtime_error for an unknown one.
void happen(ScpiHost& host, const std::string& event);

}  // namespace datum::testing
