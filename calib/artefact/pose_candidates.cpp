#include "calib/artefact/pose_candidates.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "calib/angle_units.h"
#include "calib/artefact/cell_map.h"
#include "calib/artefact/slot_place.h"
#include "calib/fit/construction.h"

namespace datum {
namespace {

struct Plate {
  Plane3 plane;  // normal.z > 0
  double area_mm2 = 0;
};

// A bin of the slopes' histogram; 0.6 degrees.
constexpr double bin = 0.01;
// Cells within this height of a level belong to it.
constexpr double level_mm = 0.3;

Eigen::Vector2d slope_of(const Cell& cell) { return -cell.normal.head<2>() / cell.normal.z(); }

/// The most frequent slope: the fullest 3 x 3 bins, then the mean of the slopes within 1.5 bins of their
/// middle.
Eigen::Vector2d common_slope(const std::vector<const Cell*>& cells, double most_slope) {
  const int half = static_cast<int>(std::ceil(most_slope / bin)) + 1, width = 2 * half + 1;
  std::vector<int> count(static_cast<std::size_t>(width) * width, 0);
  const auto at = [&](int i, int j) -> int& { return count[static_cast<std::size_t>(i) * width + j]; };
  for (const Cell* cell : cells) {
    const Eigen::Vector2d s = slope_of(*cell) / bin;
    ++at(half + static_cast<int>(std::lround(s.x())), half + static_cast<int>(std::lround(s.y())));
  }
  int most = -1;
  Eigen::Vector2d best(0, 0);
  for (int i = 1; i + 1 < width; ++i) {
    for (int j = 1; j + 1 < width; ++j) {
      int sum = 0;
      for (int k = -1; k <= 1; ++k) sum += at(i + k, j - 1) + at(i + k, j) + at(i + k, j + 1);
      if (sum > most) most = sum, best = {(i - half) * bin, (j - half) * bin};
    }
  }
  Eigen::Vector2d mean(0, 0);
  int n = 0;
  for (const Cell* cell : cells) {
    if ((slope_of(*cell) - best).norm() > 1.5 * bin) continue;
    mean += slope_of(*cell);
    ++n;
  }
  return n > 0 ? Eigen::Vector2d(mean / n) : best;
}

std::vector<Eigen::Vector3d> fullest_level(const std::vector<const Cell*>& cells,
                                           const Eigen::Vector2d& slope) {
  std::vector<std::pair<double, const Cell*>> heights;
  for (const Cell* cell : cells) {
    if ((slope_of(*cell) - slope).norm() > 3 * bin) continue;
    heights.emplace_back(cell->mean_mm.z() - slope.dot(cell->mean_mm.head<2>()), cell);
  }
  std::sort(heights.begin(), heights.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t best = 0, best_end = 0, end = 0;
  for (std::size_t i = 0; i < heights.size(); ++i) {
    while (end < heights.size() && heights[end].first - heights[i].first <= level_mm) ++end;
    if (end - i > best_end - best) best = i, best_end = end;
  }
  std::vector<Eigen::Vector3d> level;
  for (std::size_t i = best; i < best_end; ++i) level.push_back(heights[i].second->mean_mm);
  return level;
}

/// Planes of at least `least_area_mm2` that are tilted by up to `tilt_limit_rad` against z. Largest first, at
/// most 4.
std::vector<Plate> plates_in(const CellMap& map, double tilt_limit_rad, double least_area_mm2) {
  const double most_slope = std::tan(tilt_limit_rad);
  std::vector<const Cell*> level;
  for (const Cell& cell : map.cells) {
    if (cell.smooth() && slope_of(cell).norm() <= most_slope) level.push_back(&cell);
  }
  std::vector<Plate> plates;
  constexpr std::size_t most_plates = 4;
  const double cell_mm2 = map.edge_mm * map.edge_mm;
  while (plates.size() < most_plates && static_cast<double>(level.size()) * cell_mm2 >= least_area_mm2) {
    const auto on_it = fullest_level(level, common_slope(level, most_slope));
    if (static_cast<double>(on_it.size()) * cell_mm2 < least_area_mm2) break;
    const Plane3 plane = fit_plane(on_it, Eigen::Vector3d::UnitZ()).feature;
    plates.push_back({plane, static_cast<double>(on_it.size()) * cell_mm2});
    const auto taken = [&](const Cell* cell) {
      return std::abs(distance_mm(plane, cell->mean_mm)) < level_mm;
    };
    const auto rest = std::remove_if(level.begin(), level.end(), taken);
    if (rest == level.end()) break;
    level.erase(rest, level.end());
  }
  std::stable_sort(plates.begin(), plates.end(),
                   [](const Plate& a, const Plate& b) { return a.area_mm2 > b.area_mm2; });
  return plates;
}

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr std::array<Face, 4> flanks{Face::ll, Face::lr, Face::su, Face::sl};

Eigen::Isometry3d sensor_from_plate(const Plane3& plane) {
  const Vector3d z = plane.normal, x = (Vector3d::UnitX() - z.x() * z).normalized();
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear() << x, z.cross(x), z;
  pose.translation() = plane.point_mm;
  return pose;
}

std::vector<Sloping> sloping_cells(const CellMap& map, const Eigen::Isometry3d& plate_from_sensor,
                                   const ArtefactDrawing& drawing) {
  const double deepest = std::max(drawing.long_depth_mm, drawing.short_depth_mm) + map.edge_mm;
  std::vector<Sloping> cells;
  for (const Cell& cell : map.cells) {
    if (!cell.smooth()) continue;
    const Vector3d at = plate_from_sensor * cell.mean_mm, normal = plate_from_sensor.linear() * cell.normal;
    if (at.z() > map.edge_mm || at.z() < -deepest) continue;
    const double slope = std::acos(std::min(1.0, normal.z()));
    if (slope > 2 * normal_limit_rad)
      cells.push_back({at, normal, slope, std::atan2(normal.y(), normal.x())});
  }
  return cells;
}

double slope_of(const DrawnFace& face) { return std::acos(face.plane.normal.z()); }
double azimuth_of(const DrawnFace& face) { return std::atan2(face.plane.normal.y(), face.plane.normal.x()); }

/// Area of cells with a flank's slope, by azimuth in bins of 1 degree.
std::array<double, 360> azimuths(const std::vector<Sloping>& cells, const DrawnFace& flank, double cell_mm2) {
  std::array<double, 360> area{};
  for (const Sloping& cell : cells) {
    if (std::abs(cell.slope_rad - slope_of(flank)) > normal_limit_rad) continue;
    area[static_cast<std::size_t>((std::lround(cell.azimuth_rad / rad_per_deg) + 360) % 360)] += cell_mm2;
  }
  return area;
}

/// Score for each rotation of the artefact by whole degrees: flank area at the expected azimuth, limited to
/// each flank's drawn area.
std::array<double, 360> rotation_scores(const std::vector<Sloping>& cells, const ArtefactDrawing& drawing,
                                        double cell_mm2) {
  std::array<double, 360> score{};
  for (Face f : flanks) {
    const DrawnFace& flank = drawing.face(f);
    const auto seen = azimuths(cells, flank, cell_mm2);
    const double drawn_mm2 = flank.area_mm2() * flank.plane.normal.z();
    for (int turn = 0; turn < 360; ++turn) {
      const long middle = std::lround(azimuth_of(flank) / rad_per_deg) + turn + 720;
      double sum = 0;
      for (long k = -3; k <= 3; ++k) sum += seen[static_cast<std::size_t>((middle + k) % 360)];
      score[static_cast<std::size_t>(turn)] += std::min(sum, drawn_mm2);
    }
  }
  return score;
}

/// Rotations whose score is the largest within 15 degrees and at least half of the best, best first. Of about
/// equal ones (a tenth of the best) the one nearest to 0, the intended position of the artefact.
std::vector<int> likely_rotations(const std::array<double, 360>& score) {
  const double best = *std::max_element(score.begin(), score.end());
  const auto of = [&](int turn) { return score[static_cast<std::size_t>((turn + 360) % 360)]; };
  std::vector<int> likely;
  for (int i = 0; i < 360 && best > 0; ++i) {
    bool top = of(i) >= best / 2;
    for (int k = 1; k <= 15 && top; ++k) top = of(i) > of(i - k) && of(i) >= of((i + k) % 360);
    if (top) likely.push_back(i);
  }
  const auto rank = [&](int turn) {
    return std::pair{-std::lround(10 * of(turn) / best), std::min(turn, 360 - turn)};
  };
  std::stable_sort(likely.begin(), likely.end(), [&](int a, int b) { return rank(a) < rank(b); });
  return likely;
}

Eigen::Matrix3d turn_about_z(double angle_rad) {
  return Eigen::AngleAxisd(angle_rad, Vector3d::UnitZ()).toRotationMatrix();
}

/// The rotation with sub-degree resolution: mean deviation of the flanks' cells from their drawn azimuths.
double refined_rotation(const std::vector<Sloping>& cells, const ArtefactDrawing& drawing, double angle_rad) {
  double sum = 0, n = 0;
  for (Face f : flanks) {
    const DrawnFace& flank = drawing.face(f);
    for (const Sloping* cell : cells_of(cells, flank, turn_about_z(angle_rad))) {
      sum += std::remainder(cell->azimuth_rad - azimuth_of(flank) - angle_rad, 2 * std::numbers::pi);
      n += 1;
    }
  }
  return n > 0 ? angle_rad + sum / n : angle_rad;
}

void add_candidate(const std::vector<Sloping>& cells, const ArtefactDrawing& drawing,
                   const Eigen::Isometry3d& sensor_from_plate, double angle_rad, double score,
                   double cell_mm2, PoseCandidates& all) {
  const Eigen::Matrix3d turn = turn_about_z(refined_rotation(cells, drawing, angle_rad));
  const SlotPlace along =
      slot_place(cells, drawing, Face::ll, Face::lr, drawing.long_depth_mm, turn, cell_mm2);
  const SlotPlace across =
      slot_place(cells, drawing, Face::sl, Face::su, drawing.short_depth_mm, turn, cell_mm2);
  for (const SlotPlace* slot : {&along, &across}) {
    if (slot->missing.empty()) continue;
    if (all.missing.empty()) all.missing = slot->missing;
    return;
  }
  Eigen::Matrix2d lines;
  lines << along.across.transpose(), across.across.transpose();
  const Vector2d origin = lines.inverse() * Vector2d(along.at_mm, across.at_mm);
  Eigen::Isometry3d plate_from_artefact = Eigen::Isometry3d::Identity();
  plate_from_artefact.linear() = turn;
  plate_from_artefact.translation() = Vector3d(origin.x(), origin.y(), 0);
  all.found.push_back({(sensor_from_plate * plate_from_artefact).matrix(), score});
}

}  // namespace

PoseCandidates pose_candidates(const CellMap& map, const ArtefactDrawing& drawing, double tilt_limit_rad) {
  PoseCandidates all;
  const double cell_mm2 = map.edge_mm * map.edge_mm;
  const double plate_mm2 = drawing.face(Face::lp).area_mm2() + drawing.face(Face::rp).area_mm2();
  double flank_mm2 = 0;
  for (Face f : flanks) flank_mm2 += drawing.face(f).area_mm2() * drawing.face(f).plane.normal.z();
  for (const Plate& plate : plates_in(map, tilt_limit_rad, plate_mm2 / 2)) {
    const Eigen::Isometry3d pose = sensor_from_plate(plate.plane);
    const auto cells = sloping_cells(map, pose.inverse(), drawing);
    const auto scores = rotation_scores(cells, drawing, cell_mm2);
    for (int turn : likely_rotations(scores)) {
      add_candidate(cells, drawing, pose, turn * rad_per_deg,
                    scores[static_cast<std::size_t>(turn)] / flank_mm2, cell_mm2, all);
    }
    if (all.missing.empty()) all.missing = "no slot of the drawn slope is seen in the plate";
  }
  if (all.missing.empty()) {
    all.missing = "no plate is seen: no plane of half its area within the allowed tilt";
  }
  std::stable_sort(all.found.begin(), all.found.end(),
                   [](const PoseCandidate& a, const PoseCandidate& b) { return a.score > b.score; });
  return all;
}

}  // namespace datum
