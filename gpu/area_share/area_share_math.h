// Where a point lies on the model, and on which patch. Only + - * /, comparisons and one written order. C++17.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/area_share/area_share.h"
#include "gpu/core/portable.h"

namespace datum::area {

struct Place3d {
  double v[3];
};

/// A facet's corners and the normal of its face, where they lie: a normal alone is enough for most points, and each comes from
/// far in memory.
struct FacetPlace {
  const float* corner;  // 3 x 3
  const float* normal;
};

DATUM_HD double dot(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

inline FacetPlace place_of(const TriangleModel& model, std::uint32_t facet) {
  return {model.corner[facet][0].data(), model.normal[facet][0].data()};
}

/// Beyond the end of an open model nothing is.
DATUM_HD bool is_judged(const ModelDistance& d) {
  return d.kind == MatchClass::face || d.kind == MatchClass::edge;
}

/// The place of the facet nearest to a point, from the distance search's result.
DATUM_HD Place3d foot_of(const FacetPlace& facet, const ModelPoint& point, const ModelDistance& found) {
  const double p[3] = {point.x, point.y, point.z};
  Place3d foot;  // NOLINT(cppcoreguidelines-pro-type-member-init): written next
  if (found.place == Place::face) {
    for (int i = 0; i < 3; ++i) foot.v[i] = p[i] - found.distance * static_cast<double>(facet.normal[i]);
    return foot;
  }
  const int k = static_cast<int>(found.place) - static_cast<int>(Place::edge_ab);
  const int tail = 3 * (k < 3 ? k : k - 3), head = 3 * ((k + 1) % 3);
  const float* const u = facet.corner + tail;
  const float* const v = facet.corner + head;
  double side[3], from[3];  // NOLINT(cppcoreguidelines-pro-type-member-init): written next
  for (int i = 0; i < 3; ++i) {
    foot.v[i] = u[i];
    side[i] = static_cast<double>(v[i]) - foot.v[i];
    from[i] = p[i] - foot.v[i];
  }
  if (k >= 3) return foot;
  const double at = dot(from, side) / dot(side, side);
  const double t = at < 0 ? 0 : at > 1 ? 1 : at;
  for (int i = 0; i < 3; ++i) foot.v[i] = foot.v[i] + t * (static_cast<double>(v[i]) - foot.v[i]);
  return foot;
}

/// The patch of a place below a cut.
DATUM_HD std::uint32_t patch_below(const PatchCut* cuts, std::int32_t at, const Place3d& place) {
  while (at >= 0) {
    const PatchCut& c = cuts[at];
    const double from[3] = {place.v[0] - c.middle[0], place.v[1] - c.middle[1], place.v[2] - c.middle[2]};
    at = c.half[dot(c.across, from) * c.second > 0 ? 1 : 0];
  }
  return static_cast<std::uint32_t>(~at);
}

/// The area that a mark has of its patch.
DATUM_HD double area_of_mark(double area_mm2, std::uint32_t marks) {
  return marks > 0 ? area_mm2 / static_cast<double>(marks) : 0;
}

}  // namespace datum::area
