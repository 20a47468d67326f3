// Modbus registers as items of a manual page.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace datum::manual {

/// Adds REGISTERS, WINDOW_REGISTERS, ROW_REGISTERS and the addresses of windows and rows.
void add_registers(std::map<std::string, std::function<std::string()>>& values);

}  // namespace datum::manual
