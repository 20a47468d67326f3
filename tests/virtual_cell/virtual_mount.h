// True pose of an artefact in the virtual cell, and the probe that touches it. The daemon never reads this
// file.
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <string>

#include "calib/artefact/drawing.h"
#include "calib/htm.h"

namespace datum {

struct VirtualMount {
  ArtefactDrawing drawing;
  Htm<Machine, Artefact> machine_from_artefact;
  double probe_radius_mm = 0;

  /// Tip centre in machine coordinates, in mm, of touch `n` of `count` spread over a face; n from 1. Throws
  /// std::invalid_argument.
  Eigen::Vector3d tip_mm(Face face, std::size_t n, std::size_t count) const;
};

/// Throws config::ConfigError or CalibrationError.
VirtualMount load_mount(const std::filesystem::path& drawing, const std::filesystem::path& mount);

/// Command of the virtual machine's control line: "move X Y Z" in mm, "touch X Y Z", or with an artefact
/// "touch LP 3/12" for the third of twelve touches of a face. Throws std::invalid_argument.
struct VirtualOrder {
  bool touch = false;
  std::array<double, 3> position_mm{};
};
VirtualOrder order_of(const std::string& line, const VirtualMount* mount);

}  // namespace datum
