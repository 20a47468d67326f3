#include "calib/artefact/segmentation.h"

#include <algorithm>
#include <cstdio>
#include <numbers>

#include "calib/angle_units.h"
#include "calib/artefact/face_assignment.h"
#include "calib/artefact/pose_candidates.h"
#include "calib/artefact/pose_estimators.h"
#include "calib/artefact/segmentation_gates.h"
#include "calib/htm_estimate.h"

namespace datum {

namespace {

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
            "the artefact fits in two ways: its drawing has no feature that tells them apart, or two "
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
