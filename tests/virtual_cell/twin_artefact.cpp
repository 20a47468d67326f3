#include "tests/virtual_cell/twin_artefact.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "calib/htm_estimate.h"
#include "tests/virtual_cell/twin_random.h"

namespace datum {
namespace {

using Eigen::Vector3d;

constexpr double nowhere = std::numeric_limits<double>::infinity();

/// A plane as height over the pixel grid: z = at(col, row) in sensor coordinates, linear in both.
struct Sheet {
  double z0 = 0, per_col = 0, per_row = 0;
  double at(int row, int col) const { return z0 + per_col * col + per_row * row; }
};

/// The end of the short slot: with the slope of SU, rising against the slot's direction, through its bottom
/// at the start of SU.
Plane3 short_slot_end(const ArtefactDrawing& d) {
  const double c = std::cos(d.short_direction_rad), s = std::sin(d.short_direction_rad);
  const double slope = std::acos(d.face(Face::su).plane.normal.z());
  double start_mm = nowhere;
  for (const DrawnArea& a : d.face(Face::su).areas) start_mm = std::min(start_mm, a.x_min_mm);
  return {{start_mm, start_mm * std::tan(d.short_direction_rad), -d.short_depth_mm},
          {std::sin(slope) * c, std::sin(slope) * s, std::cos(slope)}};
}

class ArtefactLooker {
 public:
  ArtefactLooker(const TwinArtefact& artefact, const Htm<Sensor, Artefact>& pose, const TwinView& view)
      : artefact_(artefact), view_(view), pose_(pose), back_(pose.inverse()) {
    for (Face f : all_faces) sheets_[index_of(f)] = sheet(true_plane(artefact, f));
    end_ = sheet(short_slot_end(artefact.drawing));
    if (artefact.table_mm) table_ = sheet({{0, 0, *artefact.table_mm}, Vector3d::UnitZ()});
  }

  TwinArtefactView look() const {
    TwinArtefactView seen;
    const auto n = static_cast<std::size_t>(view_.rows) * static_cast<std::size_t>(view_.cols);
    seen.surface.z_mm.assign(n, 0);
    seen.surface.classes.assign(n, PixelClass::no_data);
    seen.face.assign(n, std::nullopt);
    std::size_t i = 0;
    for (int row = 0; row < view_.rows; ++row) {
      for (int col = 0; col < view_.cols; ++col, ++i) look_along(row, col, i, seen);
    }
    return seen;
  }

 private:
  Sheet sheet(const Plane3& in_artefact) const {
    const Vector3d n = pose_.rotation() * in_artefact.normal;
    if (n.z() < std::sin(5 * std::numbers::pi / 180)) {
      throw std::invalid_argument(
          "digital twin: the sensor would look at a face of the artefact from behind");
    }
    const Vector3d p = pose_ * in_artefact.point_mm;
    return {p.z() + (n.x() * (p.x() - view_.x.offset_mm) + n.y() * (p.y() - view_.y.offset_mm)) / n.z(),
            -n.x() / n.z() * view_.x.scale_mm, -n.y() / n.z() * view_.y.scale_mm};
  }

  double z(Face f, int row, int col) const { return sheets_[index_of(f)].at(row, col); }

  // Every face is oriented towards the sensor, so along each line of sight "inside the solid" is below. The
  // union of cuts is the lower surface, the flanks of one cut the higher of their intersections.
  void look_along(int row, int col, std::size_t i, TwinArtefactView& seen) const {
    const double left = z(Face::lp, row, col), right = z(Face::rp, row, col);
    Face top = Face::lp;
    double height = left;
    const double to_left = z(Face::ll, row, col), to_right = z(Face::lr, row, col);
    if (to_left < to_right) {  // right of the bottom line the right flank is higher
      top = Face::rp;
      height = right;
    }
    std::optional<Face> face = top;
    if (artefact_.long_slot && std::max(to_left, to_right) < height) {
      face = to_left > to_right ? Face::ll : Face::lr;
      height = std::max(to_left, to_right);
    }
    if (artefact_.short_slot) {
      const double upper = z(Face::su, row, col), lower = z(Face::sl, row, col), end = end_.at(row, col);
      if (const double cut = std::max({upper, lower, end}); cut < height) {
        height = cut;
        face = cut == end ? std::nullopt : std::optional(upper > lower ? Face::su : Face::sl);
      }
    }
    const Vector3d hit = back_ * Vector3d(view_.x.at(col), view_.y.at(row), height);
    if (!artefact_.drawing.plate.contains(hit.x(), hit.y())) {
      if (!table_) return;
      height = table_->at(row, col);
      face = std::nullopt;
    }
    if (face && artefact_.errors[index_of(*face)].unseen) return;
    seen.surface.z_mm[i] = height;
    seen.surface.classes[i] = PixelClass::ok;
    seen.face[i] = face;
  }

  const TwinArtefact& artefact_;
  const TwinView& view_;
  const Htm<Sensor, Artefact> pose_;
  const Htm<Artefact, Sensor> back_;
  std::array<Sheet, face_count> sheets_;
  Sheet end_;
  std::optional<Sheet> table_;
};

}  // namespace

Plane3 true_plane(const TwinArtefact& artefact, Face face) {
  const DrawnFace& drawn = artefact.drawing.face(face);
  const TwinFaceError& error = artefact.errors[index_of(face)];
  Plane3 plane{drawn.middle_mm(), drawn.plane.normal};
  plane.point_mm += error.shift_mm * plane.normal;
  plane.normal =
      rotation_from_vector(plane.normal.cross(tangents(plane.normal) * error.tilt_rad)) * plane.normal;
  return plane;
}

TwinArtefactView look_at(const TwinArtefact& artefact, const Htm<Sensor, Artefact>& sensor_from_artefact,
                         const TwinView& view) {
  return ArtefactLooker(artefact, sensor_from_artefact, view).look();
}

std::vector<Vector3d> points_on(const TwinArtefact& artefact, Face face,
                                const Htm<Sensor, Artefact>& sensor_from_artefact, std::size_t count,
                                double noise_um, std::uint64_t seed) {
  const DrawnFace& drawn = artefact.drawing.face(face);
  const Plane3 plane = true_plane(artefact, face);
  const std::uint64_t key = seed * face_count + index_of(face);
  const TwinRandom place(key, TwinStream::place), noise(key, TwinStream::white);
  double total = 0;
  for (const DrawnArea& a : drawn.areas) total += (a.x_max_mm - a.x_min_mm) * (a.y_max_mm - a.y_min_mm);
  std::vector<Vector3d> points;
  points.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    // One number selects the area, and its remainder x.
    double at = total * place.uniform(2 * i);
    auto a = drawn.areas.begin();
    const auto area = [&] { return (a->x_max_mm - a->x_min_mm) * (a->y_max_mm - a->y_min_mm); };
    while (at >= area() && a + 1 != drawn.areas.end()) at -= area(), ++a;
    const double x = a->x_min_mm + at / (a->y_max_mm - a->y_min_mm);
    const double y = a->y_min_mm + (a->y_max_mm - a->y_min_mm) * place.uniform(2 * i + 1);
    const Vector3d& n = plane.normal;
    const double z =
        plane.point_mm.z() - (n.x() * (x - plane.point_mm.x()) + n.y() * (y - plane.point_mm.y())) / n.z();
    points.push_back(sensor_from_artefact * Vector3d(x, y, z) +
                     Vector3d(0, 0, noise_um * 1e-3 * noise.normal(i)));
  }
  return points;
}

}  // namespace datum
