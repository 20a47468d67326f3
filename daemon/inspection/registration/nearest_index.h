// The pixel or cell nearest to a place.
#pragma once

namespace datum {

/// floor(x + 0.5) for |x| < 2^31. Without a call and a branch: SSE2 has no rounding down, and searches do this for each point.
inline int nearest_index(double x) {
  const int cut = static_cast<int>(x + 0.5);  // NOLINT(bugprone-incorrect-roundings): towards zero
  return cut - static_cast<int>(static_cast<double>(cut) > x + 0.5);
}

}  // namespace datum
