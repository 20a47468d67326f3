// `datumctl fringe columns`: what raw images of fringes hold, before there is a sensor's profile or a calibration.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "gpu/fringe_phase/fringe_phase.h"

namespace datum {

struct FringeColumnsOptions {
  std::vector<std::string> images;  // PNG or TIFF, period by period, in each step by step
  std::vector<double> periods_px;
  double projector_px = 0;
  bool backwards = false;
  double zero_turns = 0;
  double camera_maximum = 255;
  FringeLimits limits;
  std::string picture;  // empty: none
};

/// The subcommand below `fringe`.
CLI::App* add_fringe_columns(CLI::App& fringe, FringeColumnsOptions& options);

/// Classes, columns, modulation, residual and noise of the images; what fewer of their steps would have made of the phase;
/// the picture, where one is asked for. Throws FrameError, std::invalid_argument for arguments, std::runtime_error for
/// the picture.
std::string fringe_columns(const FringeColumnsOptions& options);

}  // namespace datum
