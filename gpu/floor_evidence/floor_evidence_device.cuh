// Device memory of the floors' evidence, and the pass over the pixels that sums them.
#pragma once

#include <cstdint>

#include "gpu/component_height/box_products_cuda.h"
#include "gpu/floor_evidence/floor_evidence_math.h"
#include "gpu/floor_evidence/ring_table.h"
#include "gpu/plane_fit/plane_fit.h"

namespace datum::cuda {

using ring_math::PieceSums;
using ring_math::RingPass;

constexpr int ring_threads = 256, ring_warps = ring_threads / 32;
constexpr int groups_per_thread = tile_groups / ring_threads;
constexpr int moment_count = 21;

/// What is known of a ring before its pixels are read.
struct RingTask {
  SitePlan site;
  RingPass pass;  // without the plane
  std::uint32_t tiles = 0, first_group = 0;
};

/// What is found out about a ring. Sums are zero between two boards.
struct RingWork {
  unsigned long long moments[moment_count];
  unsigned int side_inliers[site_sides];
  unsigned int on_floor, tiles_done;
  unsigned int histogram[level::bins];
  ring_math::Form form;
};

/// Eight counts as they lie in the image.
template <class Count>
struct alignas(16) Eight {
  Count v[group_px];
};

__device__ inline bool is_missing(std::int16_t c) { return c == no_count_16; }
__device__ inline bool is_missing(std::int32_t c) { return c == no_count_32; }
__device__ inline bool is_missing(float) { return false; }  // NaN stays NaN

template <class Count>
__device__ Eight<Count> load(const Count* image, const PixelGroup& group) {
  return reinterpret_cast<const Eight<Count>*>(image)[group.at];
}

__device__ inline RingPass pass_of(const RingTask& task, const PlaneFit& fit) {
  RingPass p = task.pass;
  p.minus_a = static_cast<float>(-fit.a);
  p.minus_b = static_cast<float>(-fit.b);
  p.c = static_cast<float>(fit.c);
  return p;
}

/// use(k, residual) for the eight pixels; NaN where a pixel is not of the ring or has no height.
template <class Count, class Use>
__device__ void for_residuals(const SiteGrid& grid, const RingPass& pass, const PixelGroup& group,
                              const Eight<Count>& counts, Use use) {
  const float y = um_of(grid.y, group.row);
#pragma unroll
  for (int k = 0; k < group_px; ++k) {
    const bool measured = (group.pixels >> k & 1) && !is_missing(counts.v[k]);
    const float z = measured ? um_of(grid.z, counts.v[k]) : __int_as_float(0x7FC00000);
    use(k, ring_math::residual(pass, um_of(grid.x, group.col + k), y, z));
  }
}

/// One thread's share of a tile: sums of RingMoments, those that fit 32 bits apart.
struct RingSums {
  std::int32_t uv[10] = {}, r[3] = {};
  std::int64_t high_uv[5] = {}, high_r[3] = {};
  unsigned int low_sides = 0, high_sides = 0;  // inliers of sides 0 and 1, 2 and 3, 16 bits each
  unsigned int on_floor = 0;

  /// Adds the sums of a group at cell v whose origin is cell u. As RowSums and add_row do, in words.
  __device__ void add(const PieceSums& s, std::int32_t u, std::int32_t v) {
    const std::int32_t a1 = s.w + u * s.n, b1 = s.ww + u * s.w, c1 = s.www + u * s.ww,
                       d1 = s.wwww + u * s.www;
    const std::int32_t b2 = b1 + u * a1, c2 = c1 + u * b1, d2 = d1 + u * c1;
    const std::int32_t c3 = c2 + u * b2, d3 = d2 + u * c2;
    const std::int32_t nv = s.n * v, av = a1 * v, bv = b2 * v, vv = v * v, vvv = vv * v;
    const std::int32_t low[10] = {s.n, a1, nv, b2, av, nv * v, c3, bv, av * v, nv * vv};
#pragma unroll
    for (int i = 0; i < 10; ++i) uv[i] += low[i];
    high_uv[0] += std::int64_t{c3} * u + d3;
    high_uv[1] += std::int64_t{c3} * v;
    high_uv[2] += std::int64_t{b2} * vv;
    high_uv[3] += std::int64_t{a1} * vvv;
    high_uv[4] += std::int64_t{nv} * vvv;
    const std::int32_t r1 = s.rw + u * s.r, r2 = s.rww + u * s.rw, rv = s.r * v;
    r[0] += s.r;
    r[1] += r1;
    r[2] += rv;
    high_r[0] += std::int64_t{r1} * u + r2;
    high_r[1] += std::int64_t{r1} * v;
    high_r[2] += std::int64_t{rv} * v;
  }
  /// Number `i` of the 21 of RingMoments.
  __device__ std::int64_t moment(int i) const {
    return i < 10 ? uv[i] : i < 15 ? high_uv[i - 10] : i < 18 ? r[i - 15] : high_r[i - 18];
  }
};
// Origins lie up to seven pixels outside the ring.
static_assert(std::int64_t{groups_per_thread} * group_px * (ring_cells_max + 7) * ring_cells_max *
                      ring_cells_max <
                  INT32_MAX,
              "sums up to the third degree overflow");
static_assert(std::int64_t{group_px} * ring_steps_max * (ring_cells_max + 7) * groups_per_thread < INT32_MAX,
              "sums of r u overflow");

/// `steps`: of the inliers' residuals over the plane alone, packed, 0 elsewhere.
template <class Count>
__device__ void add_group(const SiteGrid& grid, const RingPass& pass, const PixelGroup& group,
                          const Eight<Count>& counts, unsigned int* histogram, RingSums* sums,
                          Eight<std::uint16_t>* steps) {
  PieceSums s;
  unsigned int inliers = 0;
  const std::int32_t index = group.col - pass.u.ref, origin = index >> pass.u.shift;
  for_residuals(grid, pass, group, counts, [&](int k, float r) {
    // without branches, so that pixels wait side by side; NaN is nowhere
    const float far = fabsf(r);
    sums->on_floor += far <= pass.threshold;
    const std::int32_t bin = level::bin_of(r, pass.binning.per_um);
    if (level::is_beside(bin, pass.binning.excluded)) atomicAdd(histogram + bin, 1u);
    const bool inlier = far <= pass.refit_threshold;
    steps->v[k] = packed_step(inlier ? ring_math::noise_step(pass, r) : 0);
    inliers |= inlier ? 1u << k : 0;
    const std::int32_t w = inlier ? ((index + k) >> pass.u.shift) - origin : 0;
    const std::int32_t step = inlier ? ring_math::moment_step(pass, r) : 0;
    const std::int32_t ww = w * w;
    s.w += w;
    s.ww += ww;
    s.www += ww * w;
    s.wwww += ww * ww;
    s.r += step;
    s.rw += step * w;
    s.rww += step * ww;
  });
  s.n = __popc(inliers);
  sums->add(s, origin, ring_math::cell_of(pass.v, group.row));
  const unsigned int low = group.pixels >> 8, high = group.pixels >> 16;
  sums->low_sides += __popc(inliers & ~low & ~high) + (__popc(inliers & low & ~high) << 16);
  sums->high_sides += __popc(inliers & ~low & high) + (__popc(inliers & low & high) << 16);
}

constexpr unsigned int all_lanes = 0xFFFFFFFFu;

/// Sum over a warp, exact for |v| < 2^52.
__device__ inline long long wide_sum(long long v) {
  const unsigned int low = __reduce_add_sync(all_lanes, static_cast<unsigned int>(v) & 0x3FFFFFFu);
  const int high = __reduce_add_sync(all_lanes, static_cast<int>(v >> 26));
  return (static_cast<long long>(high) << 26) + low;
}
// Of one thread: groups_per_thread groups of u^4.
static_assert(std::int64_t{groups_per_thread} * group_px * ring_cells_squared * ring_cells_squared <
                  (std::int64_t{1} << 52),
              "a warp's sum overflows");

/// Sums that fit 32 bits over a whole warp: 1, u, v, uu, uv, vv and r, ru, rv.
__device__ constexpr bool is_small(int moment) { return moment < 6 || (moment >= 15 && moment < 18); }
static_assert(std::int64_t{32} * groups_per_thread * group_px * ring_steps_max * ring_cells_max <= INT32_MAX,
              "a warp's small sum overflows");

/// Adds a warp's sums into a row of its own; all lanes take part.
__device__ inline void store_warp_sums(const RingSums& sums, long long (*moments)[moment_count],
                                       unsigned int (*counts)[3]) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const bool first = threadIdx.x % 32 == 0;
#pragma unroll
  for (int i = 0; i < moment_count; ++i) {
    const long long v = sums.moment(i);
    const long long total = is_small(i) ? __reduce_add_sync(all_lanes, static_cast<int>(v)) : wide_sum(v);
    if (first) moments[warp][i] = total;
  }
  const unsigned int low = __reduce_add_sync(all_lanes, sums.low_sides);
  const unsigned int high = __reduce_add_sync(all_lanes, sums.high_sides);
  const unsigned int on_floor = __reduce_add_sync(all_lanes, sums.on_floor);
  if (first) {
    counts[warp][0] = low;
    counts[warp][1] = high;
    counts[warp][2] = on_floor;
  }
}

}  // namespace datum::cuda
