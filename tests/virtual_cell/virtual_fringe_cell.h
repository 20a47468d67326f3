// Scene and deliveries of the virtual fringe sensor.
#pragma once

#include <filesystem>
#include <string>

#include "drivers/fringe/set_sidecar.h"
#include "tests/virtual_cell/fringe_camera.h"
#include "tests/virtual_cell/virtual_sensor_cell.h"

namespace datum {

/// A twin's camera: [projector], [light], [camera] and [reflectance] of a file such as config/twins/fringe-camera.toml.
struct FringeTwin {
  FringeCamera camera;
  double board = 0, body = 0, pad = 0, plate = 0, shiny = 0, dark = 0, nothing = 0;  // reflectances; 1: white
};

/// Throws config::ConfigError.
FringeTwin load_fringe_twin(const std::filesystem::path& file);

/// Defects of one board: those of apply_defect (twin_board.h), "shiny=REF" and "dark=REF" (glare on a body's
/// top, or almost no light from it), and faults of the delivery: "incomplete" (the last image is missing),
/// "mixed" (the second image is another board's).
struct FringeBoardSpec {
  std::string text;
  std::vector<std::string> defects, shiny, dark;
  bool incomplete = false, mixed = false;
};

/// Throws std::invalid_argument for an unknown defect or reference.
FringeBoardSpec parse_fringe_board(const std::string& text, const VirtualCell& cell);

FringeScene board_scene(const VirtualCell& cell, const FringeTwin& twin, const FringeBoardSpec& spec,
                        std::uint64_t seed);

/// The sender: its serial number, its handedness, and names and format of its images.
struct FringeSender {
  std::string serial;
  Handedness handedness = Handedness::right;
  FringeSettings settings;
};

/// Writes the images of `scene`, then their sidecar STEM.json. Throws std::system_error.
void deliver_set(const FringeSender& sender, const FringeTwin& twin, const TwinView& view,
                 const FringeScene& scene, const FringeBoardSpec& faults, std::uint64_t seed,
                 const SetSidecar& identity, const std::filesystem::path& folder, const std::string& stem);

}  // namespace datum
