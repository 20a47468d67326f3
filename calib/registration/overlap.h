// Overlap of two snapshots: distances of one's points from the other's surface.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "drivers/frame/height_frame.h"

namespace datum {

struct OverlapSettings {
  double noise_sigma_mm = 0;  // of one height of either snapshot, from the sensor's profile; > 0
  int most_samples = 5'000;   // evenly sampled from the overlap
};

/// Shape of a's surface around a sample.
enum class Around : std::uint8_t {
  gentle,       // one surface, with a slope
  step,         // the four surrounding pixels are not coplanar: the wall between them is the surface
  beside_step,  // a step within the slope's window: only the height counts, the normal is the sensor's z
};

struct OverlapSample {
  Eigen::Vector3d point_mm;   // of b, machine coordinates
  Eigen::Vector3d normal;     // of a's surface, machine coordinates
  double distance_mm = 0;     // of the point from that surface, along the normal
  double variance_mm2 = 0;    // of the distance: heights of both; at a step, position within the pixel
  double slope_variance = 0;  // of the normal's components across z, from the noise of the heights
  Around around = Around::gentle;
  int wall = -1;          // at a step: a's column or row of pixels that holds it, and the side to which it
                          // falls
  double common_mm2 = 0;  // variance of the error common to all samples of the wall: its position within the
                          // pixel
};

/// Points of b where all surrounding pixels of a are measured. Poses map each frame's coordinates to the
/// machine's. Slopes are taken over three pixels to each side, which makes a step steep and averages noise.
std::vector<OverlapSample> overlap_samples(const HeightFrame& a, const Eigen::Matrix4d& pose_a,
                                           const HeightFrame& b, const Eigen::Matrix4d& pose_b,
                                           const OverlapSettings& settings);

}  // namespace datum
