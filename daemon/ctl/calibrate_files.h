// Steps of `datumctl calibrate` that need no daemon: advice for the mechanical alignment, squareness of the machine's axes, and
// calibrations by spheres and by a plane-and-lines plate from files.
#pragma once

#include <string>

#include "daemon/ctl/verify.h"

namespace datum {

struct FileSteps {
  std::string sensor, frame, drawing, touches, config = "/etc/datumd/datumd.toml", operator_name, output,
                                               stage;
  std::string area;          // X0,X1,Y0,Y1 in mm; empty: the whole frame
  std::string plane = "xy";  // of the bars
  double limit_deg = 0, degc = 0, u_touch_um = 0;
  std::int64_t now_utc_s = 0;
};

/// Roll, pitch and, with a plane-and-lines drawing, yaw of the sensor, with U and what to turn back. not_good: one is beyond
/// limit_deg by more than its U, or at all; 0: no limit. Throws FitRefused, FrameError, config::ConfigError,
/// std::invalid_argument, SegmentationRefused.
Verified align_sensor(const FileSteps& steps);

/// Squareness of two axes from a touched ball bar, with U and the lines for [calibration]. Throws as above.
Verified measure_squareness(const FileSteps& steps);

/// Finds the drawing's spheres in a frame, compares them with their touches, and writes the calibration into the configuration's
/// folder of calibrations, or to `output`; never over a file. Throws as above, CalibrationError, std::runtime_error.
Verified calibrate_by_spheres(const FileSteps& steps);

/// The same with a plane-and-lines plate: its plane and lines in a frame, its upper side and edges touched.
Verified calibrate_by_lines(const FileSteps& steps);

}  // namespace datum
