// The judgement of a snapshot's pixels, written once for every backend. Only + - * /, roots, comparisons and roundings to integers, in
// one written order. C++17.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "gpu/area_share/area_share_math.h"
#include "gpu/core/nearest_integer.h"
#include "gpu/core/portable.h"
#include "gpu/surface_compare/surface_compare.h"

namespace datum::compare {

using area::Place3d;

// as constants: devices call no function of the host's library
constexpr double far = std::numeric_limits<double>::infinity(),
                 none = std::numeric_limits<double>::quiet_NaN();

DATUM_HD double at(const ShotAxis& axis, double index) { return axis.offset_mm + axis.scale_mm * index; }

/// A rotation by rows, then a shift.
DATUM_HD Place3d moved(const double* rotation, const double* shift, const Place3d& p) {
  Place3d out;  // NOLINT(cppcoreguidelines-pro-type-member-init): written next
  for (int i = 0; i < 3; ++i)
    out.v[i] =
        (rotation[3 * i] * p.v[0] + (rotation[3 * i + 1] * p.v[1] + rotation[3 * i + 2] * p.v[2])) + shift[i];
  return out;
}

/// A pixel's point; z in sensor mm.
DATUM_HD ModelPoint point_of(const ShotRays& rays, int row, int col, double z_mm) {
  const Place3d p = moved(rays.model_from_sensor, rays.place, {{at(rays.x, col), at(rays.y, row), z_mm}});
  return ModelPoint{static_cast<float>(p.v[0]), static_cast<float>(p.v[1]), static_cast<float>(p.v[2])};
}

DATUM_HD double count_at(const ShotHeights& heights, std::size_t pixel) {
  switch (heights.type) {
    case CountType::int16:
      return static_cast<const std::int16_t*>(heights.counts)[pixel];
    case CountType::int32:
      return static_cast<const std::int32_t*>(heights.counts)[pixel];
    case CountType::float32:
      break;
  }
  return static_cast<double>(static_cast<const float*>(heights.counts)[pixel]);
}

/// Corners in sensor coordinates, from 3 x 3 coordinates of the model.
DATUM_HD void corners_of(const ShotRays& rays, const float* corner, Place3d* out) {
  for (int k = 0; k < 3; ++k)
    out[k] =
        moved(rays.sensor_from_model, rays.origin, {{corner[3 * k], corner[3 * k + 1], corner[3 * k + 2]}});
}

/// The plane through three corners; not finite where they are on one line.
DATUM_HD FacetPlane plane_of(const Place3d* p) {
  double u[3], v[3];  // NOLINT(cppcoreguidelines-pro-type-member-init): written next
  for (int i = 0; i < 3; ++i) {
    u[i] = p[1].v[i] - p[0].v[i];
    v[i] = p[2].v[i] - p[0].v[i];
  }
  double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  const double square = n[0] * n[0] + (n[1] * n[1] + n[2] * n[2]);
  const double length = ::sqrt(square);
  if (square > 0)
    for (double& c : n) c = c / length;
  return FacetPlane{p[0].v[0], p[0].v[1], p[0].v[2], -n[0] / n[2], -n[1] / n[2], n[2]};
}

DATUM_HD double plane_mm(const FacetPlane& p, double x_mm, double y_mm) {
  return p.z_mm + p.slope_x * (x_mm - p.x_mm) + p.slope_y * (y_mm - p.y_mm);
}

/// A snapshot as the judgement sees it.
struct ShotView {
  ShotRays rays;
  ShotHeights heights;
  const FacetPlane* planes = nullptr;  // of each facet that a ray meets
  std::uint32_t facets = 0;            // of the model

  DATUM_MEMBER bool inside(int row, int col) const {
    return row >= 0 && row < rays.rows && col >= 0 && col < rays.cols;
  }
  DATUM_MEMBER std::size_t index(int row, int col) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(rays.cols) +
           static_cast<std::size_t>(col);
  }
  /// The first facet on a pixel's ray; no_facet where it misses the model or the pixel does not exist.
  DATUM_MEMBER std::uint32_t facet(int row, int col) const {
    if (!inside(row, col)) return no_facet;
    const std::uint32_t met = rays.facet[index(row, col)];
    return met < facets ? met : no_facet;
  }
  DATUM_MEMBER double met_mm(int row, int col) const { return rays.z_mm[index(row, col)]; }
  DATUM_MEMBER double pitch_mm() const {
    return rays.x.scale_mm < rays.y.scale_mm ? rays.y.scale_mm : rays.x.scale_mm;
  }
  /// In sensor mm; NaN where the pixel does not exist or has no height.
  DATUM_MEMBER double height(int row, int col) const {
    if (!inside(row, col) || heights.classes[index(row, col)] != 0) return none;
    return at(heights.z, count_at(heights, index(row, col)));
  }
  /// Row and column of the nearest pixel, in the snapshot or not.
  DATUM_MEMBER static int pixel_at(const ShotAxis& axis, double mm) {
    const double index = (mm - axis.offset_mm) / axis.scale_mm;
    return static_cast<int>(nearest_integer(index < -1e9 ? -1e9 : index > 1e9 ? 1e9 : index));
  }
};

struct JudgedPixel {
  Judgement judgement = Judgement::explained;
  double deviation_mm = 0;           // signed, positive outside the material; of a face or edge
  std::uint32_t facet = no_facet;    // facet of the deviation
  std::uint32_t charged = no_facet;  // facet whose region is charged
  bool along_ray = false;            // instead of the nearest place
};

/// Coordinates of a model are in single precision: some nm, more on an inclined plane.
constexpr double rounding_mm = 1e-4;

/// Judges the pixels of one snapshot. `Facets` has a model's facets: corner(i), 3 x 3; normal(i), of the face; normal(i, place).
template <class Facets>
class PixelJudge {
 public:
  DATUM_MEMBER PixelJudge(const ShotView& shot, const Facets& facets, const CompareSettings& settings)
      : shot_(shot), facets_(facets), search_mm_(settings.search_mm), least_cosine_(settings.least_cosine) {}

  /// `nearest` is the nearest place to `point`, the point of a pixel with a height.
  DATUM_MEMBER JudgedPixel judge(int row, int col, const ModelPoint& point,
                                 const ModelDistance& nearest) const {
    const std::uint32_t met = shot_.facet(row, col);
    const bool found = nearest.kind != MatchClass::no_data;
    if (met != no_facet && shot_.rays.is_away[shot_.index(row, col)] != 0)
      return JudgedPixel();  // the far side of an open model
    if (met == no_facet && !found) return JudgedPixel();
    const double z = shot_.height(row, col);
    const double off = met == no_facet ? none : z - shot_.met_mm(row, col);
    const Seen seen{row, col, {{at(shot_.rays.x, col), at(shot_.rays.y, row), z}}, met, off};
    if (!found) return along_ray(seen);
    const Foot foot = foot_of(seen, point, nearest);
    const bool is_seen = foot.in_sight && foot.cosine >= least_cosine_;
    if (nearest.kind == MatchClass::face && is_seen &&
        (met == no_facet ? foot.aside_mm <= shot_.heights.edge_mm : reaches(seen, foot)))
      return by_nearest(Judgement::face, nearest);
    if (nearest.kind == MatchClass::rim)
      return met == no_facet || foot.aside_mm <= shot_.heights.edge_mm ? by_nearest(Judgement::rim, nearest)
                                                                       : along_ray(seen);
    if (met == no_facet) return beside_model(seen, foot, nearest);
    const bool looks_away = foot.cosine <= -least_cosine_;
    if (foot.in_sight && !looks_away) return by_foot(seen, foot, nearest);
    return along_ray(seen);
  }

 private:
  struct Seen {  // the pixel
    int row, col;
    Place3d at;           // sensor coordinates
    std::uint32_t facet;  // first facet on the ray
    double off_mm;        // along the ray from that facet
  };
  struct Foot {  // the nearest place as seen by the sensor
    Place3d at;
    int row, col;     // its pixel
    double aside_mm;  // across the ray, from the point
    double cosine;    // between the place's normal and the ray
    bool in_sight;    // no part of the model occludes it
  };
  struct Levels {  // of the facets around a place, at its x and y; -inf where a ray misses
    double lowest = far, highest = -far;
    std::uint32_t highest_facet = no_facet;
    std::uint32_t facing[9];  // those visible to the sensor
    int facing_count = 0;
  };

  DATUM_MEMBER double cosine(std::uint32_t facet) const { return shot_.planes[facet].cosine; }
  DATUM_MEMBER double plane_at(std::uint32_t facet, const Place3d& place) const {
    return plane_mm(shot_.planes[facet], place.v[0], place.v[1]);
  }
  /// NaN where the pixel has no height or its ray misses the model.
  DATUM_MEMBER double off_mm(int row, int col) const {
    if (shot_.facet(row, col) == no_facet) return none;
    return shot_.height(row, col) - shot_.met_mm(row, col);
  }
  DATUM_MEMBER static JudgedPixel by_nearest(Judgement judgement, const ModelDistance& nearest) {
    return JudgedPixel{judgement, static_cast<double>(nearest.distance), nearest.facet, nearest.facet, false};
  }

  DATUM_MEMBER Foot foot_of(const Seen& seen, const ModelPoint& point, const ModelDistance& nearest) const {
    Foot foot;
    const Place3d place =
        area::foot_of({facets_.corner(nearest.facet), facets_.normal(nearest.facet)}, point, nearest);
    foot.at = moved(shot_.rays.sensor_from_model, shot_.rays.origin, place);
    foot.row = ShotView::pixel_at(shot_.rays.y, foot.at.v[1]);
    foot.col = ShotView::pixel_at(shot_.rays.x, foot.at.v[0]);
    const double dx = seen.at.v[0] - foot.at.v[0], dy = seen.at.v[1] - foot.at.v[1];
    foot.aside_mm = ::sqrt(dx * dx + dy * dy);
    const float* const n = nearest.place == Place::face ? facets_.normal(nearest.facet)
                                                        : facets_.normal(nearest.facet, nearest.place);
    const double* const r = shot_.rays.model_from_sensor;  // its last column: the direction to the sensor
    foot.cosine = static_cast<double>(n[0]) * r[2] + static_cast<double>(n[1]) * r[5] +
                  static_cast<double>(n[2]) * r[8];
    foot.in_sight = seen.facet == nearest.facet || is_in_sight(foot);
    return foot;
  }

  /// Whether the place is not below all facets around its pixel, at the rays' intersections or at its x and y: a facet narrower than
  /// a pixel appears in its neighbours only. Beyond the snapshot's border the model is unknown.
  DATUM_MEMBER bool is_in_sight(const Foot& foot) const {
    for (int by_plane = 0; by_plane < 2; ++by_plane)  // what lies side by side first: mostly it is enough
      for (int row = foot.row - 1; row <= foot.row + 1; ++row)
        for (int col = foot.col - 1; col <= foot.col + 1; ++col) {
          const std::uint32_t facet = shot_.facet(row, col);
          if (facet == no_facet) return true;
          const double z = by_plane != 0 ? plane_at(facet, foot.at) : shot_.met_mm(row, col);
          if (foot.at.v[2] >= z - rounding_mm) return true;
        }
    return false;
  }

  DATUM_MEMBER Levels levels_at(const Place3d& place, int first_row, int first_col, int size) const {
    Levels levels;
    for (int row = first_row; row < first_row + size; ++row)
      for (int col = first_col; col < first_col + size; ++col) {
        const std::uint32_t facet = shot_.facet(row, col);
        // beyond the snapshot's border the model is unknown
        const double z = facet == no_facet ? -far : plane_at(facet, place);
        if (z < levels.lowest) levels.lowest = z;
        if (z > levels.highest) {
          levels.highest = z;
          levels.highest_facet = facet;
        }
        if (facet != no_facet && cosine(facet) >= least_cosine_) levels.facing[levels.facing_count++] = facet;
      }
    return levels;
  }

  /// Pixels from a point's to its foot's; 1 where they are side by side.
  DATUM_MEMBER static int steps_to(const Seen& seen, const Foot& foot) {
    const int rows = foot.row < seen.row ? seen.row - foot.row : foot.row - seen.row;
    const int cols = foot.col < seen.col ? seen.col - foot.col : foot.col - seen.col;
    return rows < cols ? cols : rows;
  }
  DATUM_MEMBER static int between(int from, int to, double t) {
    return from + static_cast<int>(nearest_integer(t * (to - from)));
  }

  /// A displaced surface displaces everything in between: a post beside a wall is separate, a displaced wall is
  /// continuous.
  DATUM_MEMBER bool reaches(const Seen& seen, const Foot& foot) const {
    const int steps = steps_to(seen, foot);
    for (int i = 1; i < steps; ++i) {
      const double t = static_cast<double>(i) / steps;
      const double off = off_mm(between(seen.row, foot.row, t), between(seen.col, foot.col, t));
      if (!(off * seen.off_mm > 0 && ::fabs(off) >= 0.5 * ::fabs(seen.off_mm))) return false;
    }
    return true;
  }

  DATUM_MEMBER JudgedPixel along_ray(const Seen& seen) const {
    const double of_ray = cosine(seen.facet);
    JudgedPixel pixel{Judgement::face, seen.off_mm * of_ray, seen.facet, seen.facet, true};
    // along a wall the ray shows only that something is far before or behind it
    const double told_mm = of_ray >= least_cosine_ ? pixel.deviation_mm : seen.off_mm;
    if (::fabs(told_mm) > search_mm_) {
      pixel.judgement = Judgement::beyond;
    } else if (of_ray < least_cosine_) {
      pixel = JudgedPixel();
    }
    return pixel;
  }

  /// Deviation from the model's surface: that of a step displaced to the point, or along the ray where that is
  /// less.
  DATUM_MEMBER JudgedPixel displaced(const Seen& seen, const Foot& foot, const ModelDistance& nearest) const {
    const JudgedPixel ray = along_ray(seen);
    if (!reaches(seen, foot)) return ray;
    const Levels levels = levels_at(foot.at, foot.row - 1, foot.col - 1, 3);
    double least = far;
    std::uint32_t level = no_facet;
    for (int k = 0; k < levels.facing_count; ++k) {
      const std::uint32_t facet = levels.facing[k];
      const double down = plane_at(facet, foot.at) - seen.at.v[2];
      const double off = ::sqrt(foot.aside_mm * foot.aside_mm + down * down);
      if (!(off < least)) continue;
      least = off;
      level = facet;
    }
    const bool steep = cosine(seen.facet) < least_cosine_;
    if (steep ? least > search_mm_ : least >= ::fabs(ray.deviation_mm)) return ray;
    // a wall has no tolerance that a ray along it could test
    return JudgedPixel{Judgement::edge, ::copysign(least, seen.off_mm), nearest.facet,
                       steep ? level : seen.facet, false};
  }

  DATUM_MEMBER static int pixel_below(const ShotAxis& axis, double mm) {
    return static_cast<int>(::floor((mm - axis.offset_mm) / axis.scale_mm));
  }

  /// The nearest place is an edge, or a wall that the sensor sees edge-on.
  DATUM_MEMBER JudgedPixel by_foot(const Seen& seen, const Foot& foot, const ModelDistance& nearest) const {
    if (foot.aside_mm > shot_.heights.edge_mm) return displaced(seen, foot, nearest);
    const Levels levels = levels_at(foot.at, pixel_below(shot_.rays.y, foot.at.v[1]),
                                    pixel_below(shot_.rays.x, foot.at.v[0]), 2);
    const double z = foot.at.v[2];
    const double above = seen.at.v[2] - (levels.highest < z ? z : levels.highest);
    const double below = (z < levels.lowest ? z : levels.lowest) - seen.at.v[2];
    // points mainly beside the step have no evidence
    if ((above < below ? below : above) < static_cast<double>(::fabsf(nearest.distance)) / 2)
      return JudgedPixel();
    if (cosine(seen.facet) < least_cosine_) return JudgedPixel();
    return JudgedPixel{Judgement::edge, above > 0 ? above : -below, nearest.facet, seen.facet, false};
  }

  /// The ray misses the model: the fixture, the table, or material beyond the part's outline.
  DATUM_MEMBER JudgedPixel beside_model(const Seen& seen, const Foot& foot,
                                        const ModelDistance& nearest) const {
    if (foot.aside_mm <= shot_.heights.edge_mm) return JudgedPixel();
    const Levels levels = levels_at(foot.at, foot.row - 1, foot.col - 1, 3);
    if (levels.highest_facet == no_facet) return JudgedPixel();
    const double level = levels.highest - shot_.pitch_mm();
    if (!(seen.at.v[2] >= level)) return JudgedPixel();
    const int steps = steps_to(seen, foot);
    for (int i = 1; i < steps; ++i) {
      const double t = static_cast<double>(i) / steps;
      const int row = between(seen.row, foot.row, t), col = between(seen.col, foot.col, t);
      if (!(shot_.facet(row, col) != no_facet || shot_.height(row, col) >= level)) return JudgedPixel();
    }
    return JudgedPixel{Judgement::edge, static_cast<double>(::fabsf(nearest.distance)), nearest.facet,
                       levels.highest_facet, false};
  }

  const ShotView shot_;
  const Facets facets_;
  const double search_mm_, least_cosine_;
};

/// What is kept of a pixel: `d`, its nearest place, becomes its deviation. region_of(facet): its region, or no_region.
template <class RegionOf>
DATUM_HD PointJudgement keep(const JudgedPixel& pixel, const RegionOf& region_of, ModelDistance* d) {
  PointJudgement kept;
  kept.judgement = pixel.judgement;
  if (pixel.charged != no_facet) kept.charged = region_of(pixel.charged);
  kept.region = pixel.facet == pixel.charged ? kept.charged
                : pixel.facet == no_facet    ? no_region
                                             : region_of(pixel.facet);
  if (pixel.judgement == Judgement::explained || pixel.judgement == Judgement::beyond) {
    *d = ModelDistance();
    return kept;
  }
  if (pixel.along_ray) d->place = Place::face;
  if (pixel.facet != no_facet) d->facet = pixel.facet;
  d->distance = static_cast<float>(pixel.deviation_mm);
  if (pixel.judgement == Judgement::face) d->kind = MatchClass::face;
  if (pixel.judgement == Judgement::edge) d->kind = MatchClass::edge;
  return kept;
}

}  // namespace datum::compare
