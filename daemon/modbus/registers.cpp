#include "daemon/modbus/registers.h"

#include <cmath>

namespace datum::modbus {

std::int32_t milli(double value) {
  const double whole = std::round(value * 1000);
  if (!(std::abs(whole) <= 2147483647.0)) return no_integer;  // NaN too
  return static_cast<std::int32_t>(whole);
}

}  // namespace datum::modbus
