#include "calib/artefact/face_assignment.h"

#include <algorithm>
#include <cmath>

#include "calib/fit/construction.h"
#include "calib/linear/median.h"

namespace datum {

namespace {

/// Margin around the plate's outline: points at its edge are not counted as beyond it.
constexpr double outline_margin_mm = 0.7;

bool near_outline(const DrawnArea& plate, double x, double y) {
  return x >= plate.x_min_mm - outline_margin_mm && x <= plate.x_max_mm + outline_margin_mm &&
         y >= plate.y_min_mm - outline_margin_mm && y <= plate.y_max_mm + outline_margin_mm;
}

/// Index of the face whose area contains the place, or -1.
int face_over(const ArtefactDrawing& drawing, double x, double y) {
  for (std::size_t i = 0; i < face_count; ++i) {
    if (drawing.faces[i].contains(x, y)) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

Assignment assign_faces(Points points, const ArtefactDrawing& drawing,
                        const Eigen::Matrix4d& sensor_from_artefact, double gate_mm) {
  const Eigen::Matrix3d back = sensor_from_artefact.topLeftCorner<3, 3>().transpose();
  const Eigen::Vector3d origin = sensor_from_artefact.topRightCorner<3, 1>();
  Assignment all;
  all.face_of.assign(points.size(), -1);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Eigen::Vector3d p = back * (points[i] - origin);
    const int face = face_over(drawing, p.x(), p.y());
    if (face < 0) {
      all.beyond += std::abs(p.z()) < gate_mm && !near_outline(drawing.plate, p.x(), p.y());
      continue;
    }
    const auto f = static_cast<std::size_t>(face);
    ++all.over_area[f];
    if (std::abs(distance_mm(drawing.faces[f].plane, p)) > gate_mm) continue;
    all.face_of[i] = static_cast<std::int8_t>(face);
    all.faces[f].push_back(points[i]);
  }
  return all;
}

void trim_to_own_planes(Points points, Assignment& assignment) {
  std::array<Plane3, face_count> plane;
  std::array<double, face_count> limit{};
  for (std::size_t f = 0; f < face_count; ++f) {
    std::vector<double> residuals;
    plane[f] = fit_plane(assignment.faces[f], Eigen::Vector3d::UnitZ()).feature;
    for (const Eigen::Vector3d& p : assignment.faces[f])
      residuals.push_back(std::abs(distance_mm(plane[f], p)));
    // 1.4826 times the median is the standard deviation of a normal distribution. Beyond 4 of it lie 6 in 100
    // 000, so the standard deviation of the rest is smaller by 0.05 %. The lower bound is rounding.
    limit[f] = std::max(4 * 1.4826 * median_of(residuals), 1e-9);
    assignment.faces[f].clear();
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::int8_t& face = assignment.face_of[i];
    if (face < 0) continue;
    const std::size_t f = static_cast<std::uint8_t>(face);
    if (std::abs(distance_mm(plane[f], points[i])) <= limit[f]) {
      assignment.faces[f].push_back(points[i]);
    } else {
      face = -1;
    }
  }
}

}  // namespace datum
