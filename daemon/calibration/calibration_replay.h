// A stored calibration gone through again, from its log, the artefact's drawing and the frame in the drop folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "calib/artefact/drawing.h"
#include "daemon/calibration/calibrate_settings.h"

namespace datum {

/// The drawing of the artefact with this serial number. Throws CalibrationError naming those that are there.
ArtefactDrawing find_drawing(const std::filesystem::path& folder, const std::string& serial);

struct Replayed {
  std::vector<std::string> then, now;  // what solving said, line by line
  bool same() const { return then == now; }
};

/// Where what a calibration was made of lies.
struct CalibrationSources {
  const CalibrateSettings& settings;
  std::filesystem::path sensor_profile, deliveries;  // deliveries: empty where they are not kept
};

/// Throws CalibrationError: no such log, drawing or frame, or one of them is not what it was.
Replayed replay_calibration(const CalibrationSources& sources, const std::filesystem::path& log);

}  // namespace datum
