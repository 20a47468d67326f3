// The CPU loops, written once for every lane type. Included by one file per instruction set and by nothing
// else: the unnamed namespace keeps each file's copy to itself.
#pragma once

#include "gpu/plane_fit/plane_fit_kernels.h"

namespace datum {
namespace {

using plane_math::Base;
using plane_math::Hypothesis;
using plane_math::Moments;

#define DATUM_IN_LOOP __attribute__((always_inline))

/// The points in steps of 2 * width; the last step is filled up with points without a height.
template <class S>
class Steps {
 public:
  static constexpr std::size_t points = 2 * S::width;

  Steps(const Cloud& cloud, std::size_t begin, std::size_t end)
      : x_(cloud.x + begin), y_(cloud.y + begin), z_(cloud.z + begin), full_((end - begin) / points) {
    const std::size_t rest = end - begin - full_ * points;
    total_ = full_ + (rest > 0);
    for (std::size_t k = 0; k < points; ++k) {
      const bool inside = k < rest;
      last_[0][k] = inside ? x_[full_ * points + k] : 0.f;
      last_[1][k] = inside ? y_[full_ * points + k] : 0.f;
      last_[2][k] = inside ? z_[full_ * points + k] : float_of(0x7FC00000u);
    }
  }

  std::size_t count() const { return total_; }
  /// step(x, y, z) with pointers to `points` floats, for the steps from `first` up to `beyond`.
  template <class Step>
  inline DATUM_IN_LOOP void run(std::size_t first, std::size_t beyond, Step step) const {
    for (std::size_t i = first; i < beyond; ++i) {
      const bool full = i < full_;
      step(full ? x_ + i * points : last_[0], full ? y_ + i * points : last_[1], full ? z_ + i * points : last_[2]);
    }
  }

 private:
  const float *x_, *y_, *z_;
  std::size_t full_, total_;
  float last_[3][points];
};

template <class S>
inline typename S::M has_height(typename S::F z) {
  return S::le(S::abs(z), S::set(float_of(0x7F7FFFFFu)));
}

template <class S>
Survey survey(const Cloud& cloud, float half_x, float half_y) {
  const typename S::F hx = S::set(half_x), hy = S::set(half_y);
  std::uint32_t valid = 0;
  bool outside = false;
  const Steps<S> steps(cloud, 0, cloud.size);
  steps.run(0, steps.count(), [&](const float* px, const float* py, const float* pz) DATUM_IN_LOOP {
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
  const Steps<S> steps(cloud, 0, cloud.size);
  steps.run(0, steps.count(), [&](const float* px, const float* py, const float* pz) DATUM_IN_LOOP {
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
  const Steps<S> steps(cloud, begin, end);
  steps.run(0, steps.count(), [&](const float* px, const float* py, const float* pz) DATUM_IN_LOOP {
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

/// Nine sums in 32-bit lanes.
template <class S>
struct Sums {
  typename S::I x = S::zero(), y = S::zero(), r = S::zero(), xx = S::zero(), xy = S::zero(), yy = S::zero(),
                xr = S::zero(), yr = S::zero(), rr = S::zero();

  inline DATUM_IN_LOOP void add(typename S::I px, typename S::I py, typename S::I pr) {
    const typename S::I one = S::set_pairs(1);
    x = S::dot(x, px, one);
    y = S::dot(y, py, one);
    r = S::dot(r, pr, one);
    xx = S::dot(xx, px, px);
    xy = S::dot(xy, px, py);
    yy = S::dot(yy, py, py);
    xr = S::dot(xr, px, pr);
    yr = S::dot(yr, py, pr);
    rr = S::dot(rr, pr, pr);
  }
};

/// The same in 64-bit lanes, which no number of points overflows.
template <class S>
struct WideSums {
  std::int64_t n = 0;
  typename S::L x = S::wide_zero(), y = x, r = x, xx = x, xy = x, yy = x, xr = x, yr = x, rr = x;

  inline DATUM_IN_LOOP void add(const Sums<S>& s) {
    x = S::widen(x, s.x);
    y = S::widen(y, s.y);
    r = S::widen(r, s.r);
    xx = S::widen(xx, s.xx);
    xy = S::widen(xy, s.xy);
    yy = S::widen(yy, s.yy);
    xr = S::widen(xr, s.xr);
    yr = S::widen(yr, s.yr);
    rr = S::widen(rr, s.rr);
  }
  Moments total() const {
    return Moments{n,          S::sum(x),  S::sum(y),  S::sum(r),  S::sum(xx),
                   S::sum(xy), S::sum(yy), S::sum(xr), S::sum(yr), S::sum(rr)};
  }
};

/// Sums x, y and the third coordinate that `inlier(x, y, z)` returns with the lanes it accepts.
template <class S, class Inlier>
inline DATUM_IN_LOOP Moments sum_inliers(const Cloud& cloud, const Base& base, Inlier inlier) {
  using F = typename S::F;
  const F sx = S::set(base.scale_x), sy = S::set(base.scale_y), sr = S::set(base.scale_r);
  const Steps<S> steps(cloud, 0, cloud.size);
  WideSums<S> wide;
  for (std::size_t first = 0; first < steps.count(); first += plane_math::steps_before_widening) {
    const std::size_t beyond = first + plane_math::steps_before_widening;
    Sums<S> sums;
    steps.run(first, beyond < steps.count() ? beyond : steps.count(),
              [&](const float* px, const float* py, const float* pz) DATUM_IN_LOOP {
                const F x0 = S::load(px), y0 = S::load(py), x1 = S::load(px + S::width), y1 = S::load(py + S::width);
                F r0 = S::load(pz), r1 = S::load(pz + S::width);
                const typename S::M in0 = inlier(x0, y0, &r0), in1 = inlier(x1, y1, &r1);
                wide.n += S::count(in0) + S::count(in1);
                sums.add(S::pair(S::quantise(in0, x0, sx), S::quantise(in1, x1, sx)),
                         S::pair(S::quantise(in0, y0, sy), S::quantise(in1, y1, sy)),
                         S::pair(S::quantise(in0, r0, sr), S::quantise(in1, r1, sr)));
              });
    wide.add(sums);
  }
  return wide.total();
}

template <class S>
Moments accumulate(const Cloud& cloud, const Base& base, PointList* band) {
  using F = typename S::F;
  const F a = S::set(-base.a), b = S::set(-base.b), c = S::set(base.c);
  const F core = S::set(base.core), outer = S::set(base.outer);
  float *bx = band->x + band->size, *by = band->y + band->size, *br = band->z + band->size;
  const Moments sums = sum_inliers<S>(cloud, base, [&](F x, F y, F* z) DATUM_IN_LOOP {
    const F r = *z = plane_math::residual<S>(x, y, *z, a, b, c), distance = S::abs(r);
    const typename S::M in = S::lt(distance, core), near = S::first_only(S::le(distance, outer), in);
    if (S::any(near)) {
      S::append(bx, near, x);
      S::append(by, near, y);
      S::append(br, near, r);
      const unsigned more = S::count(near);
      bx += more;
      by += more;
      br += more;
    }
    return in;
  });
  band->size = static_cast<std::size_t>(bx - band->x);
  return sums;
}

template <class S>
Moments accumulate_band(const Cloud& band, const Base& base, const Hypothesis& change) {
  using F = typename S::F;
  const F a = S::set(-change.a), b = S::set(-change.b), c = S::set(change.c), reach = S::set(change.reach);
  return sum_inliers<S>(band, base, [&](F x, F y, F* r) DATUM_IN_LOOP {
    return S::le(S::abs(plane_math::residual<S>(x, y, *r, a, b, c)), reach);
  });
}

template <class S>
constexpr PlaneKernels kernels_of() {
  return PlaneKernels{survey<S>, select<S>, count<S>, accumulate<S>, accumulate_band<S>};
}

}  // namespace
}  // namespace datum
