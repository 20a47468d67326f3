// The kernels of diffusion. A lane has 4 counts along x of R rows and walks along z: what passes to the next plane stays in
// its registers, what passes along x goes from lane to lane, and along y from row to row. Each warp fetches its own rows
// one plane ahead into shared memory, so that no warp waits for another; but for sums of gradients, which need one
// barrier in a plane.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "gpu/core/cuda_dialect.cuh"
#include "gpu/core/cuda_support.cuh"
#include "gpu/core/quotient.h"
#include "gpu/diffusion/diffusion_lane.h"
#include "gpu/diffusion/diffusion_math.h"

namespace datum::diffusion {

struct CudaLane : ScalarLane {
  static __device__ __forceinline__ F at_most_one(F v, F scale, F) { return __saturatef(fabsf(v) * scale); }
  /// b is at least 1; where it is huge the flux is truncated to 0 whatever it is.
  static __device__ __forceinline__ F div(F a, F b) { return quotient(a, fminf(b, 0x1p44f)); }
};

constexpr int lane_counts = 4, warp_counts = 32 * lane_counts;

/// One iteration. Rows are `pitch` counts apart, a multiple of 4; counts beyond nx are none.
struct Volume {
  const std::int32_t* from;
  std::int32_t* to;
  int pitch, ny, nz;
  int chunk;  // planes that a lane walks
  unsigned long long*
      gradients;           // sum of |d| of what is written, but for the faces between blocks; null: not asked
  std::int32_t* ends;      // and the counts on both sides of those along x, side by side: Ends
  const float* per_kappa;  // null: that of the flux
  Flux flux;
};

/// The first and the last counts of the rows of each block across: a column of counts is 32 bytes of memory for each of its
/// counts, these are 4.
struct Ends {
  std::int64_t plane;  // of one block's first, or last, counts in one z
  int nz;

  static __host__ __device__ Ends of(int ny, int nz) { return {ny == 1 ? 1 : (ny + 7) / 8 * 8, nz}; }
  __host__ __device__ std::int64_t at(int block, bool last, int z) const {
    return ((2 * std::int64_t{block} + last) * nz + z) * plane;
  }
};

template <Conduction G, bool masked>
struct Face {
  FluxLanes<CudaLane> c;

  __device__ __forceinline__ int operator()(int u, int neighbour) const {
    const int f = flux<CudaLane, G>(CudaLane::sub(neighbour, u), c);
    return masked && (u == no_count_32 || neighbour == no_count_32) ? 0 : f;
  }
};

struct Quad {
  int v[lane_counts];
};
__device__ __forceinline__ Quad load(const std::int32_t* p) {
  const int4 q = *reinterpret_cast<const int4*>(p);
  return {{q.x, q.y, q.z, q.w}};
}

/// Sums |d| over faces, two at a time: each is below 2^31.
template <bool masked>
struct Gradients {
  unsigned long long sum;

  __device__ __forceinline__ static unsigned size(int a, int b, unsigned more) {
    if (masked && (a == no_count_32 || b == no_count_32)) return more;
    return static_cast<unsigned>(__sad(a, b, more));
  }
  __device__ __forceinline__ void add(int a, int b) { sum += size(a, b, 0); }
  __device__ __forceinline__ void add(const int4& a, const int4& b) {
    sum += size(a.x, b.x, size(a.y, b.y, 0));
    sum += size(a.z, b.z, size(a.w, b.w, 0));
  }
  /// Along x: `behind` is the first count of the next lane, or the last of this one.
  __device__ __forceinline__ void add_row(const int4& a, int behind) {
    sum += size(a.x, a.y, size(a.y, a.z, 0));
    sum += size(a.z, a.w, size(a.w, behind, 0));
  }
  __device__ void deliver(unsigned long long* to) {
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xFFFFFFFFu, sum, step);
    if (threadIdx.x % 32 == 0) atomicAdd(to, sum);
  }
};

/// Rows of three planes of a warp: this one, the next, and the one that is on its way.
template <int R, int warps>
struct Ring {
  static constexpr bool flat = R == 1;  // a plane is one row, nothing passes along y
  static constexpr int rows = flat ? 1 : R + 2, first = flat ? 0 : 1, planes = 3;
  int4 row[warps][planes][rows][32];
  int before[warps][planes][R];  // the warp's first counts
  int behind[warps][planes][R];  // its last ones
};

template <Conduction G, bool masked, bool gather, int R, int warps, int blocks>
__global__ void __launch_bounds__(32 * warps, blocks) diffuse_volume(const DATUM_GRID_CONSTANT Volume w) {
  using Rows = Ring<R, warps>;
  constexpr bool flat = Rows::flat;
  __shared__ Rows ring;
  __shared__ int4 first_row[gather && !flat ? 2 : 1][gather && !flat ? 32 * warps : 1];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const int y0 = flat ? 0 : (static_cast<int>(blockIdx.y) * warps + warp) * R;
  const int strip = flat ? static_cast<int>(blockIdx.y) * warps + warp : static_cast<int>(blockIdx.z);
  const int z0 = min(strip * w.chunk, w.nz), z1 = min(z0 + w.chunk, w.nz);
  if ((y0 >= w.ny || z0 == z1) && !(gather && !flat)) return;  // else the block waits for all of its warps
  const int x_warp = static_cast<int>(blockIdx.x) * warp_counts, x = x_warp + lane * lane_counts;
  const bool inside = x < w.pitch, right_inside = x + lane_counts < w.pitch;
  const std::int64_t plane = std::int64_t{w.pitch} * w.ny;
  const auto row = [&](int y) { return max(0, min(y, w.ny - 1)) * w.pitch; };
  const int at = row(y0) + min(x, w.pitch - lane_counts);
  // Lane r fetches what lies before row r, lane R + r what lies behind it.
  const int at_end =
      row(y0 + lane % R) + (lane < R ? x_warp - (x_warp > 0) : min(x_warp + warp_counts, w.pitch - 1));

  const auto fetch = [&](int z, int slot) {
    const std::int32_t* from = w.from + min(z, w.nz - 1) * plane;
#pragma unroll
    for (int k = 0; k < Rows::rows; ++k) {
      const int y = y0 + k - Rows::first;
      const int skip = (max(0, min(y, w.ny - 1)) - min(y0, w.ny - 1)) * w.pitch;
      __pipeline_memcpy_async(&ring.row[warp][slot][k][lane], from + at + skip, sizeof(int4));
    }
    int* const end = lane < R ? &ring.before[warp][slot][lane % R] : &ring.behind[warp][slot][lane % R];
    if (lane < 2 * R) __pipeline_memcpy_async(end, from + at_end, sizeof(int));
    __pipeline_commit();
  };

  Face<G, masked> face{FluxLanes<CudaLane>::of(w.flux)};
  if (w.per_kappa) face.c.per_kappa = *w.per_kappa;
  Gradients<masked> gradients{};

  int here_slot = 0, next_slot = 1, far_slot = 2;
  fetch(z0, here_slot);
  fetch(z0 + 1, next_slot);
  std::int32_t* to = w.to + z0 * plane + at;
  int flux_z[R][lane_counts];
  int4 written[R];
  {
    __pipeline_wait_prior(1);
    __syncwarp();
    const std::int32_t* before = w.from + (min(max(z0 - 1, 0), w.nz - 1)) * plane + at;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const Quad b = load(before + (min(y0 + r, w.ny - 1) - min(y0, w.ny - 1)) * w.pitch);
      const Quad h =
          load(reinterpret_cast<const std::int32_t*>(&ring.row[warp][here_slot][Rows::first + r][lane]));
#pragma unroll
      for (int i = 0; i < lane_counts; ++i) flux_z[r][i] = face(b.v[i], h.v[i]);
    }
  }
#pragma unroll 1
  for (int z = z0; z < z1; ++z) {
    __pipeline_wait_prior(0);
    __syncwarp();
    fetch(z + 2, far_slot);
    const auto at_row = [&](int slot, int k) {
      return load(reinterpret_cast<const std::int32_t*>(&ring.row[warp][slot][k][lane]));
    };
    const int at_warp_start =
        face(ring.before[warp][here_slot][lane % R], ring.row[warp][here_slot][Rows::first + lane % R][0].x);
    Quad here = at_row(here_slot, Rows::first);
    int flux_y[lane_counts] = {};
    if (!flat) {
      const Quad above = at_row(here_slot, 0);
#pragma unroll
      for (int i = 0; i < lane_counts; ++i) flux_y[i] = face(above.v[i], here.v[i]);
    }
#pragma unroll
    for (int r = 0; r < R; ++r) {
      Quad below = here;
      if (!flat) below = at_row(here_slot, Rows::first + (flat ? 0 : r + 1));
      const Quad next = at_row(next_slot, Rows::first + r);
      int right = __shfl_down_sync(0xFFFFFFFFu, here.v[0], 1);
      right = lane == 31 ? ring.behind[warp][here_slot][r] : right;
      right = right_inside ? right : here.v[3];
      int flux_x[lane_counts + 1];
#pragma unroll
      for (int i = 0; i < lane_counts; ++i)
        flux_x[i + 1] =
            face(here.v[i], i + 1 < lane_counts ? here.v[i + 1 < lane_counts ? i + 1 : i] : right);
      flux_x[0] = __shfl_up_sync(0xFFFFFFFFu, flux_x[lane_counts], 1);
      const int first = __shfl_sync(0xFFFFFFFFu, at_warp_start, r);
      flux_x[0] = lane == 0 ? first : flux_x[0];
      int sum[lane_counts];
#pragma unroll
      for (int i = 0; i < lane_counts; ++i) {
        sum[i] = here.v[i] + (flux_x[i + 1] - flux_x[i]);
        if (!flat) {
          const int down = face(here.v[i], below.v[i]);
          sum[i] += down - flux_y[i];
          flux_y[i] = down;
        }
        const int onward = face(here.v[i], next.v[i]);
        sum[i] += onward - flux_z[r][i];
        flux_z[r][i] = onward;
      }
      const bool store = inside && y0 + r < w.ny;
      const int4 done = make_int4(sum[0], sum[1], sum[2], sum[3]);
      if (store) *reinterpret_cast<int4*>(to + r * w.pitch) = done;
      if (gather) {
        int behind = __shfl_down_sync(0xFFFFFFFFu, sum[0], 1);
        behind = lane < 31 && right_inside ? behind : sum[3];
        if (store) {
          gradients.add_row(done, behind);
          if (z > z0) gradients.add(written[r], done);
          if (r > 0) gradients.add(written[r > 0 ? r - 1 : 0], done);
        }
        written[r] = done;
      }
      here = below;
    }
    if (gather && (lane == 0 || lane == 31)) {
      std::int32_t* const end =
          w.ends + Ends::of(w.ny, w.nz).at(static_cast<int>(blockIdx.x), lane == 31, z) + y0;
#pragma unroll
      for (int r = 0; r < R; ++r)
        if (inside && y0 + r < w.ny) end[r] = lane == 0 ? written[r].x : written[r].w;
    }
    if (gather && !flat) {  // two slots, so that one barrier is enough
      first_row[z % 2][thread] = written[0];
      __syncthreads();
      if (warp + 1 < warps && inside && y0 + R < w.ny)
        gradients.add(written[R - 1], first_row[z % 2][thread + 32]);
    }
    to += plane;
    const int slot = here_slot;
    here_slot = next_slot;
    next_slot = far_slot;
    far_slot = slot;
  }
  if (gather) gradients.deliver(w.gradients);
}

/// The faces that lie between two blocks of diffuse_volume, and kappa from all.
struct Seams {
  const std::int32_t* counts;
  const std::int32_t* ends;
  int pitch, ny, nz;
  int rows, chunk;  // of a block; a map has no seams along y
  unsigned long long* sum;
  unsigned* done;  // blocks
  unsigned long long faces;
  Conduction conduction;
  double* kappa;
  float* per_kappa;
};

constexpr int seam_threads = 256;

template <bool masked>
__global__ void __launch_bounds__(seam_threads) gather_seams(const Seams s) {
  const std::int64_t plane = std::int64_t{s.pitch} * s.ny;
  const int first = static_cast<int>(blockIdx.x) * seam_threads + static_cast<int>(threadIdx.x);
  const int step = static_cast<int>(gridDim.x) * seam_threads;
  const int quads = s.pitch / lane_counts, along_y = (s.ny - 1) / s.rows, along_z = (s.nz - 1) / s.chunk;
  const int along_x = (s.pitch - 1) / warp_counts;
  Gradients<masked> gradients{};
  const auto pair = [&](const std::int32_t* a, const std::int32_t* b) {
    gradients.add(*reinterpret_cast<const int4*>(a), *reinterpret_cast<const int4*>(b));
  };
  for (int i = first; i < s.nz * along_y * quads; i += step) {
    const int row = i / quads;
    const std::int32_t* at = s.counts + row / along_y * plane +
                             std::int64_t{(row % along_y + 1) * s.rows} * s.pitch + i % quads * lane_counts;
    pair(at - s.pitch, at);
  }
  for (int i = first; i < along_z * s.ny * quads; i += step) {
    const std::int32_t* at = s.counts + std::int64_t{i / (s.ny * quads) + 1} * s.chunk * plane +
                             std::int64_t{i % (s.ny * quads)} * lane_counts;
    pair(at - plane, at);
  }
  const Ends ends = Ends::of(s.ny, s.nz);
  for (int i = first; i < along_x * s.ny * s.nz; i += step) {
    const int y = i % s.ny, z = i / s.ny % s.nz, block = i / s.ny / s.nz;
    gradients.add(s.ends[ends.at(block, true, z) + y], s.ends[ends.at(block + 1, false, z) + y]);
  }
  __shared__ unsigned long long of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  gradients.deliver(&of_block);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(s.sum, of_block);
  __threadfence();
  __syncthreads();
  if (threadIdx.x != 0 || atomicAdd(s.done, 1) + 1 < gridDim.x) return;
  __threadfence();
  *s.kappa = mean_gradient(atomicExch(s.sum, 0ull), s.faces);
  *s.per_kappa = per_kappa(s.conduction, *s.kappa);
  *s.done = 0;
}

}  // namespace datum::diffusion
