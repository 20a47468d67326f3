// Inlier sums on the device: the accumulate pass over a tile (DESIGN.md, steps 5 and 6). A thread sums in 32 bits as
// many points as fit, a warp in 64 bits, a tile adds to its plane in device memory by atomic additions of integers.
#pragma once

#include "gpu/plane_fit/inlier_sums.h"
#include "gpu/plane_fit/point_sources.cuh"
#include "gpu/plane_fit/shared_memory.cuh"
#include "gpu/plane_fit/validity_scan.cuh"
#include "gpu/plane_fit/warp.cuh"

namespace datum::cuda {

using plane_math::Base;

/// The ten moments of at most 32 points.
struct Sums {
  int n = 0, x = 0, y = 0, r = 0, xx = 0, xy = 0, yy = 0, xr = 0, yr = 0, rr = 0;

  __device__ void add(bool in, float px, float py, float pr, const Base& base) {
    const int qx = quantised(in ? px : 0.f, base.scale_x), qy = quantised(in ? py : 0.f, base.scale_y),
              qr = quantised(in ? pr : 0.f, base.scale_r);
    n += in;
    x += qx;
    y += qy;
    r += qr;
    xx += qx * qx;
    xy += qx * qy;
    yy += qy * qy;
    xr += qx * qr;
    yr += qy * qr;
    rr += qr * qr;
  }
  /// Adds the point if |r| < base.always_inlier; else, if |r| <= base.possible_inlier, sets `bit` in `boundary`.
  /// Predicated additions cost nothing more, selecting each value to add would cost an instruction.
  __device__ void add_or_flag(float pr, float px, float py, const Base& base, unsigned bit,
                              unsigned& boundary) {
    const int qx = quantised(px, base.scale_x), qy = quantised(py, base.scale_y),
              qr = quantised(pr, base.scale_r);
    asm("{\n\t"
        ".reg .pred in, by;\n\t"
        ".reg .f32 a;\n\t"
        "abs.f32 a, %11;\n\t"
        "setp.lt.f32 in, a, %12;\n\t"
        "setp.le.and.f32 by, a, %13, !in;\n\t"
        "@in add.s32 %0, %0, 1;\n\t"
        "@in add.s32 %1, %1, %14;\n\t"
        "@in add.s32 %2, %2, %15;\n\t"
        "@in add.s32 %3, %3, %16;\n\t"
        "@in mad.lo.s32 %4, %14, %14, %4;\n\t"
        "@in mad.lo.s32 %5, %14, %15, %5;\n\t"
        "@in mad.lo.s32 %6, %15, %15, %6;\n\t"
        "@in mad.lo.s32 %7, %14, %16, %7;\n\t"
        "@in mad.lo.s32 %8, %15, %16, %8;\n\t"
        "@in mad.lo.s32 %9, %16, %16, %9;\n\t"
        "@by or.b32 %10, %10, %17;\n\t"
        "}"
        : "+r"(n), "+r"(x), "+r"(y), "+r"(r), "+r"(xx), "+r"(xy), "+r"(yy), "+r"(xr), "+r"(yr), "+r"(rr),
          "+r"(boundary)
        : "f"(pr), "f"(base.always_inlier), "f"(base.possible_inlier), "r"(qx), "r"(qy), "r"(qr), "r"(bit));
  }
  __device__ static int quantised(float v, float scale) {
    return __float_as_int(fmaf(v, scale, 12582912.f)) - 0x4B400000;
  }
};

/// Lane k gets the k-th of the ten moments of a warp.
__device__ inline long long sum_in_warp(const Sums& s) {
  const int once[4] = {s.n, s.x, s.y, s.r}, twice[6] = {s.xx, s.xy, s.yy, s.xr, s.yr, s.rr};
  const int lane = threadIdx.x % 32;
  long long mine = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int sum = __reduce_add_sync(whole_warp, once[k]);  // of 1024 points of 14 bits
    if (lane == k) mine = sum;
  }
#pragma unroll
  for (int k = 0; k < 6; ++k) {
    const unsigned low = __reduce_add_sync(whole_warp, static_cast<unsigned>(twice[k]) & 0xFFFFu);
    const int high = __reduce_add_sync(whole_warp, twice[k] >> 16);
    if (lane == 4 + k) mine = (static_cast<long long>(high) << 16) + low;
  }
  return mine;
}

/// The ten moments of one thread over any number of points.
struct WideSums {
  long long v[10] = {};
  __device__ void add(const Sums& s) {
    v[0] += s.n, v[1] += s.x, v[2] += s.y, v[3] += s.r, v[4] += s.xx;
    v[5] += s.xy, v[6] += s.yy, v[7] += s.xr, v[8] += s.yr, v[9] += s.rr;
  }
};

/// The same over any number of points, |sum| < 2^52.
__device__ inline long long sum_in_warp(const WideSums& s) {
  long long mine = 0;
#pragma unroll
  for (int k = 0; k < 10; ++k) {
    const long long sum = warp_sum(s.v[k]);
    if (threadIdx.x % 32 == k) mine = sum;
  }
  return mine;
}

/// Pass of Phase::accumulate over a tile: sums its always-inliers into `sums` and lists its boundary candidates in
/// `list`, which has room for all its points. Scan: the validity and bounds scan runs in the same pass.
template <bool Scan, class Source>
__device__ void accumulate_tile(const Source& source, const PlaneTask& task, PlaneWork* work, float4* list,
                                std::uint32_t begin, std::uint32_t end, const Base& base, TileSums& sums) {
  const int lane = threadIdx.x % 32;
  long long of_warp = 0;
  ThreadScan scan;
  for (; begin < end; begin += summed_quads) {
    Sums of_thread;
    for_quads<Source::ahead>(
        source, task, begin, end - begin < summed_quads ? end : begin + summed_quads, [&](const Quad& q) {
          if constexpr (Scan) scan.add<Source::bounded>(task, q);
          unsigned boundary = 0;
          float r[4];
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            r[i] = fmaf(-base.a, q.x[i], fmaf(-base.b, q.y[i], q.z[i] - base.c));
            of_thread.add_or_flag(r[i], q.x[i], q.y[i], base, 1u << i, boundary);
          }
          if (boundary == 0) return;
          std::uint32_t at = atomicAdd(&sums.boundary_count, static_cast<std::uint32_t>(__popc(boundary)));
#pragma unroll
          for (int i = 0; i < 4; ++i)
            if (boundary >> i & 1) list[at++] = make_float4(q.x[i], q.y[i], r[i], 0.f);
        });
    of_warp += sum_in_warp(of_thread);
  }
  if constexpr (Scan) {
    const unsigned valid = __reduce_add_sync(whole_warp, scan.valid);
    if (lane == 10) of_warp = valid;
    if (__any_sync(whole_warp, scan.outside) && lane == 0) atomicOr(&work->outside, 1u);
  }
  if (lane < tile_sums) sums.of_warp[threadIdx.x / 32][lane] = of_warp;
}

/// The first warp, after all warps have summed, adds the tile's sums to its plane.
template <bool Scan>
__device__ void add_tile_sums(const TileSums& sums, PlaneWork* work, std::uint32_t* boundary_count) {
  const int lane = threadIdx.x;
  if (lane < tile_sums) {
    long long sum = 0;
#pragma unroll
    for (int w = 0; w < block_warps; ++w) sum += sums.of_warp[w][lane];
    if (lane == 10) {
      if (Scan && sum != 0) atomicAdd(&work->valid, static_cast<std::uint32_t>(sum));
    } else if (sum != 0) {
      atomicAdd(reinterpret_cast<unsigned long long*>(&work->moments[lane]),
                static_cast<unsigned long long>(sum));
    }
  } else if (lane == tile_sums) {
    *boundary_count = sums.boundary_count;
  }
}

}  // namespace datum::cuda
