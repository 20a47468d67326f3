// Bits and numbers of a status as words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/text/table.h"

namespace datum {

/// Conditions of STATus:OPERation and STATus:QUEStionable (daemon/instrument/instrument.h) that are set.
std::vector<std::string> operation_text(unsigned bits);
std::vector<std::string> questionable_text(unsigned bits);

/// "in 41 days", "in 3 h", "2 days ago".
std::string span_text(std::int64_t seconds);

/// Of a verdict's name; plain where it is none.
Ink ink_of_decision(const std::string& name);

}  // namespace datum
