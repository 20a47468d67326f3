// Units of values in messages of CFX, which wants names of the SI.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace datum {

struct CfxUnit {
  const char* name;
  double per;  // of it in one of datumd's units

  /// One multiplication of the stored value, and 9 digits of it: far below any U, and no digits of binary fractions.
  double of(double value) const { return std::stod(fmt::format("{:.9g}", value * per)); }
};

/// Of "um", "mdeg", "permille", "percent".
inline CfxUnit cfx_unit(std::string_view unit) {
  if (unit == "um") return {"mm", 1e-3};
  if (unit == "mdeg") return {"deg", 1e-3};
  if (unit == "permille") return {"%", 0.1};
  return {"%", 1};
}

}  // namespace datum
