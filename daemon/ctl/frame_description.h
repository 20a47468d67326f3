// How datumd reads a frame's file, and what its sidecar lacks: `datumctl frame describe`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "drivers/frame/sensor_profile.h"

namespace datum {

struct FrameDescription {
  std::vector<std::pair<std::string, std::string>> rows;  // what was found, in the order of its printing
  /// One line for each key that is missing, unknown or wrong.
  std::vector<std::string> faults;
  std::filesystem::path sidecar;  // that the file needs; empty: none
  bool has_sidecar = false;
  bool is_readable() const { return faults.empty(); }
};

/// `sensor`: compared with the frame where it is given; else serial and handedness are believed. Throws FrameError: the file
/// itself can't be read.
FrameDescription describe_frame(const std::filesystem::path& file,
                                const std::optional<SensorProfile>& sensor);

/// Faults of a sidecar's text, all keys at once. `file` is its name in messages.
std::vector<std::string> sidecar_faults(const std::string& text, const std::string& file);

/// What an operator says about a file without a sidecar; empty: nothing was said.
struct SidecarAnswers {
  std::string serial, frame_id, unit_id, handedness, z_unit, invalid;
  std::vector<double> pixel_mm;  // along x, along y
  std::optional<double> z_scale;
};
/// Writes the sidecar beside `file`, from the file, the sensor's profile and `answers`, and returns its path. Throws
/// FrameError that names every key which none of them states; std::runtime_error where it exists or can't be written.
std::filesystem::path write_sidecar_beside(const std::filesystem::path& file,
                                           const std::optional<SensorProfile>& sensor,
                                           const SidecarAnswers& answers);

}  // namespace datum
