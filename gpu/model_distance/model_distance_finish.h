// From the nearest facet to a signed distance, written once for every backend. C++17.
#pragma once

#include "gpu/model_distance/model_distance.h"
#include "gpu/model_distance/model_distance_math.h"

namespace datum::model {

/// Squares of what lies within stay finite.
constexpr float largest_coordinate = 1e15f;

/// Largest coordinate of point and model, without its sign; NaN or infinite where the point is.
DATUM_HD float farthest_of(const ModelPoint& p, float model) {
  const float x = ::fabsf(p.x), y = ::fabsf(p.y), z = ::fabsf(p.z);
  if (!(x <= 1e15f && y <= 1e15f && z <= 1e15f)) return x + y + z + 2e15f;
  const float a = x > y ? x : y, b = z > model ? z : model;
  return a > b ? a : b;
}

struct Side {
  float t, square;
};

DATUM_HD Side side_of(float x, float y, float z, const float* side, float per) {
  const float t = clamp01(dot3(side, x, y, z) * per);
  return Side{t, square_left(x, y, z, side, t)};
}

/// The place that square_of found, by the same operations.
DATUM_HD Place place_of(const Facet<float>& f, float x, float y, float z) {
  const float bc[3] = {f.ac[0] - f.ab[0], f.ac[1] - f.ab[1], f.ac[2] - f.ab[2]};
  const float bx = x - f.ab[0], by = y - f.ab[1], bz = z - f.ab[2];
  if (dot3(f.in_ab, x, y, z) >= 0 && dot3(f.in_bc, bx, by, bz) >= 0 && dot3(f.in_ca, x, y, z) >= 0)
    return Place::face;
  const Side ab = side_of(x, y, z, f.ab, f.per_ab), ac = side_of(x, y, z, f.ac, f.per_ac),
             cb = side_of(bx, by, bz, bc, f.per_bc);
  if (ab.square <= cb.square && ab.square <= ac.square)
    return ab.t <= 0 ? Place::corner_a : ab.t >= 1 ? Place::corner_b : Place::edge_ab;
  if (cb.square <= ac.square)
    return cb.t <= 0 ? Place::corner_b : cb.t >= 1 ? Place::corner_c : Place::edge_bc;
  return ac.t <= 0 ? Place::corner_a : ac.t >= 1 ? Place::corner_c : Place::edge_ca;
}

DATUM_HD MatchClass class_of(Place place, const float* cosine, float sharp) {
  const int k = static_cast<int>(place);
  if (k == 0) return MatchClass::face;
  const float turn = cosine[k - 1];
  return turn < -1.5f ? MatchClass::rim : turn < sharp ? MatchClass::edge : MatchClass::face;
}

/// `normals`: of the facet, by Place; `cosine`: of its edges and corners (TriangleModel).
template <class Normal>
DATUM_HD ModelDistance distance_at(const Facet<float>& f, const Normal* normals, const float* cosine,
                                   std::uint32_t facet, float px, float py, float pz, float square,
                                   float sharp) {
  const float x = px - f.a[0], y = py - f.a[1], z = pz - f.a[2];
  ModelDistance d;
  d.facet = facet;
  d.place = place_of(f, x, y, z);
  d.kind = class_of(d.place, cosine, sharp);
  const int k = static_cast<int>(d.place);
  const float* n = &normals[k][0];
  // from the place itself: any point of an edge or corner serves, and the face's height is known exactly
  float side = 0;
  if (k == 0) {
    side = dot3(f.normal, x, y, z);
  } else if (k == 2 || k == 5) {
    side = dot3(n, x - f.ab[0], y - f.ab[1], z - f.ab[2]);  // bc, b
  } else if (k == 6) {
    side = dot3(n, x - f.ac[0], y - f.ac[1], z - f.ac[2]);  // c
  } else {
    side = dot3(n, x, y, z);  // ab, ca, a
  }
  const float length = ::sqrtf(square);
  d.distance = side < 0 ? -length : length;
  return d;
}

}  // namespace datum::model
