#include "calib/artefact/slot_place.h"

#include <cmath>
#include <cstdio>
#include <map>

namespace datum {

namespace {

// Least visible share of a flank's drawn area; cells at its edges have no normal.
constexpr double least_share = 0.3;

}  // namespace

std::vector<const Sloping*> cells_of(const std::vector<Sloping>& cells, const DrawnFace& flank,
                                     const Eigen::Matrix3d& turn) {
  const Eigen::Vector3d expected = turn * flank.plane.normal;
  std::vector<const Sloping*> found;
  for (const Sloping& cell : cells) {
    if (cell.normal.dot(expected) > std::cos(normal_limit_rad)) found.push_back(&cell);
  }
  return found;
}

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

}  // namespace datum
