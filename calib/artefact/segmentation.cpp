#include "calib/artefact/segmentation.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

#include "calib/angle_units.h"
#include "calib/artefact/face_assignment.h"
#include "calib/artefact/pose_candidates.h"
#include "calib/artefact/pose_estimators.h"
#include "calib/artefact/square_means.h"
#include "calib/htm_estimate.h"
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

/// Fills `evidence`. Returns the first failed gate as text with its numbers and remedy, or empty. `data` are
/// the fits of assignment.faces, `pose` their joint fit.
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

const Eigen::Vector3d up = Eigen::Vector3d::UnitZ();

// Largest distance of a cell or a point from its drawn plane: the artefact's tolerance plus 4 standard
// deviations of the largest noise.
constexpr double cell_gate_mm = 0.5, point_gate_mm = 0.3;

/// Result of one candidate.
struct Attempt {
  Segmentation result;
  std::string refusal;  // empty: accepted
  int stage = 0;        // 0 not all faces seen, 1 not fitted, 2 refused by the gates
};

FaceData fits_of(const FacePoints& faces, const ArtefactDrawing& drawing) {
  return face_data(faces, drawing, up, FaceNoise::each_face, 1);
}

/// The pose from the means of cells; every face must show two fifths of its area.
Eigen::Matrix4d refined(Points cells, double edge_mm, const ArtefactDrawing& drawing,
                        const Eigen::Matrix4d& start) {
  const FacePoints faces = assign_faces(cells, drawing, start, cell_gate_mm).faces;
  for (Face f : all_faces) {
    const double drawn_mm2 = drawing.face(f).area_mm2() * drawing.face(f).plane.normal.z();
    const double seen_mm2 = static_cast<double>(faces[index_of(f)].size()) * edge_mm * edge_mm;
    if (seen_mm2 >= 0.4 * drawn_mm2) continue;
    throw FitRefused(std::string("face ") + name_of(f) +
                     " is not seen where it should be: bring the whole artefact " +
                     "into view, mind reflections and dirt");
  }
  return joint_pose(fits_of(faces, drawing), drawing, start).matrix;
}

Attempt attempt(Points points, Points cells, double edge_mm, const ArtefactDrawing& drawing,
                const PoseCandidate& candidate, const SegmentationLimits& limits) {
  Attempt a;
  try {
    Eigen::Matrix4d pose = candidate.sensor_from_artefact;
    for (int i = 0; i < 2; ++i) pose = refined(cells, edge_mm, drawing, pose);
    a.stage = 1;
    Assignment assignment = assign_faces(points, drawing, pose, point_gate_mm);
    trim_to_own_planes(points, assignment);
    const FaceData data = fits_of(assignment.faces, drawing);
    pose = joint_pose(data, drawing, pose).matrix;
    a.stage = 2;
    a.refusal = refusal_of(assignment, data, drawing, pose, limits, a.result.evidence);
    a.result.start = Htm<Sensor, Artefact>(pose);
    a.result.faces = std::move(assignment.faces);
    a.result.face_of = std::move(assignment.face_of);
  } catch (const FitRefused& refused) {
    a.refusal = refused.what();
  }
  return a;
}

/// Cells of a ninth of the narrowest face, up to a fifth for sparse points.
CellMap fitting_cells(Points points, const ArtefactDrawing& drawing) {
  double narrowest = 1e300;
  for (const DrawnFace& face : drawing.faces) {
    for (const DrawnArea& a : face.areas)
      narrowest = std::min({narrowest, a.x_max_mm - a.x_min_mm, a.y_max_mm - a.y_min_mm});
  }
  constexpr double least_points = 4;
  double per_cell = 0;
  for (double part : {9.0, 7.0, 5.0}) {
    CellMap map = cell_map(points, narrowest / part);
    const auto filled =
        std::count_if(map.cells.begin(), map.cells.end(), [](const Cell& cell) { return cell.points > 0; });
    per_cell = static_cast<double>(points.size()) / static_cast<double>(filled);
    if (per_cell >= least_points) return map;
  }
  char text[160];
  std::snprintf(text, sizeof text,
                "too few points: %.1f in a square of %.2f mm, needed are %.0f: take a finer snapshot",
                per_cell, narrowest / 5, least_points);
  throw SegmentationRefused(text);
}

/// The accepted candidate, or the refusal of the candidate that passed most steps.
Attempt best_attempt(Points points, const ArtefactDrawing& drawing, const SegmentationLimits& limits) {
  const CellMap map = fitting_cells(points, drawing);
  const PoseCandidates candidates = pose_candidates(map, drawing, limits.tilt_deg * rad_per_deg);
  std::vector<Eigen::Vector3d> means;
  for (const Cell& cell : map.cells) {
    if (cell.smooth()) means.push_back(cell.mean_mm);
  }
  Attempt best;
  best.refusal = candidates.missing;
  best.stage = -1;
  bool accepted = false;
  for (const PoseCandidate& candidate : candidates.found) {
    Attempt a = attempt(points, means, map.edge_mm, drawing, candidate, limits);
    if (accepted && a.refusal.empty()) {
      const Vector6d apart = difference(a.result.start, best.result.start);
      if (apart.head<3>().norm() > rad_per_deg || apart.tail<3>().norm() > 0.5) {
        best.refusal =
            "the artefact fits in two ways: its drawing has no feature that distinguishes them, or two "
            "artefacts are in view";
        return best;
      }
      continue;
    }
    if (accepted && !a.refusal.empty()) continue;
    if (a.refusal.empty() || a.stage > best.stage) {
      accepted = a.refusal.empty();
      best = std::move(a);
    }
  }
  return best;
}

/// Whether the mirrored points would show the artefact.
const char* mirrored(Points points, const ArtefactDrawing& drawing, const SegmentationLimits& limits) {
  std::vector<Eigen::Vector3d> flipped(points.begin(), points.end());
  for (Eigen::Vector3d& p : flipped) p.x() = -p.x();
  if (best_attempt(flipped, drawing, limits).refusal.empty()) {
    return "; seen in a mirror it would fit: the handedness in the sensor's profile is wrong";
  }
  for (Eigen::Vector3d& p : flipped) p = {-p.x(), p.y(), -p.z()};
  if (best_attempt(flipped, drawing, limits).refusal.empty()) {
    return "; with heights of the other sign it would fit: z must point towards the sensor";
  }
  return "";
}

}  // namespace

Segmentation segment(Points points, const ArtefactDrawing& drawing, const SegmentationLimits& limits) {
  if (points.size() < face_count * limits.least_points) {
    throw SegmentationRefused("too few points: " + std::to_string(points.size()));
  }
  try {
    Attempt best = best_attempt(points, drawing, limits);
    if (!best.refusal.empty()) {
      throw SegmentationRefused(best.refusal + mirrored(points, drawing, limits));
    }
    return std::move(best.result);
  } catch (const FitRefused& refused) {
    throw SegmentationRefused(refused.what());
  }
}

Segmentation segment(const HeightFrame& frame, const ArtefactDrawing& drawing,
                     const SegmentationLimits& limits) {
  if (frame.delivered == Handedness::left && !frame.mirrored) {
    throw SegmentationRefused("the frame is left-handed: mirror it first");
  }
  std::vector<Eigen::Vector3d> points;
  std::vector<std::size_t> pixel;
  for (int row = 0; row < frame.rows; ++row) {
    for (int col = 0; col < frame.cols; ++col) {
      if (frame.class_at(row, col) != PixelClass::ok) continue;
      points.emplace_back(frame.x.at(col), frame.y.at(row), frame.z_mm(row, col));
      pixel.push_back(static_cast<std::size_t>(row) * static_cast<std::size_t>(frame.cols) +
                      static_cast<std::size_t>(col));
    }
  }
  Segmentation found = segment(points, drawing, limits);
  std::vector<std::int8_t> by_pixel(frame.size(), -1);
  for (std::size_t i = 0; i < pixel.size(); ++i) by_pixel[pixel[i]] = found.face_of[i];
  found.face_of = std::move(by_pixel);
  return found;
}

}  // namespace datum
