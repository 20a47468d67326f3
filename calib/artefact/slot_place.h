// Position of a slot's bottom line from the heights of its flanks' cells.
#pragma once

#include <Eigen/Core>
#include <numbers>
#include <string>
#include <vector>

#include "calib/artefact/drawing.h"

namespace datum {

// Largest angle between a flank cell's normal and the flank's. The mean of nine neighbours' heights gives 0.2
// degrees at 50 um of noise; the rest covers the rotation's bin of 1 degree and the plate's tilt.
inline constexpr double normal_limit_rad = 4 * std::numbers::pi / 180;

/// A cell in the plate's coordinates: z along its normal, x nearest to the sensor's x.
struct Sloping {
  Eigen::Vector3d at, normal;
  double slope_rad, azimuth_rad;
};

/// Cells whose normal is that of a flank rotated by `turn`.
std::vector<const Sloping*> cells_of(const std::vector<Sloping>& cells, const DrawnFace& flank,
                                     const Eigen::Matrix3d& turn);

/// Distance of a slot's bottom line from the plate's origin along `across`.
struct SlotPlace {
  Eigen::Vector2d across;
  double at_mm = 0;
  std::string missing;  // reason where the slot was not found; else empty
};

/// Each cell of a flank determines the bottom: e . t = e . (u, v) + (n_z / |n_xy|) (h + depth), with e the
/// flank's direction. Both flanks of the slot must agree.
SlotPlace slot_place(const std::vector<Sloping>& cells, const ArtefactDrawing& drawing, Face first,
                     Face second, double depth_mm, const Eigen::Matrix3d& turn, double cell_mm2);

}  // namespace datum
