// Arithmetic of the parallel planes, written once for every backend. C++17.
//
// A sample is cut into tiles of 1024 points; point i of a tile belongs to lane i mod 8, which adds its 128 points in
// ascending order. Each of the eleven moments is added onto 1.5 * 2^52 quanta, so that the fma itself rounds a term to
// a whole number of quanta: what a lane has gathered is an integer, and integers add up to the same in any order. The
// order within a lane is fixed because a term that lies half way between two quanta is rounded to the even sum.
// A quantum is 2^-43 of the largest term: 128 terms stay below 2^50 quanta, and a term's error is 2^-44 of the largest.
#pragma once

#include <cmath>

#include "gpu/core/double_double.h"
#include "gpu/core/symmetric_jacobi.h"
#include "gpu/parallel_planes/parallel_planes.h"

namespace datum::parallel {

constexpr int lanes = 8, rows = 128, tile = lanes * rows, moment_count = 11;
enum Moment { m_w, m_x, m_y, m_z, m_xx, m_xy, m_xz, m_yy, m_yz, m_zz, m_ww };

/// Powers of two that bound the terms, and what the lanes begin with.
struct Scale {
  double range = 0, weight = 0;  // >= half_range, >= max_weight
  double begin[moment_count];    // 1.5 * 2^52 quanta
  double quantum[moment_count];
};

inline double power_of_two_above(double v) {
  int exponent = 0;
  return std::frexp(v, &exponent) == 0.5 ? v : std::ldexp(1.0, exponent);
}

inline Scale scale_of(const ParallelPlanesSettings& settings) {
  Scale s;
  // A point at the edge of the range in float may lie half a unit beyond it in double: 128 terms have room for twice that.
  s.range = power_of_two_above(settings.half_range);
  s.weight = power_of_two_above(settings.max_weight);
  for (int m = 0; m < moment_count; ++m) {
    const double largest = m == m_ww              ? s.weight * s.weight
                           : m == m_w             ? s.weight
                           : m >= m_x && m <= m_z ? s.weight * s.range
                                                  : s.weight * s.range * s.range;
    s.quantum[m] = std::ldexp(largest, -43);
    s.begin[m] = std::ldexp(1.5 * s.quantum[m], 52);
  }
  return s;
}

/// Lanes of doubles: D of a CPU's instruction set, or double. x, y, z from the centre.
template <class S, class D>
DATUM_HD void add_point(D* sums, D x, D y, D z, D w) {
  const D wx = S::mul(w, x), wy = S::mul(w, y), wz = S::mul(w, z);
  sums[m_w] = S::add(sums[m_w], w);
  sums[m_x] = S::add_product(w, x, sums[m_x]);
  sums[m_y] = S::add_product(w, y, sums[m_y]);
  sums[m_z] = S::add_product(w, z, sums[m_z]);
  sums[m_xx] = S::add_product(wx, x, sums[m_xx]);
  sums[m_xy] = S::add_product(wx, y, sums[m_xy]);
  sums[m_xz] = S::add_product(wx, z, sums[m_xz]);
  sums[m_yy] = S::add_product(wy, y, sums[m_yy]);
  sums[m_yz] = S::add_product(wy, z, sums[m_yz]);
  sums[m_zz] = S::add_product(wz, z, sums[m_zz]);
  sums[m_ww] = S::add_product(w, w, sums[m_ww]);
}

struct OneLane {
  DATUM_HD double mul(double a, double b) { return a * b; }
  DATUM_HD double add(double a, double b) { return a + b; }
  DATUM_HD double add_product(double a, double b, double c) { return ::fma(a, b, c); }
};

/// Bits of a sample's faults.
constexpr std::uint32_t fault_range = 1, fault_weight = 2;

DATUM_HD std::uint32_t faults_of(const WeightedPoint& p, const float* centre, float half_range,
                                 float max_weight) {
  const bool inside = ::fabsf(p.x - centre[0]) <= half_range && ::fabsf(p.y - centre[1]) <= half_range &&
                      ::fabsf(p.z - centre[2]) <= half_range;
  // as bits a negative number is above every positive one, and a NaN above infinity
  const bool weight = bits_of(p.w) <= bits_of(max_weight);
  return (inside ? 0 : fault_range) | (weight ? 0 : fault_weight);
}

/// Quanta that a lane has gathered: it never leaves the binade in which it began.
DATUM_HD std::int64_t gathered(double sum, double begin) {
  std::int64_t a = 0, b = 0;
  std::memcpy(&a, &sum, sizeof a);
  std::memcpy(&b, &begin, sizeof b);
  return a - b;
}

/// Sums of a sample over all its tiles: quanta = high * 2^32 + low, both below 2^53 for up to 2^28 points.
struct SampleSums {
  std::int64_t high[moment_count];
  std::int64_t low[moment_count];
  std::uint64_t points;
  std::uint32_t faults, unused;
};
constexpr std::uint64_t most_points = std::uint64_t{1} << 28;

DATUM_HD DoubleDouble quanta(const SampleSums& s, int moment) {
  return two_sum(static_cast<double>(s.high[moment]) * 4294967296.0, static_cast<double>(s.low[moment]));
}

/// Sum of w (p - p') (q - q') about the weighted centroid, in quanta of the second moments, rounded once.
DATUM_HD double central(const SampleSums& s, int pq, int p, int q, const DoubleDouble& w) {
  return difference(quanta(s, pq), quotient(product(quanta(s, p), quanta(s, q)), w)).high;
}

DATUM_HD Symmetric3 central_moments(const SampleSums& s) {
  const DoubleDouble w = quanta(s, m_w);
  Symmetric3 c;
  c.xx = central(s, m_xx, m_x, m_x, w);
  c.xy = central(s, m_xy, m_x, m_y, w);
  c.xz = central(s, m_xz, m_x, m_z, w);
  c.yy = central(s, m_yy, m_y, m_y, w);
  c.yz = central(s, m_yz, m_y, m_z, w);
  c.zz = central(s, m_zz, m_z, m_z, w);
  return c;
}

DATUM_HD double along(const Symmetric3& m, const double* v) {
  const double x = m.xx * v[0] + m.xy * v[1] + m.xz * v[2], y = m.xy * v[0] + m.yy * v[1] + m.yz * v[2],
               z = m.xz * v[0] + m.yz * v[1] + m.zz * v[2];
  const double square = x * v[0] + y * v[1] + z * v[2];
  return square > 0 ? square : 0;
}

DATUM_HD double dot(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// From the plane through `origin`, along the normal.
DATUM_HD double distance_of(const WeightedPoint& p, const double* normal, const double* origin) {
  const double x = static_cast<double>(p.x) - origin[0], y = static_cast<double>(p.y) - origin[1],
               z = static_cast<double>(p.z) - origin[2];
  return ::fma(normal[0], x, ::fma(normal[1], y, normal[2] * z));
}

/// What the fit needs beside the points.
struct Job {
  float half_range, max_weight;
  double towards[3];
  double min_width_ratio, max_thickness_ratio;
  WeightMeaning meaning;
  Scale scale;
};

inline Job job_of(const ParallelPlanesSettings& s) {
  Job job{s.half_range,      s.max_weight,          {s.towards[0], s.towards[1], s.towards[2]},
          s.min_width_ratio, s.max_thickness_ratio, s.meaning,
          scale_of(s)};
  return job;
}

/// One plane of a set, and its moments about its centroid, which all planes add up.
struct PlanePart {
  ParallelPlane plane;
  Symmetric3 moments;  // quanta
  std::uint32_t faults = 0;
  bool empty = false;
};

DATUM_HD PlanePart part_of(const Job& job, const SampleSums& sums, const float* centre) {
  PlanePart part;
  part.faults = sums.faults;
  part.plane.points = sums.points;
  const DoubleDouble w = quanta(sums, m_w);
  part.empty = !(w.high > 0);
  if (part.empty) return part;
  part.plane.weight = w.high * job.scale.quantum[m_w];
  part.plane.effective =
      part.plane.weight * part.plane.weight / (quanta(sums, m_ww).high * job.scale.quantum[m_ww]);
  const double length_quantum = job.scale.quantum[m_x] / job.scale.quantum[m_w];
  for (int k = 0; k < 3; ++k)
    part.plane.centroid[k] =
        static_cast<double>(centre[k]) + quotient(quanta(sums, m_x + k), w).high * length_quantum;
  part.moments = central_moments(sums);
  return part;
}

/// What all planes of a set gather, in their order.
struct SetSums {
  Symmetric3 moments;
  double weight = 0, effective = 0;
  std::uint64_t points = 0;
  std::uint32_t planes = 0, faults = 0;
  bool empty = false;
};

DATUM_HD void gather(const PlanePart& part, SetSums* set) {
  set->moments.xx += part.moments.xx;
  set->moments.xy += part.moments.xy;
  set->moments.xz += part.moments.xz;
  set->moments.yy += part.moments.yy;
  set->moments.yz += part.moments.yz;
  set->moments.zz += part.moments.zz;
  set->weight += part.plane.weight;
  set->effective += part.plane.effective;
  set->points += part.plane.points;
  set->faults |= part.faults;
  set->empty = set->empty || part.empty;
  ++set->planes;
}

/// Points of equal weight that the weights count as: those that are variances count points by themselves, areas as the
/// equal weights that say as much.
DATUM_HD double counted(const Job& job, const SetSums& set) {
  return job.meaning == WeightMeaning::variance ? static_cast<double>(set.points) : set.effective;
}

DATUM_HD ParallelPlanes shared_of(const Job& job, const SetSums& sums) {
  ParallelPlanes set;
  set.effective = sums.effective;
  if (sums.faults || sums.empty) {
    set.status = sums.faults & fault_range    ? ParallelStatus::out_of_range
                 : sums.faults & fault_weight ? ParallelStatus::bad_weight
                                              : ParallelStatus::no_points;
    return set;
  }
  const Eigen3 e = eigen_of(sums.moments);
  const double* n = e.vector[2];
  const double side = dot(n, job.towards);
  const bool back =
      side < 0 || (side == 0 && (n[2] < 0 || (n[2] == 0 && (n[1] < 0 || (n[1] == 0 && n[0] < 0)))));
  for (int k = 0; k < 3; ++k) {
    set.normal[k] = back ? -n[k] : n[k];
    set.axis[0][k] = e.vector[0][k];
    set.axis[1][k] = e.vector[1][k];
    const double value = e.value[k] > 0 ? e.value[k] : 0;
    set.mean_square[k] = value * job.scale.quantum[m_xx] / sums.weight;
  }
  const double l1 = set.mean_square[0], l2 = set.mean_square[1], l3 = set.mean_square[2];
  set.status = !(l2 > job.min_width_ratio * l1)        ? ParallelStatus::strip
               : !(l3 <= job.max_thickness_ratio * l2) ? ParallelStatus::no_plane
                                                       : ParallelStatus::ok;
  const double count = counted(job, sums), freedom = count - 2 - sums.planes;
  const double variance = freedom > 0 ? l3 * (count / freedom) : 0;
  set.sigma = ::sqrt(variance);
  for (int k = 0; k < 2; ++k)
    set.tilt_variance[k] = set.mean_square[k] > 0 ? variance / (set.mean_square[k] * count) : 0;
  return set;
}

/// What a plane knows of itself once the set's normal is known.
DATUM_HD void complete(const Job& job, const SetSums& sums, const ParallelPlanes& set, PlanePart* part) {
  if (sums.faults || sums.empty) return;
  ParallelPlane& plane = part->plane;
  plane.rms = ::sqrt(along(part->moments, set.normal) * job.scale.quantum[m_xx] / plane.weight);
  const double share = job.meaning == WeightMeaning::variance
                           ? counted(job, sums) * (plane.weight / sums.weight)
                           : plane.effective;
  plane.offset_variance = set.sigma * set.sigma / share;
}

}  // namespace datum::parallel
