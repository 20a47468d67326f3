// The CPU loops, written once for every lane type. Included by one file per instruction set and by nothing
// else: the unnamed namespace keeps each file's copy to itself.
#pragma once

#include "gpu/plane_fit/plane_fit_kernels.h"

namespace datum {
namespace {

using plane_math::Base;
using plane_math::Hypothesis;
using plane_math::Moments;

/// step(x, y, z) with pointers to 2 * width floats; the last step is filled with points without a height.
template <class S, class Step>
inline void for_steps(const Cloud& cloud, std::size_t begin, std::size_t end, Step step) {
  constexpr std::size_t points = 2 * S::width;
  std::size_t i = begin;
  for (; i + points <= end; i += points) step(cloud.x + i, cloud.y + i, cloud.z + i);
  if (i == end) return;
  float x[points], y[points], z[points];
  for (std::size_t k = 0; k < points; ++k) {
    const bool inside = i + k < end;
    x[k] = inside ? cloud.x[i + k] : 0.f;
    y[k] = inside ? cloud.y[i + k] : 0.f;
    z[k] = inside ? cloud.z[i + k] : float_of(0x7FC00000u);
  }
  step(x, y, z);
}

template <class S>
inline typename S::M has_height(typename S::F z) {
  return S::le(S::abs(z), S::set(float_of(0x7F7FFFFFu)));
}

template <class S>
Survey survey(const Cloud& cloud, float half_x, float half_y) {
  const typename S::F hx = S::set(half_x), hy = S::set(half_y);
  std::uint32_t valid = 0;
  bool outside = false;
  for_steps<S>(cloud, 0, cloud.size, [&](const float* px, const float* py, const float* pz) {
    for (int half = 0; half < 2; ++half) {
      const int at = half * S::width;
      const typename S::M valid_lane = has_height<S>(S::load(pz + at));
      const typename S::M inside =
          S::both(S::le(S::abs(S::load(px + at)), hx), S::le(S::abs(S::load(py + at)), hy));
      valid += S::count(valid_lane);
      outside |= S::any(S::first_only(valid_lane, inside));
    }
  });
  return Survey{valid, !outside};
}

template <class S>
void select(const Cloud& cloud, std::uint64_t seed, std::uint32_t limit, PointList* chosen) {
  const std::uint32_t low = static_cast<std::uint32_t>(seed), high = static_cast<std::uint32_t>(seed >> 32);
  const typename S::U most = typename S::U{} + limit;
  for_steps<S>(cloud, 0, cloud.size, [&](const float* px, const float* py, const float* pz) {
    for (int half = 0; half < 2; ++half) {
      const int at = half * S::width;
      const typename S::F x = S::load(px + at), y = S::load(py + at), z = S::load(pz + at);
      const typename S::U key = plane_math::point_key(S::bits(x), S::bits(y), low, high);
      const typename S::M chosen_lane = S::both(S::le(key, most), has_height<S>(z));
      if (!S::any(chosen_lane)) continue;
      S::append(chosen->x + chosen->size, chosen_lane, x);
      S::append(chosen->y + chosen->size, chosen_lane, y);
      S::append(chosen->z + chosen->size, chosen_lane, z);
      chosen->size += S::count(chosen_lane);
    }
  });
}

template <class S, int K>
inline void count_some(const Cloud& cloud, std::size_t begin, std::size_t end, const Hypothesis* h,
                       std::uint32_t* counts) {
  using F = typename S::F;
  F a[K], b[K], c[K], reach[K];
  typename S::I hits[K];
  for (int k = 0; k < K; ++k) {
    a[k] = S::set(-h[k].a);
    b[k] = S::set(-h[k].b);
    c[k] = S::set(h[k].c);
    reach[k] = S::set(h[k].reach);
    hits[k] = S::zero();
  }
  for_steps<S>(cloud, begin, end, [&](const float* px, const float* py, const float* pz) {
    for (int half = 0; half < 2; ++half) {
      const int at = half * S::width;
      const F x = S::load(px + at), y = S::load(py + at), z = S::load(pz + at);
      for (int k = 0; k < K; ++k) {
        const F r = plane_math::residual<S>(x, y, z, a[k], b[k], c[k]);
        hits[k] = S::count(hits[k], S::le(S::abs(r), reach[k]));
      }
    }
  });
  for (int k = 0; k < K; ++k)
    counts[k] += static_cast<std::uint32_t>(S::sum(S::widen(S::wide_zero(), hits[k])));
}

template <class S>
void count(const Cloud& cloud, const Hypothesis* hypotheses, int k, std::uint32_t* counts) {
  constexpr std::size_t tile = 2048;  // 24 KiB: the points stay in L1 for all hypotheses
  for (int i = 0; i < k; ++i) counts[i] = 0;
  for (std::size_t begin = 0; begin < cloud.size; begin += tile) {
    const std::size_t end = begin + tile < cloud.size ? begin + tile : cloud.size;
    int i = 0;
    for (; i + 4 <= k; i += 4) count_some<S, 4>(cloud, begin, end, hypotheses + i, counts + i);
    for (; i < k; ++i) count_some<S, 1>(cloud, begin, end, hypotheses + i, counts + i);
  }
}

/// Nine sums in 32-bit lanes, emptied into 64-bit lanes before they can overflow.
template <class S>
struct Sums {
  typename S::I narrow[9];
  typename S::L wide[9];
  std::int64_t n = 0;
  int steps = 0;

  Sums() {
    for (int i = 0; i < 9; ++i) {
      narrow[i] = S::zero();
      wide[i] = S::wide_zero();
    }
  }

  void add(typename S::I x, typename S::I y, typename S::I r) {
    const typename S::I one = S::set_pairs(1);
    const typename S::I left[9] = {x, y, r, x, x, y, x, y, r}, right[9] = {one, one, one, x, y, y, r, r, r};
    for (int i = 0; i < 9; ++i) narrow[i] = S::dot(narrow[i], left[i], right[i]);
    if (++steps == plane_math::steps_before_widening) widen();
  }

  void widen() {
    for (int i = 0; i < 9; ++i) {
      wide[i] = S::widen(wide[i], narrow[i]);
      narrow[i] = S::zero();
    }
    steps = 0;
  }

  Moments total() {
    widen();
    return Moments{n,
                   S::sum(wide[0]),
                   S::sum(wide[1]),
                   S::sum(wide[2]),
                   S::sum(wide[3]),
                   S::sum(wide[4]),
                   S::sum(wide[5]),
                   S::sum(wide[6]),
                   S::sum(wide[7]),
                   S::sum(wide[8])};
  }
};

template <class S>
Moments accumulate(const Cloud& cloud, const Base& base, PointList* band) {
  using F = typename S::F;
  const F a = S::set(-base.a), b = S::set(-base.b), c = S::set(base.c);
  const F core = S::set(base.core), outer = S::set(base.outer);
  const F sx = S::set(base.scale_x), sy = S::set(base.scale_y), sr = S::set(base.scale_r);
  Sums<S> sums;
  for_steps<S>(cloud, 0, cloud.size, [&](const float* px, const float* py, const float* pz) {
    typename S::I qx[2], qy[2], qr[2];
    for (int half = 0; half < 2; ++half) {
      const int at = half * S::width;
      const F x = S::load(px + at), y = S::load(py + at);
      const F r = plane_math::residual<S>(x, y, S::load(pz + at), a, b, c), distance = S::abs(r);
      const typename S::M in = S::lt(distance, core), near = S::first_only(S::le(distance, outer), in);
      sums.n += S::count(in);
      qx[half] = S::quantise(in, x, sx);
      qy[half] = S::quantise(in, y, sy);
      qr[half] = S::quantise(in, r, sr);
      if (!S::any(near)) continue;
      S::append(band->x + band->size, near, x);
      S::append(band->y + band->size, near, y);
      S::append(band->z + band->size, near, r);
      band->size += S::count(near);
    }
    sums.add(S::pair(qx[0], qx[1]), S::pair(qy[0], qy[1]), S::pair(qr[0], qr[1]));
  });
  return sums.total();
}

template <class S>
Moments accumulate_band(const Cloud& band, const Base& base, const Hypothesis& change) {
  using F = typename S::F;
  const F a = S::set(-change.a), b = S::set(-change.b), c = S::set(change.c), reach = S::set(change.reach);
  const F sx = S::set(base.scale_x), sy = S::set(base.scale_y), sr = S::set(base.scale_r);
  Sums<S> sums;
  for_steps<S>(band, 0, band.size, [&](const float* px, const float* py, const float* pr) {
    typename S::I qx[2], qy[2], qr[2];
    for (int half = 0; half < 2; ++half) {
      const int at = half * S::width;
      const F x = S::load(px + at), y = S::load(py + at), r = S::load(pr + at);
      const typename S::M in = S::le(S::abs(plane_math::residual<S>(x, y, r, a, b, c)), reach);
      sums.n += S::count(in);
      qx[half] = S::quantise(in, x, sx);
      qy[half] = S::quantise(in, y, sy);
      qr[half] = S::quantise(in, r, sr);
    }
    sums.add(S::pair(qx[0], qx[1]), S::pair(qy[0], qy[1]), S::pair(qr[0], qr[1]));
  });
  return sums.total();
}

template <class S>
constexpr PlaneKernels kernels_of() {
  return PlaneKernels{survey<S>, select<S>, count<S>, accumulate<S>, accumulate_band<S>};
}

}  // namespace
}  // namespace datum
