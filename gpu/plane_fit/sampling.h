// Sampling: which points stand for a plane while hypotheses are tested (DESIGN.md, step 1). The rule is written once
// for every backend. C++17.
#pragma once

#include "gpu/core/philox.h"
#include "gpu/plane_fit/plane_fit_math.h"

namespace datum::plane_math {

/// Points on which hypotheses are counted in screened mode, and points that hypotheses go through.
constexpr std::uint32_t subset_target = 1024, pool_target = 256;

/// Uniform 32-bit key of a point from the bits of its x and y and from the plane's seed, so that neither the order of
/// the points nor the batch changes it. The mixer is the avalanche of xxHash32 (Y. Collet); plane_fit_math_test tests
/// its uniformity on a lattice.
template <class U>
DATUM_HD U point_key(U x, U y, std::uint32_t seed_low, std::uint32_t seed_high) {
  U h = (x ^ seed_low) * 0x9E3779B1u;
  h = h ^ (h >> 15);
  h = (h + (y ^ seed_high)) * 0x85EBCA77u;
  h = h ^ (h >> 13);
  h = h * 0xC2B2AE3Du;
  return h ^ (h >> 16);
}

/// Key limit that selects `target` of `valid` points on average; it selects all of up to 1.5 * target points.
DATUM_HD std::uint32_t key_limit(std::uint32_t valid, std::uint32_t target) {
  if (valid <= target + target / 2) return 0xFFFFFFFFu;
  return static_cast<std::uint32_t>((std::uint64_t{target} << 32) / valid - 1);
}

/// Up to this many points, all are sampled by index.
constexpr std::uint32_t max_sampled_points = subset_target + subset_target / 2;

/// Number of quads, four points of neighbouring indices each, that are sampled by index: memory is read in such pieces.
DATUM_HD std::uint32_t sampled_quads(std::uint32_t size) {
  return size <= max_sampled_points ? (size + 3) / 4 : subset_target / 4;
}

/// Index of the k-th sampled quad, k < sampled_quads(size): one at random of each of as many equal parts of the points
/// (stratified sampling). The last quad may have fewer than four points. The counter's second word is 1 here and 0 for
/// hypotheses, so that their random numbers differ.
DATUM_HD std::uint32_t sampled_quad(std::uint32_t k, std::uint32_t size, std::uint64_t seed) {
  if (size <= max_sampled_points) return k;
  const std::uint64_t quads = (size + 3) / 4;
  const auto begin = static_cast<std::uint32_t>(k * quads / (subset_target / 4)),
             end = static_cast<std::uint32_t>((k + 1) * quads / (subset_target / 4));
  return begin + multiply_high(philox(PhiloxBlock{{k, 1, 0, 0}}, seed).word[0], end - begin);
}

/// Only points with a height inside the bounds are sampled. The scan, not the sampling, reports points out of bounds.
DATUM_HD bool may_be_sampled(float x, float y, float z, const FitRegion& region) {
  return has_height(z) && ::fabsf(x) <= region.half_x && ::fabsf(y) <= region.half_y;
}

/// Whether fewer than half of the points of the sampled quads were usable; the plane is then sampled by position.
DATUM_HD bool too_few_sampled(std::uint32_t sampled, std::uint32_t size) {
  return 2 * sampled < (size <= max_sampled_points ? size : subset_target);
}

}  // namespace datum::plane_math
