// The plane-and-lines artefact by its drawing: a bright flat plate with a long and a short dark line.
//
// Artefact coordinates (right-handed, mm): z is the plate's outward normal and the plate lies in z = 0. The
// middle of the long line is the y axis; the middle of the short line meets it at the origin; x = y cross z.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "calib/artefact/drawing.h"

namespace datum {

struct DrawnLine {
  double width_mm = 0;
  double from_mm = 0, to_mm = 0;  // ends, along y (long line) or x (short line)
};

struct LinesDrawing {
  std::string serial, title;
  DrawnArea plate;
  DrawnLine long_line, short_line;
  double angle_deg = 0;    // tolerance of the angle between the lines, drawn as 90
  double width_mm = 0;     // tolerance of the lines' widths
  double flatness_mm = 0;  // of the plate, peak to valley
  double form_um = 0;      // standard uncertainty of the plate's form: as a shift and as a tilt
  /// Standard uncertainty of a line's middle against the drawing: as a shift, and as a rotation by that
  /// amount over half its length.
  double edge_um = 0;
  /// Standard uncertainty of an edge of the plate against its lines: as a shift, and as a rotation by that amount over half
  /// its length. None: the plate can't be calibrated with, because a probe touches its edges.
  std::optional<double> outline_um;
  std::string sha256;
};

/// Throws config::ConfigError.
LinesDrawing load_lines_drawing(const std::filesystem::path& file);

}  // namespace datum
