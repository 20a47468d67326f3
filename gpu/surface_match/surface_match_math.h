// The arithmetic of matching, written once for every backend: F is float, or lanes of floats on a CPU. What decides is
// + - * / sqrt and comparisons, in one order; sums are of integers. C++17.
#pragma once

#include <cmath>

#include "gpu/core/portable.h"
#include "gpu/core/wide.h"
#include "gpu/surface_match/cell_grid.h"
#include "gpu/surface_match/surface_match.h"

namespace datum::match {

template <class F>
DATUM_HD F dot3(const float* u, F x, F y, F z) {
  return u[0] * x + (u[1] * y + u[2] * z);
}

/// A place as a facet sees it: distance from its plane, squared distance of its foot from the centroid.
template <class F>
struct Seen {
  F distance, square;
};

template <class F>
DATUM_HD Seen<F> seen_from(const ModelFacet& f, F px, F py, F pz) {
  const F x = px - f.centre[0], y = py - f.centre[1], z = pz - f.centre[2];
  const F d = dot3(f.normal, x, y, z);
  const F qx = x - d * f.normal[0], qy = y - d * f.normal[1], qz = z - d * f.normal[2];
  return Seen<F>{d, qx * qx + (qy * qy + qz * qz)};
}

DATUM_HD MatchClass class_of(const ModelFacet& f, float sharp) {
  return f.turn < -1.5f ? MatchClass::rim : f.turn < sharp ? MatchClass::edge : MatchClass::face;
}

// Point-facet matching.

/// Distances are summed as integers of gate / 2^18 to gate / 2^19: of 2^25 points their squares fit 63 bits.
struct PointSums {
  std::uint32_t count = 0;
  std::int64_t sum = 0, square = 0;
  float lowest = 0, highest = 0;
};

DATUM_HD void add(float distance, float scale, PointSums* s) {
  const std::int64_t q =
      static_cast<std::int32_t>(bits_of(::fmaf(distance, scale, 12582912.f)) - 0x4B400000u);
  distance += 0.f;  // -0 and 0 are one distance, whichever comes first
  s->sum += q;
  s->square += q * q;
  s->lowest = s->count == 0 || distance < s->lowest ? distance : s->lowest;
  s->highest = s->count == 0 || distance > s->highest ? distance : s->highest;
  ++s->count;
}

DATUM_HD void merge(const PointSums& other, PointSums* s) {
  if (other.count == 0) return;
  s->sum += other.sum;
  s->square += other.square;
  s->lowest = s->count == 0 || other.lowest < s->lowest ? other.lowest : s->lowest;
  s->highest = s->count == 0 || other.highest > s->highest ? other.highest : s->highest;
  s->count += other.count;
}

/// `quantum`: 1 / scale.
DATUM_HD FacetDeviation deviation_of(const PointSums& s, const ModelFacet& f, double quantum,
                                     const PointMatchSettings& settings) {
  FacetDeviation out;
  out.count = s.count;
  if (s.count == 0) return out;
  const double n = s.count;
  out.mean = static_cast<float>(static_cast<double>(s.sum) / n * quantum);
  out.lowest = s.lowest;
  out.highest = s.highest;
  if (s.count > 1) {
    const double central = difference_of_products(s.count, s.square, s.sum, s.sum);
    out.s = static_cast<float>(::sqrt(central / (n * (n - 1))) * quantum);
  }
  if (s.count >= settings.least) out.kind = class_of(f, settings.sharp_cosine);
  return out;
}

// Facet-facet matching.

struct Corners {
  float at[3][3], normal[3];
};

/// About a measured facet's centroid, through its farthest corner. `f`: three corners.
DATUM_HD Ball ball_about(const float* f) {
  float centre[3];
  for (int k = 0; k < 3; ++k) centre[k] = static_cast<float>((double{f[k]} + f[3 + k] + f[6 + k]) / 3);
  double square = 0;
  for (int i = 0; i < 3; ++i) {
    double from_centre = 0;
    for (int k = 0; k < 3; ++k) {
      const double d = double{f[3 * i + k]} - centre[k];
      from_centre += d * d;
    }
    square = square < from_centre ? from_centre : square;
  }
  return Ball{centre[0], centre[1], centre[2], static_cast<float>(::sqrt(square)) * 1.000001f};
}

/// A measured facet as a search sees it. `f`: three corners.
DATUM_HD Corners corners_of(const float* f) {
  Corners c;
  double ab[3], ac[3];
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) c.at[i][k] = f[3 * i + k];
  for (int k = 0; k < 3; ++k) {
    ab[k] = double{f[3 + k]} - f[k];
    ac[k] = double{f[6 + k]} - f[k];
  }
  const double n[3] = {ab[1] * ac[2] - ab[2] * ac[1], ab[2] * ac[0] - ab[0] * ac[2],
                       ab[0] * ac[1] - ab[1] * ac[0]};
  const double per = 1 / ::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (int k = 0; k < 3; ++k)
    c.normal[k] = static_cast<float>(n[k] * per);  // 0 times infinite: never pierced
  return c;
}

/// a . (u x v) for u, v as seen from the line; with u and v exchanged exactly the negative, so of two facets that share
/// an edge one is pierced.
DATUM_HD float side(const float* a, const float* u, const float* v) {
  return a[0] * (u[1] * v[2] - u[2] * v[1]) +
         (a[1] * (u[2] * v[0] - u[0] * v[2]) + a[2] * (u[0] * v[1] - u[1] * v[0]));
}

/// Whether the facet's normal through its centroid pierces the corners' triangle from behind, and how far away.
DATUM_HD bool pierces(const ModelFacet& f, const Corners& c, float* distance) {
  float at[3][3], height[3];
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) at[i][k] = c.at[i][k] - f.centre[k];
    height[i] = dot3(f.normal, at[i][0], at[i][1], at[i][2]);
  }
  const float a = side(f.normal, at[1], at[2]), b = side(f.normal, at[2], at[0]),
              ab = side(f.normal, at[0], at[1]);
  const float area = a + (b + ab);
  if (!(a >= 0 && b >= 0 && ab >= 0)) return false;
  *distance = (a * height[0] + (b * height[1] + ab * height[2])) / area;  // seen edge-on: NaN, within no gate
  return true;
}

struct PierceTest {
  float gate, least_cosine;
};

DATUM_HD bool matches(const ModelFacet& f, const Corners& c, const PierceTest& test, float* distance) {
  return dot3(f.normal, c.normal[0], c.normal[1], c.normal[2]) >= test.least_cosine &&
         pierces(f, c, distance) && ::fabsf(*distance) <= test.gate;
}

/// The best so far: of the nearest the lowest `number`; on a walk the lowest step, kept in `order`.
struct Best {
  float distance = 0;
  std::uint32_t number = UINT32_MAX, order = UINT32_MAX;
};

DATUM_HD void keep_nearest(float distance, std::uint32_t number, Best* best) {
  const float now = ::fabsf(distance), before = ::fabsf(best->distance);
  if (best->number == UINT32_MAX || now < before || (now == before && number < best->number)) {
    best->distance = distance;
    best->number = number;
  }
}

/// Of two finds of one facet: the steps of walks differ, without walks they are equal.
DATUM_HD void merge(const Best& other, Best* best) {
  if (other.number == UINT32_MAX) return;
  if (other.order < best->order) {
    *best = other;
  } else if (other.order == best->order) {
    keep_nearest(other.distance, other.number, best);
  }
}

DATUM_HD float from_origin(float x, float y, float z) { return ::sqrtf(x * x + (y * y + z * z)); }

/// Where a walk begins: the place in ascending distances (of `count`, at least one) that is nearest to `distance`, the
/// lower of two.
DATUM_HD std::uint32_t walk_start(const float* distances, std::uint32_t count, float distance) {
  std::uint32_t first = 0, last = count;
  while (first < last) {
    const std::uint32_t middle = first + (last - first) / 2;
    if (distances[middle] < distance) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  if (first == count) return count - 1;
  if (first > 0 && distance - distances[first - 1] <= distances[first] - distance) {
    const float same = distances[first - 1];
    for (--first; first > 0 && distances[first - 1] == same;) --first;
  }
  return first;
}

/// Steps from the start: itself, the next, the one before, the second next ...
DATUM_HD std::uint32_t walk_order(std::uint32_t start, std::uint32_t at) {
  return at > start ? 2 * (at - start) - 1 : 2 * (start - at);
}

DATUM_HD FacetPierced pierced_of(const Best& best, const ModelFacet& f, float sharp) {
  FacetPierced out;
  if (best.number == UINT32_MAX) return out;
  out.distance = best.distance;
  out.facet = best.number;
  out.kind = class_of(f, sharp);
  return out;
}

}  // namespace datum::match
