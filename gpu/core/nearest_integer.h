// Rounding to the nearest integer, the same on every backend. C++17.
#pragma once

#include <cmath>
#include <cstdint>

#include "gpu/core/portable.h"

namespace datum {

/// As std::llround, which is a call for each value.
DATUM_HD std::int64_t nearest_integer(double v) {
  if (!(::fabs(v) < 0x1p51)) return ::llround(v);
  const auto whole = static_cast<std::int64_t>(v);     // towards 0
  const double rest = v - static_cast<double>(whole);  // exact
  return whole + (rest >= 0.5) - (rest <= -0.5);
}

}  // namespace datum
