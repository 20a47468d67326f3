// The manual page datumd-modbus(7), made from the register map.
#pragma once

#include <string>

namespace datum::modbus {

/// roff; `version` stands at its foot.
std::string manual_page(const std::string& version);

}  // namespace datum::modbus
