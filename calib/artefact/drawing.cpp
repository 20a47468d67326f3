#include "calib/artefact/drawing.h"

#include <algorithm>
#include <cmath>

namespace datum {

namespace {
constexpr std::array<const char*, face_count> names{"LP", "RP", "LL", "LR", "SU", "SL"};

double seen_area_mm2(const DrawnArea& a) { return (a.x_max_mm - a.x_min_mm) * (a.y_max_mm - a.y_min_mm); }
}  // namespace

const char* name_of(Face face) { return names[index_of(face)]; }

std::optional<Face> face_named(std::string_view name) {
  for (Face face : all_faces) {
    if (name == name_of(face)) return face;
  }
  return std::nullopt;
}

bool DrawnFace::contains(double x_mm, double y_mm) const {
  return std::any_of(areas.begin(), areas.end(),
                     [&](const DrawnArea& area) { return area.contains(x_mm, y_mm); });
}

double DrawnFace::z_mm(double x_mm, double y_mm) const {
  const Eigen::Vector3d& n = plane.normal;
  return plane.point_mm.z() -
         (n.x() * (x_mm - plane.point_mm.x()) + n.y() * (y_mm - plane.point_mm.y())) / n.z();
}

double DrawnFace::area_mm2() const {
  double sum = 0;
  for (const DrawnArea& area : areas) sum += seen_area_mm2(area);
  return sum / plane.normal.z();
}

Eigen::Vector3d DrawnFace::middle_mm() const {
  double x = 0, y = 0, sum = 0;
  for (const DrawnArea& a : areas) {
    const double weight = seen_area_mm2(a);
    x += weight * (a.x_min_mm + a.x_max_mm) / 2;
    y += weight * (a.y_min_mm + a.y_max_mm) / 2;
    sum += weight;
  }
  return {x / sum, y / sum, z_mm(x / sum, y / sum)};
}

double DrawnFace::reach_mm() const {
  const Eigen::Vector3d middle = middle_mm();
  double reach = 0;
  for (const DrawnArea& a : areas) {
    for (double x : {a.x_min_mm, a.x_max_mm}) {
      for (double y : {a.y_min_mm, a.y_max_mm})
        reach = std::max(reach, (Eigen::Vector3d(x, y, z_mm(x, y)) - middle).norm());
    }
  }
  return reach;
}

std::vector<Eigen::Vector3d> places_on(const DrawnFace& face, std::size_t count) {
  std::vector<Eigen::Vector3d> places;
  // A finer and finer grid over each area until there are enough; then evenly chosen ones.
  for (int n = 1; places.size() < count; ++n) {
    places.clear();
    for (const DrawnArea& a : face.areas) {
      const double width = a.x_max_mm - a.x_min_mm, height = a.y_max_mm - a.y_min_mm;
      const int columns = width < height ? n : static_cast<int>(std::ceil(n * width / height));
      const int rows = width < height ? static_cast<int>(std::ceil(n * height / width)) : n;
      for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
          const double x = a.x_min_mm + width * (column + 0.5) / columns;
          const double y = a.y_min_mm + height * (row + 0.5) / rows;
          places.emplace_back(x, y, face.z_mm(x, y));
        }
      }
    }
  }
  std::vector<Eigen::Vector3d> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(places[i * places.size() / count]);
  return chosen;
}

}  // namespace datum
