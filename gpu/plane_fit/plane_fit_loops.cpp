// The CPU's loops, written once for every lane type and compiled once for each instruction set.
#include "gpu/core/isa_table.h"
#include "gpu/core/simd.h"
#include "gpu/plane_fit/plane_fit_kernels.h"
#include "gpu/plane_fit/sampling.h"

namespace datum {
namespace {

using plane_math::Base;
using plane_math::Hypothesis;
using plane_math::Moments;

#define DATUM_IN_LOOP __attribute__((always_inline))

/// The points in steps of 2 * width; the last step is padded with points without a height.
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
  /// Calls step(index of the first point, x, y, z), with pointers to `points` floats, for the steps [first, beyond).
  template <class Step>
  inline DATUM_IN_LOOP void run(std::size_t first, std::size_t beyond, Step step) const {
    for (std::size_t i = first; i < beyond; ++i) {
      const bool full = i < full_;
      step(i * points, full ? x_ + i * points : last_[0], full ? y_ + i * points : last_[1],
           full ? z_ + i * points : last_[2]);
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

/// Validity and bounds scan of vectors of points.
template <class S>
class Scanner {
 public:
  Scanner(float half_x, float half_y) : hx_(S::set(half_x)), hy_(S::set(half_y)), outside_(S::none()) {}
  inline DATUM_IN_LOOP typename S::M add(typename S::F x, typename S::F y, typename S::F z) {
    const typename S::M height = has_height<S>(z);
    outside_ =
        S::either(outside_, S::first_only(height, S::both(S::le(S::abs(x), hx_), S::le(S::abs(y), hy_))));
    valid_ += S::count(height);
    return height;
  }
  ValidityScan result() const { return ValidityScan{valid_, !S::any(outside_)}; }

 private:
  typename S::F hx_, hy_;
  typename S::M outside_;
  std::uint32_t valid_ = 0;
};

template <class S>
ValidityScan select(const Cloud& cloud, const KeyRange& keys, float half_x, float half_y, PointList* chosen) {
  using F = typename S::F;
  using M = typename S::M;
  const std::uint32_t low = static_cast<std::uint32_t>(keys.seed),
                      high = static_cast<std::uint32_t>(keys.seed >> 32);
  const typename S::U most = typename S::U{} + keys.limit, lanes = S::lane_numbers();
  Scanner<S> scanner(half_x, half_y);
  // Selected points are rare and scattered: their indices are appended without a branch, their coordinates afterwards.
  float* numbers = chosen->z + chosen->size;
  const Steps<S> steps(cloud, 0, cloud.size);
  steps.run(0, steps.count(),
            [&](std::size_t first, const float* px, const float* py, const float* pz) DATUM_IN_LOOP {
              for (int at = 0; at < 2 * S::width; at += S::width) {
                const F x = S::load(px + at), y = S::load(py + at), z = S::load(pz + at);
                const M height = scanner.add(x, y, z);
                const M taken =
                    S::both(S::le(plane_math::point_key(S::bits(x), S::bits(y), low, high), most), height);
                S::append(numbers, taken, S::from_bits(lanes + static_cast<std::uint32_t>(first + at)));
                numbers += S::count(taken);
              }
            });
  const std::size_t size = static_cast<std::size_t>(numbers - chosen->z);
  for (std::size_t k = chosen->size; k < size; ++k) {
    const std::uint32_t i = bits_of(chosen->z[k]);
    chosen->x[k] = cloud.x[i];
    chosen->y[k] = cloud.y[i];
    chosen->z[k] = cloud.z[i];
  }
  chosen->size = size;
  return scanner.result();
}

template <class S, int K>
inline void count_some(const Cloud& cloud, std::size_t begin, std::size_t end, const Hypothesis* h,
                       std::uint32_t* counts) {
  using F = typename S::F;
  F a[K], b[K], c[K], z_threshold[K];
  typename S::I hits[K];
  for (int k = 0; k < K; ++k) {
    a[k] = S::set(-h[k].a);
    b[k] = S::set(-h[k].b);
    c[k] = S::set(h[k].c);
    z_threshold[k] = S::set(h[k].z_threshold);
    hits[k] = S::zero();
  }
  const Steps<S> steps(cloud, begin, end);
  steps.run(0, steps.count(),
            [&](std::size_t, const float* px, const float* py, const float* pz) DATUM_IN_LOOP {
              for (int half = 0; half < 2; ++half) {
                const int at = half * S::width;
                const F x = S::load(px + at), y = S::load(py + at), z = S::load(pz + at);
                for (int k = 0; k < K; ++k) {
                  const F r = plane_math::residual<S>(x, y, z, a[k], b[k], c[k]);
                  hits[k] = S::count(hits[k], S::le(S::abs(r), z_threshold[k]));
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

/// Nine moments in 32-bit lanes.
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

/// Ten moments in 64-bit lanes, for any number of points.
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

template <class S>
struct Lanes {
  typename S::F x, y, z;
};

/// Sums over the points for which inlier(p, q, in_p, in_q) sets the mask of two vectors. It replaces z by the residual.
template <class S, class Inlier>
inline DATUM_IN_LOOP Moments sum_inliers(const Cloud& cloud, const Base& base, Inlier inlier) {
  const typename S::F sx = S::set(base.scale_x), sy = S::set(base.scale_y), sr = S::set(base.scale_r);
  const Steps<S> steps(cloud, 0, cloud.size);
  WideSums<S> wide;
  for (std::size_t first = 0; first < steps.count(); first += plane_math::steps_before_widening) {
    const std::size_t beyond = first + plane_math::steps_before_widening;
    Sums<S> sums;
    steps.run(first, beyond < steps.count() ? beyond : steps.count(),
              [&](std::size_t, const float* px, const float* py, const float* pz) DATUM_IN_LOOP {
                Lanes<S> p{S::load(px), S::load(py), S::load(pz)};
                Lanes<S> q{S::load(px + S::width), S::load(py + S::width), S::load(pz + S::width)};
                typename S::M in_p, in_q;
                inlier(p, q, in_p, in_q);
                wide.n += S::count(in_p) + S::count(in_q);
                sums.add(S::pair(S::quantise(in_p, p.x, sx), S::quantise(in_q, q.x, sx)),
                         S::pair(S::quantise(in_p, p.y, sy), S::quantise(in_q, q.y, sy)),
                         S::pair(S::quantise(in_p, p.z, sr), S::quantise(in_q, q.z, sr)));
              });
    wide.add(sums);
  }
  return wide.total();
}

template <class S>
inline DATUM_IN_LOOP void append(PointList& list, typename S::M taken, const Lanes<S>& p) {
  S::append(list.x + list.size, taken, p.x);
  S::append(list.y + list.size, taken, p.y);
  S::append(list.z + list.size, taken, p.z);
  list.size += S::count(taken);
}

/// accumulate() that calls visit(points) for each vector of points.
template <class S, class Visit>
inline DATUM_IN_LOOP Moments accumulate_visiting(const Cloud& cloud, const Base& base, PointList* boundary,
                                                 Visit visit) {
  using F = typename S::F;
  using M = typename S::M;
  const F a = S::set(-base.a), b = S::set(-base.b), c = S::set(base.c);
  const F always_inlier = S::set(base.always_inlier), possible_inlier = S::set(base.possible_inlier);
  PointList list = *boundary;
  const Moments sums =
      sum_inliers<S>(cloud, base, [&](Lanes<S>& p, Lanes<S>& q, M& in_p, M& in_q) DATUM_IN_LOOP {
        visit(p);
        visit(q);
        p.z = plane_math::residual<S>(p.x, p.y, p.z, a, b, c);
        q.z = plane_math::residual<S>(q.x, q.y, q.z, a, b, c);
        in_p = S::lt(S::abs(p.z), always_inlier);
        in_q = S::lt(S::abs(q.z), always_inlier);
        const M boundary_p = S::first_only(S::le(S::abs(p.z), possible_inlier), in_p);
        const M boundary_q = S::first_only(S::le(S::abs(q.z), possible_inlier), in_q);
        if (S::any(S::either(boundary_p, boundary_q))) {
          append<S>(list, boundary_p, p);
          append<S>(list, boundary_q, q);
        }
      });
  boundary->size = list.size;
  return sums;
}

template <class S>
Moments accumulate(const Cloud& cloud, const Base& base, PointList* boundary) {
  return accumulate_visiting<S>(cloud, base, boundary, [](const Lanes<S>&) DATUM_IN_LOOP {});
}

template <class S>
Moments accumulate_scanning(const Cloud& cloud, const Base& base, float half_x, float half_y,
                            PointList* boundary, ValidityScan* seen) {
  Scanner<S> scanner(half_x, half_y);
  const Moments sums = accumulate_visiting<S>(
      cloud, base, boundary, [&](const Lanes<S>& p) DATUM_IN_LOOP { scanner.add(p.x, p.y, p.z); });
  *seen = scanner.result();
  return sums;
}

template <class S>
Moments accumulate_boundary(const Cloud& boundary, const Base& base, const Hypothesis& change) {
  using F = typename S::F;
  using M = typename S::M;
  const F a = S::set(-change.a), b = S::set(-change.b), c = S::set(change.c),
          z_threshold = S::set(change.z_threshold);
  return sum_inliers<S>(boundary, base,
                        [&](const Lanes<S>& p, const Lanes<S>& q, M& in_p, M& in_q) DATUM_IN_LOOP {
                          in_p = S::le(S::abs(plane_math::residual<S>(p.x, p.y, p.z, a, b, c)), z_threshold);
                          in_q = S::le(S::abs(plane_math::residual<S>(q.x, q.y, q.z, a, b, c)), z_threshold);
                        });
}

template <class S>
constexpr PlaneKernels kernels_of() {
  return PlaneKernels{select<S>, count<S>, accumulate<S>, accumulate_scanning<S>, accumulate_boundary<S>};
}

}  // namespace

extern const PlaneKernels DATUM_OF_ISA(plane_kernels);
const PlaneKernels DATUM_OF_ISA(plane_kernels) = kernels_of<Simd>();

}  // namespace datum
