#include "tests/virtual_cell/virtual_mount.h"

#include <fmt/format.h>

#include <cstdio>
#include <stdexcept>

#include "calib/artefact/drawing_file.h"
#include "config/toml_reader.h"

namespace datum {

Eigen::Vector3d VirtualMount::tip_mm(Face face, std::size_t n, std::size_t count) const {
  if (n < 1 || n > count) throw std::invalid_argument(fmt::format("touch {} of {}", n, count));
  const DrawnFace& drawn = drawing.face(face);
  const Eigen::Vector3d surface = places_on(drawn, count).at(n - 1);
  return machine_from_artefact * (surface + probe_radius_mm * drawn.plane.normal);
}

VirtualMount load_mount(const std::filesystem::path& drawing, const std::filesystem::path& path) {
  VirtualMount mount;
  mount.drawing = load_artefact_drawing(drawing);
  auto file = config::TomlTable::from_file(path);
  file.integer("schema", 1, 1);
  const std::vector<double> m = file.numbers("machine_from_artefact", 16);
  mount.machine_from_artefact = Htm<Machine, Artefact>(
      Eigen::Matrix4d(Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(m.data())));
  mount.probe_radius_mm = file.number("probe_radius_mm", config::positive);
  file.finish();
  return mount;
}

VirtualOrder order_of(const std::string& line, const VirtualMount* mount) {
  VirtualOrder order;
  auto& p = order.position_mm;
  char word[8] = "", face[8] = "", rest = 0;
  if (std::sscanf(line.c_str(), "%7s %lf %lf %lf %c", word, &p[0], &p[1], &p[2], &rest) == 4) {
    order.touch = std::string(word) == "touch";
    if (order.touch || std::string(word) == "move") return order;
  }
  unsigned n = 0, count = 0;
  if (mount && std::sscanf(line.c_str(), "touch %7s %u/%u %c", face, &n, &count, &rest) == 3) {
    const auto named = face_named(face);
    if (!named) throw std::invalid_argument(fmt::format("the artefact has no face '{}'", face));
    const Eigen::Vector3d tip = mount->tip_mm(*named, n, count);
    return {true, {tip.x(), tip.y(), tip.z()}};
  }
  throw std::invalid_argument(
      fmt::format("'{}'; \"move X Y Z\", \"touch X Y Z\" in mm, or with --artefact \"touch LP 3/12\"", line));
}

}  // namespace datum
