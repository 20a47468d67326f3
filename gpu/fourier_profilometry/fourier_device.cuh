// Two rows of an image by one block: transform, window, and for each row the way back, its angles and classes.
#pragma once

#include "gpu/fft/fft_device.cuh"
#include "gpu/fourier_profilometry/fourier_math.h"
#include "gpu/fourier_profilometry/fourier_profilometry.h"

namespace datum::fourier {

struct Words : SimdScalar {
  using Word = float;
};

struct Query {
  const void* samples;
  FourierMaps maps;
  unsigned width, height;
  unsigned block, blocks;  // of the window
  unsigned reach;
  float maximum, least_square;
  const fft::Root<float>*root, *first_root;
  const float *gain, *bridge;
};

template <class Sh>
struct PairOfRows {
  using V = typename Sh::V;
  static constexpr int each = Sh::each, threads = Sh::threads, radix = Sh::plan.radix[0];
  static constexpr unsigned points = Sh::points, step = points / radix;
  static constexpr unsigned mask_words = points / 32;

  // Shared memory: exchange, the window's bins of both rows, marks of saturated samples of both.
  static constexpr unsigned shared_bytes(unsigned blocks) {
    return Sh::shared_bytes + 2 * blocks * step * sizeof(float2) + 2 * mask_words * sizeof(unsigned);
  }

  template <class Sample>
  static __device__ __forceinline__ void load(const Query& q, unsigned row, unsigned t, V* v) {
    const auto* first = static_cast<const Sample*>(q.samples) + static_cast<std::size_t>(row) * q.width;
    const bool second_stands = row + 1 < q.height;
    const Sample* second = second_stands ? first + q.width : first;
    if (q.width == points) {
#pragma unroll
      for (int i = 0; i < each; ++i)
        v[i] = {static_cast<float>(first[t + i * threads]), static_cast<float>(second[t + i * threads])};
    } else {
      const float a0 = first[0], a1 = first[q.width - 1], b0 = second[0], b1 = second[q.width - 1];
#pragma unroll
      for (int i = 0; i < each; ++i) {
        const unsigned x = t + i * threads;
        if (x < q.width) {
          v[i] = {static_cast<float>(first[x]), static_cast<float>(second[x])};
        } else {
          const float part = __ldg(q.bridge + x - q.width);
          v[i] = {bridged(a1, a0, part), bridged(b1, b0, part)};
        }
      }
    }
    if (!second_stands) {
#pragma unroll
      for (int i = 0; i < each; ++i) v[i].im = 0;
    }
  }

  /// Bins of the window and those mirrored to them, to shared memory, and there to those of each row.
  static __device__ __forceinline__ void filter(const Query& q, unsigned t, const V* v, float2* first,
                                                float2* second) {
    const unsigned begin = q.block * step, count = q.blocks * step;
#pragma unroll
    for (int i = 0; i < each; ++i) {
      const unsigned k = t + i * threads, mirrored = (points - k) % points;
      if (k - begin < count) first[k - begin] = float2{v[i].re, v[i].im};
      if (mirrored - begin < count) second[mirrored - begin] = float2{v[i].re, v[i].im};
    }
    Sh::meet();
    for (unsigned b = t; b < count; b += threads) {
      const float2 at = first[b], mirrored = second[b];
      const Rows<Words> both = filtered(V{at.x, at.y}, V{mirrored.x, mirrored.y}, __ldg(q.gain + b));
      first[b] = float2{both.first.re, both.first.im};
      second[b] = float2{both.second.re, both.second.im};
    }
    Sh::meet();
  }

  /// The inverse's first pass, and straight to where the second one reads.
  static __device__ __forceinline__ void few_blocks(const Query& q, unsigned t, const float2* bins, V* v) {
    for (unsigned b = 0; b < q.blocks; ++b) {
#pragma unroll
      for (int i = 0; i < each; ++i) {
        const unsigned p = t + i * threads;
        const auto* at = reinterpret_cast<const float2*>(q.first_root + (q.block + b) * (p % radix) % radix);
        const float2 w = __ldg(at), a = bins[b * step + p / radix];
        v[i] = b == 0 ? times(V{a.x, a.y}, fft::Root<float>{w.x, w.y})
                      : add_product(v[i], V{a.x, a.y}, fft::Root<float>{w.x, w.y});
      }
    }
  }

  /// Is a sample within the filter's reach marked?
  static __device__ bool marked(const unsigned* marks, unsigned x, unsigned reach) {
    const unsigned from = x - reach, to = x + reach;  // within the row: its ends are row_end
    unsigned found = 0;
    for (unsigned word = from / 32; word <= to / 32; ++word) {
      unsigned bits = marks[word];
      if (word == from / 32) bits &= ~0u << (from % 32);
      if (word == to / 32) bits &= ~0u >> (31 - to % 32);
      found |= bits;
    }
    return found != 0;
  }

  static __device__ __forceinline__ void give(const Query& q, unsigned row, unsigned t, const V* v, bool any,
                                              const unsigned* marks) {
    if (row >= q.height) return;
    const std::size_t at = static_cast<std::size_t>(row) * q.width;
#pragma unroll
    for (int i = 0; i < each; ++i) {
      const unsigned x = t + i * threads;
      if (x >= q.width) break;
      const float square = square_of(v[i]);
      FourierClass c = square >= q.least_square ? FourierClass::ok : FourierClass::low_modulation;
      const bool end = x < q.reach || x + q.reach >= q.width;
      if (any && !end && marked(marks, x, q.reach)) c = FourierClass::saturated;
      if (end) c = FourierClass::row_end;
      const float angle = angle_of(v[i]);
      q.maps.classes[at + x] = c;
      q.maps.phase_rad[at + x] = c == FourierClass::ok ? angle : 0;
      if (q.maps.modulation) q.maps.modulation[at + x] = 2 * sqrtf(square);
    }
  }

  template <class Sample>
  static __device__ __forceinline__ void demodulate(const Query& q, unsigned char* memory) {
    auto* first = reinterpret_cast<float2*>(memory + Sh::shared_bytes);
    float2* second = first + q.blocks * step;
    auto* marks = reinterpret_cast<unsigned*>(second + q.blocks * step);
    const unsigned t = Sh::thread(), row = 2 * blockIdx.x;
    V v[each];
    load<Sample>(q, row, t, v);
    bool here = false;
#pragma unroll
    for (int i = 0; i < each; ++i) here |= v[i].re >= q.maximum || v[i].im >= q.maximum;
    const bool any = __syncthreads_or(here);
    if (any) mark(q, t, v, marks);
    fft::transform<Sh>(v, memory, t, q.root);
    filter(q, t, v, first, second);
#pragma unroll 1
    for (unsigned r = 0; r < 2; ++r) {
      few_blocks(q, t, r == 0 ? first : second, v);
      fft::transform<Sh, 1>(v, memory, t, q.root);
      give(q, row + r, t, v, any, marks + r * mask_words);
    }
  }

  /// A bit for each saturated sample; what carries a row on marks none.
  static __device__ void mark(const Query& q, unsigned t, const V* v, unsigned* marks) {
    for (unsigned w = t; w < 2 * mask_words; w += threads) marks[w] = 0;
    __syncthreads();
    for (int i = 0; i < each; ++i) {
      const unsigned x = t + i * threads;
      if (x >= q.width) continue;
      if (v[i].re >= q.maximum) atomicOr(marks + x / 32, 1u << (x % 32));
      if (v[i].im >= q.maximum) atomicOr(marks + mask_words + x / 32, 1u << (x % 32));
    }
    __syncthreads();
  }
};

}  // namespace datum::fourier
