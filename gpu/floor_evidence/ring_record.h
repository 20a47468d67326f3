// What the pixels of one ring say about the plane that was fitted to them: exact integers, so that neither
// the order of the pixels nor the backend shows. Plain memory. C++17.
#pragma once

#include <cstdint>
#include <type_traits>

#include "gpu/component_height/box_products.h"

namespace datum {

/// Largest |u|, |v| (cells of pixels from the ring's centre) and |r| (steps of the residual) in
/// RingMoments.
constexpr int ring_cells_max = 255, ring_steps_max = 8191;

/// Sums over the inliers. `uv`: of 1, u, v, uu, uv, vv, uuu, uuv, uvv, vvv, uuuu, uuuv, uuvv, uvvv, vvvv;
/// `r`: of the residual r times 1, u, v, uu, uv, vv.
struct RingMoments {
  std::int64_t uv[15] = {};
  std::int64_t r[6] = {};
};
// A ring has at most as many pixels as a frame, 2^28.
constexpr std::int64_t ring_pixels_max = std::int64_t{1} << 28,
                       ring_cells_squared = std::int64_t{ring_cells_max} * ring_cells_max;
static_assert(ring_pixels_max * ring_cells_squared <= INT64_MAX / ring_cells_squared, "sum of u^4 overflows");
static_assert(ring_pixels_max * ring_cells_squared <= INT64_MAX / ring_steps_max, "sum of r u^2 overflows");

/// Inliers: |residual along z| <= SitePlan::refit_threshold.
struct RingRecord {
  RingMoments moments;
  BoxProducts residuals;               // of the inliers' residuals about the floor, steps of sigma / 32
  std::uint32_t side_inliers[4] = {};  // sides -x, +x, -y, +y of the outline's own axes
  std::uint32_t inliers = 0;
  std::uint32_t on_floor = 0;   // |residual| <= SitePlan::threshold
  std::uint32_t second = 0;     // most pixels of another level (gpu/plane_fit/plane_evidence.h)
  std::int32_t second_bin = 0;  // bin behind that window's last one; 0 where there is no such level
};
static_assert(std::is_trivially_copyable_v<RingRecord>);

}  // namespace datum
