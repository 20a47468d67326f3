// Where a slot's bottom line is, from the heights of its flanks' cells.
#pragma once

#include <Eigen/Core>
#include <numbers>
#include <string>
#include <vector>

#include "calib/artefact/drawing.h"

namespace datum {

// Cells of a flank have its normal within this. The mean of nine neighbours' heights is good to 0.2 degrees
// at 50 um of noise; the rest is for the rotation's bin of 1 degree and the plate's own tilt.
inline constexpr double normal_limit_rad = 4 * std::numbers::pi / 180;

/// A cell in the plate's coordinates: z along its normal, x nearest to the sensor's x.
struct Sloping {
  Eigen::Vector3d at, normal;
  double slope_rad, azimuth_rad;
};

/// Cells whose normal is that of a flank turned by `turn`.
std::vector<const Sloping*> cells_of(const std::vector<Sloping>& cells, const DrawnFace& flank,
                                     const Eigen::Matrix3d& turn);

/// Where the bottom line of a slot passes: distance of it from the plate's origin along `across`.
struct SlotPlace {
  Eigen::Vector2d across;
  double at_mm = 0;
  std::string missing;  // not empty: not found
};

/// Each cell of a flank says where the bottom is: e . t = e . (u, v) + (n_z / |n_xy|) (h + depth), with e the
/// direction that the flank looks to. Both flanks of the slot must name the same place.
SlotPlace slot_place(const std::vector<Sloping>& cells, const ArtefactDrawing& drawing, Face first,
                     Face second, double depth_mm, const Eigen::Matrix3d& turn, double cell_mm2);

}  // namespace datum
