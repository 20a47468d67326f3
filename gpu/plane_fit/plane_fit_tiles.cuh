// The passes over the points: a block takes a tile of one plane.
#pragma once

#include "gpu/plane_fit/plane_fit_device.cuh"

namespace datum::cuda {

using plane_math::Base;
using plane_math::has_height;
using plane_math::Hypothesis;

constexpr unsigned whole_warp = 0xFFFFFFFFu;
constexpr std::uint32_t staged =
    512;  // entries of a tile that are kept in shared memory before they are written out

/// Rare points of a tile, gathered so that one addition to global memory places them all.
struct Staging {
  float4 entry[staged];
  std::uint32_t count, place;
};

/// Sum over a warp, exact for |v| < 2^52.
__device__ inline long long warp_sum(long long v) {
  const unsigned low = __reduce_add_sync(whole_warp, static_cast<unsigned>(v) & 0x3FFFFFFu);
  const int high = __reduce_add_sync(whole_warp, static_cast<int>(v >> 26));
  return (static_cast<long long>(high) << 26) + low;
}

/// 1 where |r| <= reach, else 0; a comparison that yields a float costs one instruction where a predicate costs two.
__device__ inline float is_within(float r, float reach) {
  float hit;
  asm("{.reg .f32 a; abs.f32 a, %1; set.le.f32.f32 %0, a, %2;}" : "=f"(hit) : "f"(r), "f"(reach));
  return hit;
}

/// Keeps a rare point; what finds no room goes to the list at once.
__device__ inline void stage(Staging& s, const float4& entry, float4* list, std::uint32_t room,
                             std::uint32_t* list_count) {
  const std::uint32_t at = atomicAdd(&s.count, 1u);
  if (at < staged) {
    s.entry[at] = entry;
  } else {
    const std::uint32_t direct = atomicAdd(list_count, 1u);
    if (direct < room) list[direct] = entry;
  }
}

/// The whole block: writes the staged entries out. put(place, entry).
template <class Put>
__device__ void unstage(Staging& s, std::uint32_t* list_count, Put put) {
  __syncthreads();
  const std::uint32_t n = s.count < staged ? s.count : staged;
  if (threadIdx.x == 0 && n > 0) s.place = atomicAdd(list_count, n);
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < n; i += block_threads) put(s.place + i, s.entry[i]);
  __syncthreads();
  if (threadIdx.x == 0) s.count = 0;
}

/// step(quad) for the quads of a tile; `ahead` loads are in flight at a time.
template <int ahead, class Source, class Step>
__device__ void for_quads(const Source& source, const PlaneTask& task, std::uint32_t begin, std::uint32_t end,
                          Step step) {
  // Lanes beyond the end read the last quad again and get points without a height, so that warps stay whole.
  for (std::uint32_t q = begin + threadIdx.x; q - threadIdx.x < end; q += ahead * block_threads) {
    typename Source::Raw raw[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      const std::uint32_t at = q + k * block_threads;
      raw[k] = source.load(task, at < end ? at : end - 1);
    }
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      if (k > 0 && q - threadIdx.x + k * block_threads >= end) break;
      Quad quad = Source::unpack(source, task, raw[k]);
      if (q + k * block_threads >= end) {
#pragma unroll
        for (int i = 0; i < 4; ++i) quad.z[i] = __int_as_float(0x7FC00000);
      }
      step(quad);
    }
  }
}

/// The larger of two, or NaN where one is.
__device__ inline float larger(float a, float b) {
  float most;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(most) : "f"(a), "f"(b));
  return most;
}

/// Looks at the points that pass: how many have a height, whether these lie inside the bounds.
struct Survey {
  unsigned valid = 0;
  bool outside = false;

  template <bool Bounded>
  __device__ void look(const PlaneTask& task, const Quad& q) {
    if constexpr (Bounded) {
#pragma unroll
      for (const float z : q.z) valid += has_height(z);
    } else {
      // A sum is not finite where one of its parts is not, and mostly all are.
      const float z = (q.z[0] + q.z[1]) + (q.z[2] + q.z[3]);
      const float x = larger(larger(fabsf(q.x[0]), fabsf(q.x[1])), larger(fabsf(q.x[2]), fabsf(q.x[3])));
      const float y = larger(larger(fabsf(q.y[0]), fabsf(q.y[1])), larger(fabsf(q.y[2]), fabsf(q.y[3])));
      if (has_height(z) && x <= task.half_x && y <= task.half_y) {
        valid += 4;
      } else {
        look_closely(task, q);
      }
    }
  }
  __device__ void look_closely(const PlaneTask& task, const Quad& q) {
#pragma unroll 1
    for (int i = 0; i < 4; ++i) {
      const float x = i == 0 ? q.x[0] : i == 1 ? q.x[1] : i == 2 ? q.x[2] : q.x[3];
      const float y = i == 0 ? q.y[0] : i == 1 ? q.y[1] : i == 2 ? q.y[2] : q.y[3];
      const float z = i == 0 ? q.z[0] : i == 1 ? q.z[1] : i == 2 ? q.z[2] : q.z[3];
      const bool height = has_height(z);
      valid += height;
      outside |= height && !(fabsf(x) <= task.half_x && fabsf(y) <= task.half_y);
    }
  }
  /// The whole warp.
  __device__ void tell(PlaneWork* work) const {
    const unsigned sum = __reduce_add_sync(whole_warp, valid);
    const bool any = __any_sync(whole_warp, outside);
    if (threadIdx.x % 32 != 0) return;
    if (sum > 0) atomicAdd(&work->valid, sum);
    if (any) atomicOr(&work->outside, 1u);
  }
};

/// Looks at all points, and draws those with keys up to `limit`.
template <class Source>
__device__ void select_tile(const Source& source, const PlaneTask& task, PlaneWork* work, float4* draws,
                            std::uint32_t limit, std::uint32_t begin, std::uint32_t end, Staging& staging) {
  const std::uint32_t low = static_cast<std::uint32_t>(task.seed),
                      high = static_cast<std::uint32_t>(task.seed >> 32);
  float4* const list = draws + task.draws;
  Survey survey;
  for_quads<Source::ahead>(source, task, begin, end, [&](const Quad& q) {
    survey.look<false>(task, q);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float x = q.x[i], y = q.y[i], z = q.z[i];
      const std::uint32_t key = plane_math::point_key(__float_as_uint(x), __float_as_uint(y), low, high);
      if (key <= limit && has_height(z))
        stage(staging, make_float4(x, y, z, __uint_as_float(key)), list, task.draw_room, &work->draw_count);
    }
  });
  survey.tell(work);
  unstage(staging, &work->draw_count, [&](std::uint32_t at, const float4& e) {
    if (at < task.draw_room) list[at] = e;
  });
}

/// work->counts[k] += points within reach of hypothesis k.
template <bool Surveying, class Source>
__device__ void count_tile(const Source& source, const PlaneTask& task, PlaneWork* work, std::uint32_t begin,
                           std::uint32_t end, const float4* hypotheses, int count,
                           std::uint32_t (*warp_counts)[max_counted]) {
  constexpr int quads = 2;
  const int warp = threadIdx.x / 32;
  const bool first_lane = threadIdx.x % 32 == 0;
  for (int k = threadIdx.x % 32; k < count; k += 32) warp_counts[warp][k] = 0;
  __syncwarp();
  Survey survey;
  for (std::uint32_t first = begin; first < end; first += quads * block_threads) {
    float x[4 * quads], y[4 * quads], z[4 * quads];
#pragma unroll
    for (int k = 0; k < quads; ++k) {
      const std::uint32_t at = first + k * block_threads + threadIdx.x;
      Quad q = Source::unpack(source, task, source.load(task, at < end ? at : end - 1));
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (at >= end) q.z[i] = __int_as_float(0x7FC00000);
        x[4 * k + i] = q.x[i];
        y[4 * k + i] = q.y[i];
        z[4 * k + i] = q.z[i];
      }
      if constexpr (Surveying) survey.look<Source::bounded>(task, q);
    }
    // Four at a time: their counts of at most 8 pack into one exact float each pair, and one reduction sums a pair.
#pragma unroll 1
    for (int k = 0; k < count; k += 4) {
      float hits[4];
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        const float4 h = hypotheses[k + u];
        hits[u] = 0;
#pragma unroll
        for (int i = 0; i < 4 * quads; ++i)
          hits[u] = __fadd_rn(hits[u], is_within(fmaf(h.x, x[i], fmaf(h.y, y[i], z[i] - h.z)), h.w));
      }
#pragma unroll
      for (int u = 0; u < 4; u += 2) {
        const unsigned pair = __float_as_uint(fmaf(hits[u + 1], 4096.f, hits[u]) + 8388608.f) & 0x7FFFFFu;
        const unsigned sum = __reduce_add_sync(whole_warp, (pair & 0xFFFu) | (pair >> 12) << 16);
        if (first_lane) {
          warp_counts[warp][k + u] += sum & 0xFFFFu;
          warp_counts[warp][k + u + 1] += sum >> 16;
        }
      }
    }
  }
  if constexpr (Surveying) survey.tell(work);
  __syncthreads();
  for (int k = threadIdx.x; k < count; k += block_threads) {
    std::uint32_t sum = 0;
    for (int w = 0; w < block_warps; ++w) sum += warp_counts[w][k];
    if (sum > 0) atomicAdd(&work->counts[k], sum);
  }
}

/// Nine sums of at most 32 points.
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
  /// Adds the point where |r| < base.core, and sets `bit` in `near` where not but |r| <= base.outer. Predicates cost nothing
  /// here, choosing a value to add costs an instruction each.
  __device__ void add_near(float pr, float px, float py, const Base& base, unsigned bit, unsigned& near) {
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
          "+r"(near)
        : "f"(pr), "f"(base.core), "f"(base.outer), "r"(qx), "r"(qy), "r"(qr), "r"(bit));
  }
  __device__ static int quantised(float v, float scale) {
    return __float_as_int(fmaf(v, scale, 12582912.f)) - 0x4B400000;
  }
};

/// Lane k gets the k-th of a warp's ten sums.
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

/// Sums of one thread over any number of points.
struct WideSums {
  long long v[10] = {};
  __device__ void add(const Sums& s) {
    v[0] += s.n, v[1] += s.x, v[2] += s.y, v[3] += s.r, v[4] += s.xx;
    v[5] += s.xy, v[6] += s.yy, v[7] += s.xr, v[8] += s.yr, v[9] += s.rr;
  }
};

/// The same of sums over any number of points, |sum| < 2^52.
__device__ inline long long sum_in_warp(const WideSums& s) {
  long long mine = 0;
#pragma unroll
  for (int k = 0; k < 10; ++k) {
    const long long sum = warp_sum(s.v[k]);
    if (threadIdx.x % 32 == k) mine = sum;
  }
  return mine;
}

/// What a tile adds to its plane, by warp: ten sums and the points with a height.
constexpr int tile_sums = 11;
struct TileSums {
  long long of_warp[block_warps][tile_sums];
  std::uint32_t listed;
};

/// Sums the points with |r| < base.core and lists those up to base.outer. `list` has room for all points of the tile.
template <bool Surveying, class Source>
__device__ void accumulate_tile(const Source& source, const PlaneTask& task, PlaneWork* work, float4* list,
                                std::uint32_t begin, std::uint32_t end, const Base& base, TileSums& sums) {
  const int lane = threadIdx.x % 32;
  long long of_warp = 0;
  Survey survey;
  for (; begin < end; begin += summed_quads) {
    Sums of_thread;
    for_quads<Source::ahead>(
        source, task, begin, end - begin < summed_quads ? end : begin + summed_quads, [&](const Quad& q) {
          if constexpr (Surveying) survey.look<Source::bounded>(task, q);
          unsigned near = 0;
          float r[4];
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            r[i] = fmaf(-base.a, q.x[i], fmaf(-base.b, q.y[i], q.z[i] - base.c));
            of_thread.add_near(r[i], q.x[i], q.y[i], base, 1u << i, near);
          }
          if (near == 0) return;
          std::uint32_t at = atomicAdd(&sums.listed, static_cast<std::uint32_t>(__popc(near)));
#pragma unroll
          for (int i = 0; i < 4; ++i)
            if (near >> i & 1) list[at++] = make_float4(q.x[i], q.y[i], r[i], 0.f);
        });
    of_warp += sum_in_warp(of_thread);
  }
  if constexpr (Surveying) {
    const unsigned valid = __reduce_add_sync(whole_warp, survey.valid);
    if (lane == 10) of_warp = valid;
    if (__any_sync(whole_warp, survey.outside) && lane == 0) atomicOr(&work->outside, 1u);
  }
  if (lane < tile_sums) sums.of_warp[threadIdx.x / 32][lane] = of_warp;
}

/// The first warp, when all warps have summed: the plane gets the tile's sums.
template <bool Surveying>
__device__ void add_tile_sums(const TileSums& sums, PlaneWork* work, std::uint32_t* listed) {
  const int lane = threadIdx.x;
  if (lane < tile_sums) {
    long long sum = 0;
#pragma unroll
    for (int w = 0; w < block_warps; ++w) sum += sums.of_warp[w][lane];
    if (lane == 10) {
      if (Surveying && sum != 0) atomicAdd(&work->valid, static_cast<std::uint32_t>(sum));
    } else if (sum != 0) {
      atomicAdd(reinterpret_cast<unsigned long long*>(&work->moments[lane]),
                static_cast<unsigned long long>(sum));
    }
  } else if (lane == tile_sums) {
    *listed = sums.listed;
  }
}

}  // namespace datum::cuda
