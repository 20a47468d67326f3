#include "daemon/inspection/surface/surface_judge.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/area_share/area_share_math.h"

namespace datum {
namespace {

constexpr double far = std::numeric_limits<double>::infinity();
/// Coordinates of a model are in single precision: some nm, more on an inclined plane.
constexpr double rounding_mm = 1e-4;

double signed_as(double magnitude, double sign) { return std::copysign(magnitude, sign); }

}  // namespace

struct SurfaceJudge::Seen {
  int row, col;
  Eigen::Vector3d at;   // sensor coordinates
  std::uint32_t facet;  // first facet on the ray
  double off_mm;        // along the ray from that facet
};

struct SurfaceJudge::Levels {
  double lowest = far,
         highest = -far;  // of the facets around a place, at its x and y; -inf where a ray misses
  std::uint32_t highest_facet = no_facet;
  std::array<std::uint32_t, 9> facing;  // those visible to the sensor
  int facing_count = 0;
};

struct SurfaceJudge::Foot {
  Eigen::Vector3d at;
  Eigen::Vector2i pixel;  // row, column
  double aside_mm;        // across the ray, from the point
  double cosine;          // between the place's normal and the ray
  bool in_sight;          // no part of the model occludes it
};

SurfaceJudge::SurfaceJudge(const SurfaceModel& model, const SurfaceRays& rays, const SurfaceShot& shot,
                           double search_mm, double least_cosine)
    : model_(*model.triangles),
      sides_(model.sides),
      rays_(rays),
      frame_(*shot.frame),
      towards_(shot.model_from_sensor.rotation().col(2)),
      edge_mm_(shot.edge_mm),
      search_mm_(search_mm),
      least_cosine_(least_cosine) {}

double SurfaceJudge::height(int row, int col) const {
  return rays_.inside(row, col) && frame_.class_at(row, col) == PixelClass::ok ? frame_.z_mm(row, col)
                                                                               : std::nan("");
}

/// NaN where the pixel has no height or its ray misses the model.
double SurfaceJudge::off_mm(int row, int col) const {
  return rays_.facet(row, col) == no_facet ? std::nan("") : height(row, col) - rays_.z_mm(row, col);
}

SurfaceJudge::Levels SurfaceJudge::levels_at(const Eigen::Vector3d& place, const Eigen::Vector2i& first,
                                             int size) const {
  Levels levels;
  for (int row = first[0]; row < first[0] + size; ++row)
    for (int col = first[1]; col < first[1] + size; ++col) {
      const std::uint32_t facet = rays_.facet(row, col);
      // beyond the frame's border the model is unknown
      const double z = facet == no_facet ? -far : rays_.plane_mm(facet, place.x(), place.y());
      levels.lowest = std::min(levels.lowest, z);
      if (z > levels.highest) {
        levels.highest = z;
        levels.highest_facet = facet;
      }
      if (facet != no_facet && rays_.cosine(facet) >= least_cosine_)
        levels.facing[static_cast<std::size_t>(levels.facing_count++)] = facet;
    }
  return levels;
}

SurfaceJudge::Foot SurfaceJudge::foot_of(const Seen& seen, const ModelPoint& point,
                                         const ModelDistance& nearest) const {
  Foot foot;
  const float* const face_normal = sides_[nearest.facet].normal.data();
  const area::Place3d place =
      area::foot_of({model_.corner[nearest.facet][0].data(), face_normal}, point, nearest);
  foot.at = rays_.sensor_place({place.v[0], place.v[1], place.v[2]});
  foot.pixel = rays_.pixel_of(foot.at);
  foot.aside_mm = (seen.at - foot.at).head<2>().norm();
  const float* const n = nearest.place == Place::face
                             ? face_normal
                             : model_.normal[nearest.facet][static_cast<std::size_t>(nearest.place)].data();
  foot.cosine = n[0] * towards_.x() + n[1] * towards_.y() + n[2] * towards_.z();
  foot.in_sight = seen.facet == nearest.facet || is_in_sight(foot.at, foot.pixel);
  return foot;
}

/// Whether the place is not below all facets around its pixel, at its x and y or at the rays' intersections: a facet narrower than a
/// pixel appears in its neighbours only. Beyond the frame's border the model is unknown.
bool SurfaceJudge::is_in_sight(const Eigen::Vector3d& place, const Eigen::Vector2i& pixel) const {
  const auto any_around = [&](const auto& z_at) {
    for (int row = pixel[0] - 1; row <= pixel[0] + 1; ++row)
      for (int col = pixel[1] - 1; col <= pixel[1] + 1; ++col)
        if (place.z() >= z_at(row, col, rays_.facet(row, col)) - rounding_mm) return true;
    return false;
  };
  // what lies side by side first: mostly it is enough
  return any_around([&](int row, int col, std::uint32_t facet) {
           return facet == no_facet ? -far : rays_.z_mm(row, col);
         }) ||
         any_around([&](int, int, std::uint32_t facet) {
           return facet == no_facet ? -far : rays_.plane_mm(facet, place.x(), place.y());
         });
}

bool SurfaceJudge::is_beside_own_pixel(const Seen& seen, const Foot& foot) const {
  return (foot.pixel - Eigen::Vector2i(seen.row, seen.col)).cwiseAbs().maxCoeff() <= 1;
}

/// Whether carries(row, col) holds for all pixels between the point's and its foot's.
template <class Carries>
bool SurfaceJudge::all_between(const Seen& seen, const Foot& foot, const Carries& carries) const {
  const Eigen::Vector2i way = foot.pixel - Eigen::Vector2i(seen.row, seen.col);
  const int steps = way.cwiseAbs().maxCoeff();
  for (int i = 1; i < steps; ++i) {
    const double t = static_cast<double>(i) / steps;
    if (!carries(seen.row + static_cast<int>(std::lround(t * way[0])),
                 seen.col + static_cast<int>(std::lround(t * way[1]))))
      return false;
  }
  return true;
}

/// A displaced surface displaces everything in between: a post beside a wall is separate, a displaced wall is
/// continuous.
bool SurfaceJudge::reaches(const Seen& seen, const Foot& foot) const {
  if (is_beside_own_pixel(seen, foot)) return true;
  return all_between(seen, foot, [&](int row, int col) {
    const double off = off_mm(row, col);
    return off * seen.off_mm > 0 && std::abs(off) >= 0.5 * std::abs(seen.off_mm);
  });
}

JudgedPixel SurfaceJudge::along_ray(const Seen& seen) const {
  const double cosine = rays_.cosine(seen.facet);
  JudgedPixel pixel{Judgement::face, seen.off_mm * cosine, seen.facet, seen.facet, true};
  // along a wall the ray shows only that something is far before or behind it
  const double told_mm = cosine >= least_cosine_ ? pixel.deviation_mm : seen.off_mm;
  if (std::abs(told_mm) > search_mm_) {
    pixel.judgement = Judgement::beyond;
  } else if (cosine < least_cosine_) {
    pixel = {};
  }
  return pixel;
}

/// Deviation from the model's surface: that of a step displaced to the point, or along the ray where that is
/// less.
JudgedPixel SurfaceJudge::displaced(const Seen& seen, const Foot& foot, const ModelDistance& nearest) const {
  JudgedPixel ray = along_ray(seen);
  if (!reaches(seen, foot)) return ray;
  const Levels levels = levels_at(foot.at, foot.pixel - Eigen::Vector2i(1, 1), 3);
  double least = far;
  std::uint32_t level = no_facet;
  for (int k = 0; k < levels.facing_count; ++k) {
    const std::uint32_t facet = levels.facing[static_cast<std::size_t>(k)];
    const double z = rays_.plane_mm(facet, foot.at.x(), foot.at.y());
    const double off = std::hypot(foot.aside_mm, z - seen.at.z());
    if (off < least) level = facet;
    least = std::min(least, off);
  }
  const bool steep = rays_.cosine(seen.facet) < least_cosine_;
  if (steep ? least > search_mm_ : least >= std::abs(ray.deviation_mm)) return ray;
  // a wall has no tolerance that a ray along it could test
  return {Judgement::edge, signed_as(least, seen.off_mm), nearest.facet, steep ? level : seen.facet, false};
}

/// The nearest place is an edge, or a wall that the sensor sees edge-on.
JudgedPixel SurfaceJudge::by_foot(const Seen& seen, const Foot& foot, const ModelDistance& nearest) const {
  if (foot.aside_mm > edge_mm_) return displaced(seen, foot, nearest);
  const Eigen::Vector2i first(
      static_cast<int>(std::floor((foot.at.y() - rays_.y_mm(0)) / rays_.step_y_mm())),
      static_cast<int>(std::floor((foot.at.x() - rays_.x_mm(0)) / rays_.step_x_mm())));
  const Levels levels = levels_at(foot.at, first, 2);
  const double above = seen.at.z() - std::max(levels.highest, foot.at.z());
  const double below = std::min(levels.lowest, foot.at.z()) - seen.at.z();
  // points mainly beside the step have no evidence
  if (std::max(above, below) < std::abs(nearest.distance) / 2) return {};
  if (rays_.cosine(seen.facet) < least_cosine_) return {};
  return {Judgement::edge, above > 0 ? above : -below, nearest.facet, seen.facet, false};
}

/// The ray misses the model: the fixture, the table, or material beyond the part's outline.
JudgedPixel SurfaceJudge::beside_model(const Seen& seen, const Foot& foot,
                                       const ModelDistance& nearest) const {
  if (foot.aside_mm <= edge_mm_) return {};
  const Levels levels = levels_at(foot.at, foot.pixel - Eigen::Vector2i(1, 1), 3);
  if (levels.highest_facet == no_facet) return {};
  const double level = levels.highest - rays_.pitch_mm();
  const bool continues = seen.at.z() >= level && all_between(seen, foot, [&](int row, int col) {
                           return rays_.facet(row, col) != no_facet || height(row, col) >= level;
                         });
  if (!continues) return {};
  return {Judgement::edge, std::abs(double{nearest.distance}), nearest.facet, levels.highest_facet, false};
}

JudgedPixel SurfaceJudge::judge(int row, int col, const ModelPoint& point,
                                const ModelDistance& nearest) const {
  const std::uint32_t met = rays_.facet(row, col);
  const bool found = nearest.kind != MatchClass::no_data;
  if (met != no_facet && rays_.is_away(row, col)) return {};  // the far side of an open model
  if (met == no_facet && !found) return {};
  const double z = height(row, col);
  const Seen seen{row,
                  col,
                  {rays_.x_mm(col), rays_.y_mm(row), z},
                  met,
                  met == no_facet ? std::nan("") : z - rays_.z_mm(row, col)};
  if (!found) return along_ray(seen);
  const Foot foot = foot_of(seen, point, nearest);
  const bool is_seen = foot.in_sight && foot.cosine >= least_cosine_;
  if (nearest.kind == MatchClass::face && is_seen &&
      (met == no_facet ? foot.aside_mm <= edge_mm_ : reaches(seen, foot)))
    return {Judgement::face, nearest.distance, nearest.facet, nearest.facet, false};
  if (nearest.kind == MatchClass::rim)
    return met == no_facet || foot.aside_mm <= edge_mm_
               ? JudgedPixel{Judgement::rim, nearest.distance, nearest.facet, nearest.facet, false}
               : along_ray(seen);
  if (met == no_facet) return beside_model(seen, foot, nearest);
  const bool looks_away = foot.cosine <= -least_cosine_;
  if (foot.in_sight && !looks_away) return by_foot(seen, foot, nearest);
  return along_ray(seen);
}

}  // namespace datum
