// Device memory of the plane fit, and the two forms in which points lie there.
#pragma once

#include <cstdint>

#include "gpu/core/height_map.h"
#include "gpu/plane_fit/plane_fit_pixels.h"
#include "gpu/plane_fit/plane_fit_steps.h"

namespace datum::cuda {

constexpr int block_threads = 256, block_warps = block_threads / 32, blocks_per_multiprocessor = 4;
constexpr int max_subset = 1536, max_pool = 512, max_counted = 64, max_tried = 1024;
constexpr std::uint32_t max_points = 1u
                                     << 22;  // of a plane: a count and a number of a hypothesis share 32 bits
constexpr std::uint32_t draw_capacity = 2048;  // per plane; more are drawn only where points coincide
constexpr int quads_per_thread = 8;            // 32 points: their products' sums fit 32 bits
constexpr std::uint32_t summed_quads = block_threads * quads_per_thread, max_tile_quads = 2 * summed_quads;

/// What is known of a plane before its points are read.
struct PlaneTask {
  std::uint64_t first = 0;  // quads of the points begin here
  std::uint32_t quads = 0;  // four points each
  std::uint32_t size = 0;   // points
  std::uint32_t tiles = 0;
  std::uint32_t draws = 0, draw_room = 0;  // place in the list of draws
  std::uint32_t first_tile = 0;            // its number among all planes' tiles
  float half_x = 0, half_y = 0, threshold = 0, refit_threshold = 0;
  std::uint64_t seed = 0;
  std::uint32_t by_number = 0;    // the points are drawn by number
  std::uint32_t fours_drawn = 0;  // place of them in a map's list
  std::uint32_t first_limit = 0;  // keys of the first draw, generous: as if a quarter had no height
  std::uint32_t subset_limit = 0, pool_limit = 0;  // key_limit() where every point has a height
  SiteGrid grid;
};

/// What the pass over a plane's points is for. first: nothing is known yet, points are selected by place. done: no pass.
enum class Phase : std::uint32_t { first, select, survey, count, accumulate, done };

/// What is found out about a plane. All zero between two batches.
struct PlaneWork {
  std::uint32_t tiles_done, valid, outside, draw_count;
  std::uint32_t key_limit;  // of the select pass; 0: the first
  Phase phase;
  std::uint32_t surveyed;   // valid and outside are known
  std::uint32_t by_number;  // the pool is the subset
  std::uint32_t tried, subset_size, pool_size, counted;
  int needed, top;
  alignas(16) long long moments[10];
  std::uint32_t counts[max_counted];
  float4 hypotheses[max_counted];
  Refiner refiner;
  PlaneFit fit;
};

/// Each on its own line of the cache: blocks that wait read some of them all the time.
struct Queue {
  alignas(128) unsigned long long head;
  alignas(128) unsigned long long tail;
  alignas(128) unsigned long long first_next;
  alignas(128) unsigned int planes_done;
  unsigned int blocks_done, abandoned;
};

/// hypotheses_needed() by table.
struct NeededTable {
  const double* miss_one;  // up to which k + 1 hypotheses suffice
  float log2_miss;         // of all hypotheses, allowed
};

/// One batch as the kernel sees it.
struct Batch {
  const PlaneTask* tasks;
  PlaneWork* work;
  float4* draws;               // x, y, z, key
  float4* band;                // x, y, r; a tile has room for all its points
  std::uint32_t* band_counts;  // of each tile
  std::uint32_t* all_counts;   // exact mode: max_tried per plane
  float4 *subsets, *pools;     // exact mode: max_subset and max_pool per plane
  PlaneFit* fits;
  std::uint32_t* undone;  // per plane: the CPU must do it
  Queue* queue;
  unsigned long long* slots;
  unsigned int slot_mask;
  const std::uint32_t* searches;          // planes whose points are drawn by number
  const unsigned long long* first_tasks;  // plane << tile_bits | tile
  unsigned int first_count, planes;
  std::uint32_t tile_quads;
  NeededTable needed;
  int max_hypotheses;
  bool perpendicular;
  unsigned long long patience_ns;
};

struct Quad {
  float x[4], y[4], z[4];
};

/// Three arrays; every plane begins on 16 bytes and is filled up with z = NaN to whole quads.
struct PointSource {
  static constexpr bool bounded = false;  // points may lie outside the plane's bounds
  static constexpr int ahead = 2;         // loads of a thread at a time
  const float4 *x, *y, *z;

  struct Raw {
    float4 x, y, z;
  };
  __device__ Raw load(const PlaneTask& task, std::uint32_t quad) const {
    const std::uint64_t at = task.first + quad;
    return Raw{__ldg(x + at), __ldg(y + at), __ldg(z + at)};
  }
  __device__ static Quad unpack(const PointSource&, const PlaneTask&, const Raw& r) {
    return Quad{{r.x.x, r.x.y, r.x.z, r.x.w}, {r.y.x, r.y.y, r.y.z, r.y.w}, {r.z.x, r.z.y, r.z.z, r.z.w}};
  }
  /// The k-th four drawn by number.
  __device__ Quad drawn(const PlaneTask& task, std::uint32_t k) const {
    return unpack(*this, task, load(task, plane_math::drawn_four(k, task.size, task.seed)));
  }
};

/// um_of for |index - ref| < 2^22, where the conversion to float is exact and an addition does it: converting is slow.
__device__ inline float small_um_of(const AxisToUm& axis, std::int32_t index) {
  return fmaf(__int_as_float(0x4B400000 + (index - axis.ref)) - 12582912.f, axis.per_index, axis.rest);
}
/// prepare() sees to it that 16-bit counts lie near their reference.
__device__ inline float z_of(const AxisToUm& axis, std::int16_t count) { return small_um_of(axis, count); }
template <class Count>
__device__ float z_of(const AxisToUm& axis, Count count) {
  return um_of(axis, count);
}

template <class Count>
struct alignas(4 * sizeof(Count)) Four {
  Count v[4];
};

/// A height map and a table of its aligned groups of four pixels: index << 4 | which of the four belong to the plane.
template <class Count>
struct MapSource {
  static constexpr bool bounded = true;  // prepare() has looked
  static constexpr int ahead = 4;
  const Count* image;
  const std::uint32_t* table;
  const uint4* pixels_drawn;  // the fours of each plane, in the order of their numbers
  std::uint32_t groups_per_row;
  unsigned long long row_magic;  // ceil(2^38 / groups_per_row)

  struct Raw {
    std::uint32_t entry;
    Four<Count> counts;
  };
  __device__ Raw load(const PlaneTask& task, std::uint32_t quad) const {
    const std::uint32_t entry = __ldg(table + task.first + quad);
    Raw r{entry, {}};
    const Count* at = image + std::uint64_t{entry >> 4} * 4;
    if constexpr (sizeof(Count) == 2) {
      const uint2 two = *reinterpret_cast<const uint2*>(at);
      r.counts.v[0] = static_cast<Count>(two.x & 0xFFFF);
      r.counts.v[1] = static_cast<Count>(two.x >> 16);
      r.counts.v[2] = static_cast<Count>(two.y & 0xFFFF);
      r.counts.v[3] = static_cast<Count>(two.y >> 16);
    } else {
      r.counts = *reinterpret_cast<const Four<Count>*>(at);
    }
    return r;
  }
  __device__ static bool missing(std::int16_t c) { return c == no_count_16; }
  __device__ static bool missing(std::int32_t c) { return c == no_count_32; }
  __device__ static bool missing(float) { return false; }  // NaN stays NaN

  __device__ std::uint32_t row_of(std::uint32_t group) const {
    return static_cast<std::uint32_t>((group * row_magic) >> 38);
  }
  __device__ Quad drawn(const PlaneTask& task, std::uint32_t k) const {
    const uint4 four = __ldg(pixels_drawn + task.fours_drawn + k);
    const std::uint32_t pixels[4] = {four.x, four.y, four.z, four.w};
    Quad q;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t pixel = pixels[i];
      const Count count = pixel != no_pixel ? image[pixel] : Count{};
      const std::uint32_t row = row_of(pixel / 4);
      q.x[i] = small_um_of(task.grid.x, static_cast<std::int32_t>(pixel - row * groups_per_row * 4));
      q.y[i] = small_um_of(task.grid.y, static_cast<std::int32_t>(row));
      q.z[i] = pixel == no_pixel || missing(count) ? __int_as_float(0x7FC00000) : z_of(task.grid.z, count);
    }
    return q;
  }

  __device__ static Quad unpack(const MapSource& s, const PlaneTask& task, const Raw& r) {
    const std::uint32_t group = r.entry >> 4;
    const std::uint32_t row = s.row_of(group);
    const std::int32_t col = static_cast<std::int32_t>(group - row * s.groups_per_row) * 4;
    const float y = small_um_of(task.grid.y, static_cast<std::int32_t>(row));
    Quad q;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      q.x[i] = small_um_of(task.grid.x, col + i);
      q.y[i] = y;
      const bool none = (r.entry >> i & 1) == 0 || missing(r.counts.v[i]);
      q.z[i] = none ? __int_as_float(0x7FC00000) : z_of(task.grid.z, r.counts.v[i]);
    }
    return q;
  }
};

}  // namespace datum::cuda
