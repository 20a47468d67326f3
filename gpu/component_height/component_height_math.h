// The arithmetic of heights, written once for host and device: + - * and integers only.
#pragma once

#include <cstdint>

#include "gpu/component_height/component_height.h"
#include "gpu/core/portable.h"

namespace datum::height {

/// Marks a pixel without a height.
inline constexpr std::int32_t no_height = INT32_MIN;

/// Adding and taking away 1.5 * 2^52 rounds a double below 2^51 to an integer, half to even, on every
/// machine.
inline constexpr double round_magic = 6755399441055744.0;

/// Height of z over the plane's value at its place, in nm; `nm_per_um` is 1000 / sqrt(1 + a^2 + b^2).
DATUM_HD std::int32_t height_nm(float z, double plane_um, double nm_per_um) {
  const double h = (static_cast<double>(z) - plane_um) * nm_per_um;
  const bool measured = h >= -static_cast<double>(max_height_nm) && h <= static_cast<double>(max_height_nm);
  const double rounded = ((measured ? h : 0.0) + round_magic) - round_magic;
  return measured ? static_cast<std::int32_t>(rounded) : no_height;
}

/// Residuals are compared in steps; beyond +-255 they count as 255, so that box sums of products stay exact.
DATUM_HD std::int16_t residual_step(double residual, double steps_per_unit) {
  double s = residual * steps_per_unit;
  s = s > 255.0 ? 255.0 : s;
  s = s < -255.0 ? -255.0 : s;
  return static_cast<std::int16_t>((s + round_magic) - round_magic);
}

/// Exact sum of products up to 2^54: the value is high * 2^32 + low, in whatever order it was summed.
struct WideSum {
  std::int64_t high = 0;
  std::uint64_t low = 0;
};
DATUM_HD void add(WideSum* sum, std::int64_t product) {
  sum->high += product >> 32;
  sum->low += static_cast<std::uint32_t>(product);
}

}  // namespace datum::height
