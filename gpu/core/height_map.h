// How a pixel of a height map becomes a point in um, written once for every backend. C++17.
//
// Counts and columns are taken relative to integers near the site, where the subtraction is exact; what is left is
// small, so one rounded fma gives um without cancellation, and deliveries of the same counts as int16, int32 or float
// give the same bits.
#pragma once

#include <cmath>
#include <cstdint>

#include "gpu/core/portable.h"

namespace datum {

enum class CountType : std::uint8_t { int16, int32, float32 };

/// um = fma(index - ref, per_index, rest) for x (of the column), y (of the row) and z (of the count).
struct AxisToUm {
  std::int32_t ref = 0;
  float per_index = 0, rest = 0;
};

/// The axis um = offset_um + scale_um * index, for indices near `near`. |near| < 2^30.
inline AxisToUm axis_to_um(double scale_um, double offset_um, double near) {
  AxisToUm a;
  a.ref = static_cast<std::int32_t>(std::nearbyint(near));
  a.per_index = static_cast<float>(scale_um);
  a.rest = static_cast<float>(offset_um + scale_um * a.ref);
  return a;
}

/// Coordinates of one site: x, y from the ring's centre, z from the nominal board there.
struct SiteGrid {
  AxisToUm x, y, z;
};

DATUM_HD float um_of(const AxisToUm& axis, std::int32_t index) {
  // wraps around where the sensor's mark for a missing height is far away
  const auto from_ref =
      static_cast<std::int32_t>(static_cast<std::uint32_t>(index) - static_cast<std::uint32_t>(axis.ref));
  return ::fmaf(static_cast<float>(from_ref), axis.per_index, axis.rest);
}
DATUM_HD float um_of(const AxisToUm& axis, std::int16_t count) {
  return um_of(axis, static_cast<std::int32_t>(count));
}
DATUM_HD float um_of(const AxisToUm& axis, float count) {
  return ::fmaf(count - static_cast<float>(axis.ref), axis.per_index, axis.rest);
}

/// In a frame slot a pixel that has no height holds this count (float: NaN).
constexpr std::int16_t no_count_16 = INT16_MIN;
constexpr std::int32_t no_count_32 = INT32_MIN;

}  // namespace datum
