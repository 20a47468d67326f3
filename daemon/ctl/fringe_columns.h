// `datumctl fringe columns`: content of raw fringe images, before there is a sensor profile or a calibration.
#pragma once

#include <string>
#include <vector>

#include "gpu/fringe_phase/fringe_phase.h"

namespace CLI {
class App;
}  // namespace CLI

namespace datum {

struct FringeColumnsOptions {
  std::vector<std::string> images;  // PNG or TIFF, period by period, step by step within each
  std::vector<double> periods_px;
  double projector_px = 0;
  bool backwards = false;
  double zero_turns = 0;
  double camera_maximum = 255;
  FringeLimits limits;
  std::string picture;  // empty: no picture
};

/// The subcommand of `fringe`.
CLI::App* add_fringe_columns(CLI::App& fringe, FringeColumnsOptions& options);

/// Classes, columns, modulation, residual and noise of the images, the phase from fewer steps, and the requested picture.
/// Throws FrameError, std::invalid_argument for arguments, std::runtime_error for the picture.
std::string fringe_columns(const FringeColumnsOptions& options);

}  // namespace datum
