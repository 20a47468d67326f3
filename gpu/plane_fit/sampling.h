// Which points of a plane are sampled: the rule of every backend. C++17.
#pragma once

#include "gpu/core/philox.h"
#include "gpu/plane_fit/plane_fit_math.h"

namespace datum::plane_math {

constexpr std::uint32_t subset_target = 1024, pool_target = 256;

/// Random 32-bit key of a point: from its place and the plane's seed alone, so that neither the order of the
/// points nor the batch matters. (Multiply and xor-shift rounds; a lattice's keys must be uniform, see the
/// test.)
template <class U>
DATUM_HD U point_key(U x, U y, std::uint32_t seed_low, std::uint32_t seed_high) {
  U h = (x ^ seed_low) * 0x9E3779B1u;
  h = h ^ (h >> 15);
  h = (h + (y ^ seed_high)) * 0x85EBCA77u;
  h = h ^ (h >> 13);
  h = h * 0xC2B2AE3Du;
  return h ^ (h >> 16);
}

/// Key limit that `target` of `valid` points are expected to meet; all of them where they are not many more.
DATUM_HD std::uint32_t key_limit(std::uint32_t valid, std::uint32_t target) {
  if (valid <= target + target / 2) return 0xFFFFFFFFu;
  return static_cast<std::uint32_t>((std::uint64_t{target} << 32) / valid - 1);
}

/// Points are sampled by index in quads that lie beside each other, for memory is read in such pieces. These are looked
/// at: all where they are not many more than a subset.
constexpr std::uint32_t max_sampled_points = subset_target + subset_target / 2;
DATUM_HD std::uint32_t sampled_quads(std::uint32_t size) {
  return size <= max_sampled_points ? (size + 3) / 4 : subset_target / 4;
}

/// Which quad is the k-th of them, k < sampled_quads(size): one of each of as many equal parts of the points. The last
/// may have less than four points. (Hypotheses have counters whose second word is 0.)
DATUM_HD std::uint32_t sampled_quad(std::uint32_t k, std::uint32_t size, std::uint64_t seed) {
  if (size <= max_sampled_points) return k;
  const std::uint64_t quads = (size + 3) / 4;
  const auto begin = static_cast<std::uint32_t>(k * quads / (subset_target / 4)),
             end = static_cast<std::uint32_t>((k + 1) * quads / (subset_target / 4));
  return begin + multiply_high(philox(PhiloxBlock{{k, 1, 0, 0}}, seed).word[0], end - begin);
}

/// A point without a height stands for nothing; one out of bounds ends the fit, but not here.
DATUM_HD bool may_be_sampled(float x, float y, float z, const FitRegion& region) {
  return has_height(z) && ::fabsf(x) <= region.half_x && ::fabsf(y) <= region.half_y;
}

/// Whether `sampled` points, those of the quads that have a height, are too few to stand for a plane.
DATUM_HD bool too_few_sampled(std::uint32_t sampled, std::uint32_t size) {
  return 2 * sampled < (size <= max_sampled_points ? size : subset_target);
}

}  // namespace datum::plane_math
