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

namespace {

/// Grid of at least `count` places over one area; for four or more, at least two along its narrower side.
void add_places(const DrawnFace& face, const DrawnArea& a, std::size_t count,
                std::vector<Eigen::Vector3d>& places) {
  const double width = a.x_max_mm - a.x_min_mm, height = a.y_max_mm - a.y_min_mm;
  const auto n = static_cast<int>(count), least = n >= 4 ? 2 : 1;
  const auto along = [&](double one, double other) {
    return std::max(least, static_cast<int>(std::lround(std::sqrt(n * one / other))));
  };
  const int columns = width < height ? along(width, height) : (n - 1) / along(height, width) + 1;
  const int rows = (n - 1) / columns + 1;
  for (int i = 0; i < n; ++i) {
    const int k = static_cast<int>(static_cast<long>(i) * rows * columns / n);
    const int row = k / columns, column = k % columns;
    const double x = a.x_min_mm + width * (column + 0.5) / columns;
    const double y = a.y_min_mm + height * (row + 0.5) / rows;
    places.emplace_back(x, y, face.z_mm(x, y));
  }
}

}  // namespace

std::vector<Eigen::Vector3d> places_on(const DrawnFace& face, std::size_t count) {
  std::vector<Eigen::Vector3d> places;
  double total = 0, so_far = 0;
  for (const DrawnArea& a : face.areas) total += seen_area_mm2(a);
  for (const DrawnArea& a : face.areas) {
    so_far += seen_area_mm2(a);
    const auto until = static_cast<std::size_t>(std::lround(static_cast<double>(count) * so_far / total));
    if (until > places.size()) add_places(face, a, until - places.size(), places);
  }
  return places;
}

}  // namespace datum
