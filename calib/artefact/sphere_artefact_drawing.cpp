#include "calib/artefact/sphere_artefact_drawing.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "config/toml_reader.h"

namespace datum {
namespace {

using config::Range;
using config::TomlTable;

constexpr std::int64_t schema = 1;

DrawnSphere sphere_of(TomlTable& table) {
  DrawnSphere s;
  s.center_mm = Eigen::Map<const Eigen::Vector3d>(table.numbers("center_mm", 3, Range{-1e4, 1e4}).data());
  s.center_u_mm = table.number("center_u_um", Range{0.01, 100}) / 1000;
  s.diameter_mm = table.number("diameter_mm", Range{0.5, 500});
  s.diameter_u_mm = table.number("diameter_u_um", Range{0.01, 100}) / 1000;
  table.finish();
  return s;
}

void check_isolated(const TomlTable& file, const std::vector<DrawnSphere>& spheres) {
  for (std::size_t i = 0; i < spheres.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const double distance = (spheres[i].center_mm - spheres[k].center_mm).norm();
      if (2 * distance > spheres[i].diameter_mm + spheres[k].diameter_mm) continue;
      file.refuse("sphere",
                  "spheres " + std::to_string(k + 1) + " and " + std::to_string(i + 1) + " touch each other",
                  "centres farther apart than the spheres are thick");
    }
  }
}

void check_spread(const TomlTable& file, const std::vector<DrawnSphere>& spheres) {
  // A tenth: the rotation about the line through the others is then ten times more uncertain than the others.
  const Eigen::Vector3d& first = spheres[0].center_mm;
  double longest = 0, widest = 0;
  Eigen::Vector3d along = Eigen::Vector3d::Zero();
  for (const DrawnSphere& s : spheres) {
    if ((s.center_mm - first).norm() > longest) along = s.center_mm - first, longest = along.norm();
  }
  for (const DrawnSphere& s : spheres) {
    widest = std::max(widest, along.cross(s.center_mm - first).norm() / longest);
  }
  if (widest < 0.1 * longest) {
    file.refuse("sphere", "the centres lie on a line",
                "a triangle or more, at least a tenth as wide as long");
  }
}

/// Largest change of a distance or diameter when sphere order[i] takes the place of sphere i.
double change_mm(const std::vector<DrawnSphere>& spheres, const std::vector<std::size_t>& order) {
  double largest = 0;
  for (std::size_t i = 0; i < spheres.size(); ++i) {
    largest = std::max(largest, std::abs(spheres[order[i]].diameter_mm - spheres[i].diameter_mm));
    for (std::size_t k = 0; k < i; ++k) {
      const double here = (spheres[i].center_mm - spheres[k].center_mm).norm();
      const double there = (spheres[order[i]].center_mm - spheres[order[k]].center_mm).norm();
      largest = std::max(largest, std::abs(there - here));
    }
  }
  return largest;
}

void check_no_exchange(const TomlTable& file, const std::vector<DrawnSphere>& spheres) {
  std::vector<std::size_t> order(spheres.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  while (std::next_permutation(order.begin(), order.end())) {
    if (change_mm(spheres, order) >= least_difference_mm) continue;
    file.refuse("sphere", "the spheres can be exchanged without changing a distance by 1 mm",
                "distances or diameters that distinguish every sphere from the others");
  }
}

}  // namespace

SphereDrawing load_sphere_drawing(const std::filesystem::path& path) {
  auto file = TomlTable::from_file(path);
  file.integer("schema", schema, schema);
  file.choice<int>("kind", {{"spheres", 0}});
  SphereDrawing d;
  d.serial = file.text("serial");
  if (d.serial.empty()) file.refuse("serial", "is empty", "the serial number engraved on the artefact");
  d.title = file.text("title");
  for (TomlTable& table : file.tables("sphere")) d.spheres.push_back(sphere_of(table));
  if (d.spheres.size() < 3 || d.spheres.size() > 8) {
    file.refuse("sphere", std::to_string(d.spheres.size()) + " spheres", "3 to 8 tables [[sphere]]");
  }
  check_isolated(file, d.spheres);
  check_spread(file, d.spheres);
  check_no_exchange(file, d.spheres);
  d.sha256 = file.sha256();
  file.finish();
  return d;
}

}  // namespace datum
