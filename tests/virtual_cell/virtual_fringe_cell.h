// What the virtual fringe sensor stands before, and how its raw sets are delivered.
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

/// What one board shows: words of apply_defect (twin_board.h), "shiny=REF" and "dark=REF" (glare on a body's top, or next
/// to no light from it), and faults of the delivery: "incomplete" (the last image is missing), "mixed" (an image of another
/// board stands in the place of the second one).
struct FringeBoardSpec {
  std::string text;
  std::vector<std::string> defects, shiny, dark;
  bool incomplete = false, mixed = false;
};

/// Throws std::invalid_argument where a word or reference is not known.
FringeBoardSpec parse_fringe_board(const std::string& text, const VirtualCell& cell);

FringeScene board_scene(const VirtualCell& cell, const FringeTwin& twin, const FringeBoardSpec& spec,
                        std::uint64_t seed);

/// Who delivers: its serial number, its hand, and how it names and makes its images.
struct FringeSender {
  std::string serial;
  Handedness handedness = Handedness::right;
  FringeSettings settings;
};

/// The images of `scene` and their sidecar, the sidecar last, as STEM.json. Throws std::system_error.
void deliver_set(const FringeSender& sender, const FringeTwin& twin, const TwinView& view,
                 const FringeScene& scene, const FringeBoardSpec& faults, std::uint64_t seed,
                 const SetSidecar& identity, const std::filesystem::path& folder, const std::string& stem);

}  // namespace datum
