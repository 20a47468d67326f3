// Status bits and times as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/text/table.h"

namespace datum {

/// The set conditions of STATus:OPERation and STATus:QUEStionable (daemon/instrument/instrument.h).
std::vector<std::string> operation_text(unsigned bits);
std::vector<std::string> questionable_text(unsigned bits);

/// "in 41 days", "in 3 h", "2 days ago".
std::string span_text(std::int64_t seconds);

/// Colour of a decision by its name; plain for other text.
Ink ink_of_decision(const std::string& name);

}  // namespace datum
