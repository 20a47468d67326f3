#include "tests/virtual_cell/virtual_fringe_cell.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>
#include <stdexcept>

#include "config/toml_reader.h"
#include "tests/virtual_cell/virtual_sensor_drop.h"
#include "tests/virtual_cell/virtual_sensor_image.h"

namespace datum {
namespace {

using config::TomlTable;

bool inside(const TwinRect& rect, const Eigen::Vector2d& point) {
  const double turn = rect.rotation_deg * std::numbers::pi / 180;
  const Eigen::Vector2d x(std::cos(turn), std::sin(turn)), y(-x.y(), x.x()), d = point - rect.centre_mm;
  return std::abs(d.dot(x)) <= rect.size_mm.x() / 2 && std::abs(d.dot(y)) <= rect.size_mm.y() / 2;
}

bool is_among(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

double reflectance_at(const TwinBoard& board, const FringeTwin& twin, const FringeBoardSpec& spec,
                      const Eigen::Vector2d& point) {
  for (const TwinBody& body : board.bodies) {
    if (body.missing || !inside(body.outline, point)) continue;
    return is_among(body.reference, spec.shiny)  ? twin.shiny
           : is_among(body.reference, spec.dark) ? twin.dark
                                                 : twin.body;
  }
  for (const TwinPatch& patch : board.patches)
    if (inside(patch.outline, point)) return twin.pad;
  return twin.board;
}

/// A left-handed camera's columns run in the opposite direction.
void reverse_rows(std::vector<std::uint8_t>& grey, int cols) {
  for (auto row = grey.begin(); row != grey.end(); row += cols) std::reverse(row, row + cols);
}

}  // namespace

FringeTwin load_fringe_twin(const std::filesystem::path& path) {
  TomlTable file = TomlTable::from_file(path);
  file.integer("schema", 1, 1);
  FringeTwin twin;
  FringeCamera& c = twin.camera;
  TomlTable projector = file.table("projector");
  c.projector_x_mm = projector.number("x_mm");
  c.projector_z_mm = projector.number("z_mm", config::positive);
  c.focal_px = projector.number("focal_px", config::positive);
  c.centre_px = projector.number("centre_px");
  c.contrast = projector.number("contrast", {0, 1});
  c.gamma = projector.number("gamma", {0.1, 10});
  projector.finish();
  TomlTable camera = file.table("camera");
  c.light_grey = camera.number("light_grey", config::positive);
  c.ambient_grey = camera.number("ambient_grey", config::not_negative);
  c.noise_grey = camera.number("noise_grey", config::not_negative);
  c.noise_per_grey = camera.number("noise_per_grey", config::not_negative);
  camera.finish();
  TomlTable r = file.table("reflectance");
  for (const auto& [key, value] : {std::pair{"board", &twin.board},
                                   {"body", &twin.body},
                                   {"pad", &twin.pad},
                                   {"plate", &twin.plate},
                                   {"shiny", &twin.shiny},
                                   {"dark", &twin.dark},
                                   {"nothing", &twin.nothing}})
    *value = r.number(key, config::not_negative);
  r.finish();
  file.finish();
  return twin;
}

FringeBoardSpec parse_fringe_board(const std::string& text, const VirtualCell& cell) {
  FringeBoardSpec spec;
  spec.text = text;
  TwinBoard trial = cell.nominal;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const std::string reference = word.substr(std::min(word.size(), word.find('=') + 1));
    if (word == "incomplete" || word == "mixed") {
      (word == "mixed" ? spec.mixed : spec.incomplete) = true;
    } else if (word.rfind("shiny=", 0) == 0 || word.rfind("dark=", 0) == 0) {
      apply_defect(trial, "missing=" + reference);  // throws for an unknown reference
      (word[0] == 's' ? spec.shiny : spec.dark).push_back(reference);
    } else {
      apply_defect(trial, word);
      spec.defects.push_back(word);
    }
  }
  return spec;
}

FringeScene board_scene(const VirtualCell& cell, const FringeTwin& twin, const FringeBoardSpec& spec,
                        std::uint64_t seed) {
  TwinBoard board = produce(cell.nominal, cell.spread, seed);
  for (const std::string& defect : spec.defects) apply_defect(board, defect);
  TwinView view = cell.view;
  view.shadow_slope = 0;  // the projector casts its own shadows
  FringeScene scene;
  scene.surface = look_at(board, view);
  scene.reflectance.assign(scene.surface.z_mm.size(), twin.nothing);
  Eigen::Isometry3d to_sensor;
  to_sensor.matrix() = view.sensor_from_board;
  const Eigen::Isometry3d to_board = to_sensor.inverse();
  std::size_t i = 0;
  for (int row = 0; row < view.rows; ++row)
    for (int col = 0; col < view.cols; ++col, ++i) {
      if (scene.surface.classes[i] != PixelClass::ok) continue;
      const Eigen::Vector3d at =
          to_board * Eigen::Vector3d(view.x.at(col), view.y.at(row), scene.surface.z_mm[i]);
      scene.reflectance[i] = reflectance_at(board, twin, spec, at.head<2>());
    }
  return scene;
}

void deliver_set(const FringeSender& sender, const FringeTwin& twin, const TwinView& view,
                 const FringeScene& scene, const FringeBoardSpec& faults, std::uint64_t seed,
                 const SetSidecar& identity, const std::filesystem::path& folder, const std::string& stem) {
  const FringeSettings& s = sender.settings;
  SetSidecar sidecar = identity;
  sidecar.sensor_serial = sender.serial;
  sidecar.handedness = sender.handedness;
  const auto names = image_names(s, stem);
  for (std::size_t n = 0; n < names.size(); ++n) {
    const auto steps = static_cast<std::size_t>(s.steps);
    auto grey = fringe_image(twin.camera, view, scene, s, n / steps, static_cast<int>(n % steps), seed);
    if (sender.handedness == Handedness::left) reverse_rows(grey, view.cols);
    auto file = tiff_of(grey.data(), view.rows, view.cols, TiffSample::uint8);
    sidecar.images.push_back({names[n], sha256_hex({file})});
    if (faults.incomplete && n + 1 == names.size()) continue;
    if (faults.mixed && n == 1) file = tiff_of(grey.data(), view.rows / 2, view.cols, TiffSample::uint8);
    write_whole(folder / names[n], file.data(), file.size());
  }
  const std::string text = write_set_sidecar(sidecar);
  write_whole(folder / (stem + ".json"), text.data(), text.size());
}

}  // namespace datum
