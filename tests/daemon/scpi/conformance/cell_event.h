// What happens in the test's cell while a transcript is played.
#pragma once

#include <string>

#include "tests/daemon/scpi/scpi_host.h"

namespace datum::testing {

/// Events are sentences, see cell_event.cpp. Throws std::runtime_error for one that it does not know.
void happen(ScpiHost& host, const std::string& event);

}  // namespace datum::testing
