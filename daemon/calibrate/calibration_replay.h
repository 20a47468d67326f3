// A stored calibration gone through again, from its log, the artefact's drawing and the frame in the drop folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "calib/artefact/drawing.h"
#include "config/daemon_config.h"

namespace datum {

/// The drawing of the artefact with this serial number. Throws CalibrationError naming those that are there.
ArtefactDrawing find_drawing(const std::filesystem::path& folder, const std::string& serial);

struct Replayed {
  std::vector<std::string> then, now;  // what solving said, line by line
  bool same() const { return then == now; }
};

/// Throws CalibrationError: no such log, drawing or frame, or one of them is not what it was.
Replayed replay_calibration(const DaemonConfig& config, const std::filesystem::path& log);

}  // namespace datum
