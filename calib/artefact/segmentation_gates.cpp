#include "calib/artefact/segmentation_gates.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "calib/angle_units.h"
#include "calib/artefact/pose_estimators.h"
#include "calib/artefact/square_means.h"
#include "calib/printed.h"

namespace datum {

namespace {

/// Share of the squares of a grid over the drawn area that hold a point. Squares of three point spacings: a
/// random cloud leaves 1 in 8000 of them empty.
double coverage(const std::vector<Eigen::Vector3d>& points, const DrawnFace& face,
                const Eigen::Matrix4d& pose) {
  const Eigen::Matrix3d back = pose.topLeftCorner<3, 3>().transpose();
  const Eigen::Vector3d origin = pose.topRightCorner<3, 1>();
  const double seen_mm2 = face.area_mm2() * face.plane.normal.z();
  const double edge = std::max(3 * std::sqrt(seen_mm2 / static_cast<double>(points.size() + 1)), 0.3);
  double all = 0, held = 0;
  for (const DrawnArea& a : face.areas) {
    const auto cols = static_cast<std::size_t>(std::max(1.0, (a.x_max_mm - a.x_min_mm) / edge));
    const auto rows = static_cast<std::size_t>(std::max(1.0, (a.y_max_mm - a.y_min_mm) / edge));
    std::vector<char> filled(rows * cols, 0);
    for (const Eigen::Vector3d& p : points) {
      const Eigen::Vector3d at = back * (p - origin);
      if (!a.contains(at.x(), at.y())) continue;
      const auto col = static_cast<std::size_t>((at.x() - a.x_min_mm) / edge);
      const auto row = static_cast<std::size_t>((at.y() - a.y_min_mm) / edge);
      if (col < cols && row < rows) filled[row * cols + col] = 1;
    }
    all += static_cast<double>(filled.size());
    held += static_cast<double>(std::count(filled.begin(), filled.end(), 1));
  }
  return held / all;
}

std::string face_refusal(Face f, const FaceEvidence& e, const ArtefactDrawing& drawing,
                         const SegmentationLimits& limits) {
  const std::string who = std::string("face ") + name_of(f) + ": ";
  if (e.points < limits.least_points) {
    return who + printed("%zu points, needed are %zu: bring the artefact nearer, or take a finer snapshot",
                         e.points, limits.least_points);
  }
  if (e.coverage < limits.coverage) {
    return who + printed(
                     "only %.0f %% of it is seen, needed are %.0f %%: bring the whole artefact into view, "
                     "clean it, "
                     "mind reflections",
                     100 * e.coverage, 100 * limits.coverage);
  }
  if (e.foreign > limits.foreign) {
    return who +
           printed(
               "%.0f %% of the points over it are not on it, allowed are %.0f %%: it is covered, dirty or "
               "damaged, or the drawing is of another artefact",
               100 * e.foreign, 100 * limits.foreign);
  }
  if (e.sigma_um > 1e3 * limits.noise_mm) {
    return who +
           printed(
               "its points scatter by %.0f um, allowed are %.0f um: mind exposure, reflections and vibration",
               e.sigma_um, 1e3 * limits.noise_mm);
  }
  if (e.flatness_um > 1e3 * drawing.tolerance.flatness_mm) {
    return who + printed("it is bent or dirty: flat within %.0f um, the drawing allows %.0f um",
                         e.flatness_um, 1e3 * drawing.tolerance.flatness_mm);
  }
  return {};
}

/// Standard uncertainty of a face's tilt about its worse axis.
double tilt_u_rad(const FaceDatum& face) { return std::sqrt(face.covariance.topLeftCorner<2, 2>().trace()); }

std::string angle_refusal(const FaceData& data, const ArtefactDrawing& drawing) {
  for (std::size_t i = 0; i < face_count; ++i) {
    for (std::size_t k = i + 1; k < face_count; ++k) {
      const auto between = [](const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
        return std::atan2(a.cross(b).norm(), a.dot(b));
      };
      const double seen = between(data[i].fit.feature.normal, data[k].fit.feature.normal);
      const double drawn = between(drawing.faces[i].plane.normal, drawing.faces[k].plane.normal);
      const double allowed = drawing.tolerance.angle_deg +
                             3 * deg_per_rad * std::hypot(tilt_u_rad(data[i]), tilt_u_rad(data[k]));
      if (std::abs(seen - drawn) * deg_per_rad <= allowed) continue;
      return printed(
          "%s and %s meet at %.3f deg, the drawing says %.3f +- %.3f deg: the drawing is of another "
          "artefact, "
          "or the sensor's scales are wrong",
          name_of(all_faces[i]), name_of(all_faces[k]), seen * deg_per_rad, drawn * deg_per_rad, allowed);
    }
  }
  return {};
}

/// Refusal of the face with the largest deviation.
std::string place_refusal(const FaceData& data, const ArtefactDrawing& drawing, const Eigen::Matrix4d& pose) {
  const FaceErrors residuals = face_residuals(data, drawing, pose);
  std::string refusal;
  double most = 1;
  for (std::size_t i = 0; i < face_count; ++i) {
    const double off = -residuals[static_cast<Eigen::Index>(3 * i + 2)];
    const double allowed = drawing.tolerance.position_mm + 3 * std::sqrt(data[i].covariance(2, 2));
    if (std::abs(off) <= most * allowed) continue;
    most = std::abs(off) / allowed;
    refusal = printed(
        "face %s lies %+.3f mm from where the drawing and the other faces expect it, allowed are %.3f mm: "
        "the "
        "drawing is of another artefact, or the sensor's scales are wrong",
        name_of(all_faces[i]), off, allowed);
  }
  return refusal;
}

}  // namespace

std::string refusal_of(const Assignment& assignment, const FaceData& data, const ArtefactDrawing& drawing,
                       const Eigen::Matrix4d& pose, const SegmentationLimits& limits,
                       std::array<FaceEvidence, face_count>& evidence) {
  std::string first;
  for (Face f : all_faces) {
    const std::size_t i = index_of(f);
    const auto& points = assignment.faces[i];
    FaceEvidence& e = evidence[i];
    e.points = points.size();
    e.coverage = coverage(points, drawing.face(f), pose);
    e.foreign = 1 - static_cast<double>(points.size()) /
                        static_cast<double>(std::max<std::size_t>(1, assignment.over_area[i]));
    e.sigma_um = 1e3 * data[i].fit.evidence.sigma_mm;
    e.flatness_um = 1e3 * flatness_mm(points, data[i].fit, drawing.face(f).area_mm2());
    if (first.empty()) first = face_refusal(f, e, drawing, limits);
  }
  if (!first.empty()) return first;
  const double level =
      static_cast<double>(evidence[index_of(Face::lp)].points + evidence[index_of(Face::rp)].points);
  const double beyond = static_cast<double>(assignment.beyond) / level;
  if (beyond > limits.beyond) {
    return printed(
        "%.0f %% as many points as on the plate lie at its level beyond its outline: the artefact is seen "
        "turned or in a mirror, is another one, or stands level with its surroundings",
        100 * beyond);
  }
  if (std::string angle = angle_refusal(data, drawing); !angle.empty()) return angle;
  return place_refusal(data, drawing, pose);
}

}  // namespace datum
