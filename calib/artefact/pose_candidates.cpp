#include "calib/artefact/pose_candidates.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>

#include "calib/artefact/plates.h"

namespace datum {

namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double rad = std::numbers::pi / 180;
// Cells of a flank have its normal within this. The mean of nine neighbours' heights is good to 0.2 degrees at
// 50 um of noise; the rest is for the rotation's bin of 1 degree and the plate's own tilt.
constexpr double normal_limit_rad = 4 * rad;
// A flank must show this share of its drawn area to be looked at: cells at its edges have no normal.
constexpr double least_share = 0.3;

constexpr std::array<Face, 4> flanks{Face::ll, Face::lr, Face::su, Face::sl};

/// A cell in the plate's coordinates: z along its normal, x nearest to the sensor's x.
struct Sloping {
  Vector3d at, normal;
  double slope_rad, azimuth_rad;
};

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
    area[static_cast<std::size_t>((std::lround(cell.azimuth_rad / rad) + 360) % 360)] += cell_mm2;
  }
  return area;
}

/// For each rotation of the artefact by whole degrees: flank area that is seen where it should be, each flank up to
/// what is drawn.
std::array<double, 360> rotation_scores(const std::vector<Sloping>& cells, const ArtefactDrawing& drawing,
                                        double cell_mm2) {
  std::array<double, 360> score{};
  for (Face f : flanks) {
    const DrawnFace& flank = drawing.face(f);
    const auto seen = azimuths(cells, flank, cell_mm2);
    const double drawn_mm2 = flank.area_mm2() * flank.plane.normal.z();
    for (int turn = 0; turn < 360; ++turn) {
      const long middle = std::lround(azimuth_of(flank) / rad) + turn + 720;
      double sum = 0;
      for (long k = -3; k <= 3; ++k) sum += seen[static_cast<std::size_t>((middle + k) % 360)];
      score[static_cast<std::size_t>(turn)] += std::min(sum, drawn_mm2);
    }
  }
  return score;
}

/// Rotations whose score is the largest within 15 degrees around and at least half of the best, best first; of about
/// equal ones (a tenth of the best) the one nearest to no rotation, which is how an artefact is meant to lie.
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

/// Cells whose normal is that of a flank turned by `turn`.
std::vector<const Sloping*> cells_of(const std::vector<Sloping>& cells, const DrawnFace& flank,
                                     const Eigen::Matrix3d& turn) {
  const Vector3d expected = turn * flank.plane.normal;
  std::vector<const Sloping*> found;
  for (const Sloping& cell : cells) {
    if (cell.normal.dot(expected) > std::cos(normal_limit_rad)) found.push_back(&cell);
  }
  return found;
}

Eigen::Matrix3d turn_about_z(double angle_rad) {
  return Eigen::AngleAxisd(angle_rad, Vector3d::UnitZ()).toRotationMatrix();
}

/// The rotation to a fraction of a degree: mean deviation of the flanks' cells from their drawn azimuths.
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

/// Where the bottom line of a slot passes: distance of it from the plate's origin along `across`.
struct SlotPlace {
  Vector2d across;
  double at_mm = 0;
  std::string missing;  // not empty: not found
};

/// Each cell of a flank says where the bottom is: e . t = e . (u, v) + (n_z / |n_xy|) (h + depth), with e the
/// direction that the flank looks to. Both flanks of the slot must name the same place.
SlotPlace slot_place(const std::vector<Sloping>& cells, const ArtefactDrawing& drawing, Face first,
                     Face second, double depth_mm, const Eigen::Matrix3d& turn, double cell_mm2) {
  constexpr double bin_mm = 0.25;
  SlotPlace place;
  place.across = (turn * drawing.face(first).plane.normal).head<2>().normalized();
  std::map<long, std::array<double, 2>> area;  // of both flanks' cells by place
  std::vector<double> votes;
  for (Face f : {first, second}) {
    const DrawnFace& flank = drawing.face(f);
    const double run = flank.plane.normal.z() / flank.plane.normal.head<2>().norm() * (f == first ? 1 : -1);
    for (const Sloping* cell : cells_of(cells, flank, turn)) {
      votes.push_back(place.across.dot(cell->at.head<2>()) + run * (cell->at.z() + depth_mm));
      area[std::lround(votes.back() / bin_mm)][f == first ? 0 : 1] += cell_mm2;
    }
  }
  long best = 0;
  double most = -1;
  std::array<double, 2> seen{};
  for (const auto& [at, unused] : area) {
    std::array<double, 2> sum{};
    for (long k = -1; k <= 1; ++k) {
      const auto near = area.find(at + k);
      if (near == area.end()) continue;
      for (std::size_t i = 0; i < 2; ++i) sum[i] += near->second[i];
    }
    const double share =
        std::min(sum[0] / drawing.face(first).area_mm2(), sum[1] / drawing.face(second).area_mm2());
    if (share > most || (share == most && sum[0] + sum[1] > seen[0] + seen[1]))
      most = share, best = at, seen = sum;
  }
  for (const auto& [face, mm2] : {std::pair{first, seen[0]}, std::pair{second, seen[1]}}) {
    const double drawn = drawing.face(face).area_mm2() * drawing.face(face).plane.normal.z();
    if (mm2 >= least_share * drawn) continue;
    char text[200];
    std::snprintf(text, sizeof text,
                  "face %s is not seen where %s lets expect it (%.0f mm2 with its slope, drawn are %.0f mm2)",
                  name_of(face), name_of(face == first ? second : first), mm2, drawn);
    place.missing = text;
    return place;
  }
  double sum = 0, n = 0;
  for (double vote : votes) {
    if (std::abs(vote - static_cast<double>(best) * bin_mm) > 1.5 * bin_mm) continue;
    sum += vote;
    n += 1;
  }
  place.at_mm = sum / n;
  return place;
}

/// The artefact on one plate at one rotation.
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
      add_candidate(cells, drawing, pose, turn * rad, scores[static_cast<std::size_t>(turn)] / flank_mm2,
                    cell_mm2, all);
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
