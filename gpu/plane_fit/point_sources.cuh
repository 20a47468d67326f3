// Point sources: the two forms in which the points of a plane lie in device memory, and the loop over them.
#pragma once

#include <cstdint>

#include "gpu/core/height_map.h"
#include "gpu/plane_fit/batch.cuh"
#include "gpu/plane_fit/pixel_table.h"
#include "gpu/plane_fit/sampling.h"

namespace datum::cuda {

/// Four points of neighbouring indices. z = NaN: no height, or no point.
struct Quad {
  float x[4], y[4], z[4];
};

/// Points as three arrays. Each plane begins on 16 bytes and is padded with z = NaN to whole quads.
struct PointSource {
  static constexpr bool bounded = false;  // points may lie outside the bounds
  static constexpr int ahead = 2;         // loads that a thread has in flight
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
  /// The k-th quad sampled by index.
  __device__ Quad sampled_quad(const PlaneTask& task, std::uint32_t k) const {
    return unpack(*this, task, load(task, plane_math::sampled_quad(k, task.size, task.seed)));
  }
};

/// um_of() for |index - ref| < 2^22, where an addition converts exactly to float; the conversion instruction is slow.
__device__ inline float small_um_of(const AxisToUm& axis, std::int32_t index) {
  return fmaf(__int_as_float(0x4B400000 + (index - axis.ref)) - 12582912.f, axis.per_index, axis.rest);
}
/// prepare() refuses plans whose 16-bit counts lie farther from their reference.
__device__ inline float z_of(const AxisToUm& axis, std::int16_t count) { return small_um_of(axis, count); }
template <class Count>
__device__ float z_of(const AxisToUm& axis, Count count) {
  return um_of(axis, count);
}

/// Four pixels' counts, one load.
template <class Count>
struct alignas(4 * sizeof(Count)) CountQuad {
  Count v[4];
};

/// A height map. The table lists its aligned groups of four pixels: index << 4 | which of the four belong to the plane.
template <class Count>
struct MapSource {
  static constexpr bool bounded = true;  // prepare() refuses rings that leave the bounds
  static constexpr int ahead = 4;
  const Count* image;
  const std::uint32_t* table;
  const uint4* sampled_pixels;  // the sampled quads of each plane
  std::uint32_t groups_per_row;
  unsigned long long row_magic;  // ceil(2^38 / groups_per_row)

  struct Raw {
    std::uint32_t entry;
    CountQuad<Count> counts;
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
      r.counts = *reinterpret_cast<const CountQuad<Count>*>(at);
    }
    return r;
  }
  __device__ static bool missing(std::int16_t c) { return c == no_count_16; }
  __device__ static bool missing(std::int32_t c) { return c == no_count_32; }
  __device__ static bool missing(float) { return false; }  // NaN stays NaN

  __device__ std::uint32_t row_of(std::uint32_t group) const {
    return static_cast<std::uint32_t>((group * row_magic) >> 38);
  }
  __device__ Quad sampled_quad(const PlaneTask& task, std::uint32_t k) const {
    const uint4 quad = __ldg(sampled_pixels + task.first_sampled_quad + k);
    const std::uint32_t pixels[4] = {quad.x, quad.y, quad.z, quad.w};
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

/// Calls step(quad) for the quads [begin, end) of a plane; `ahead` loads of a thread are in flight at a time.
template <int ahead, class Source, class Step>
__device__ void for_quads(const Source& source, const PlaneTask& task, std::uint32_t begin, std::uint32_t end,
                          Step step) {
  // Lanes beyond the end read the last quad again, without heights, so that the step may use whole warps.
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

}  // namespace datum::cuda
