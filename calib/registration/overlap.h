// Where two snapshots show the same surface: how far the points of one lie from the surface of the other.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "drivers/frame/height_frame.h"

namespace datum {

struct OverlapSettings {
  double noise_sigma_mm = 0;  // of one height of either snapshot, from the sensor's profile; > 0
  int most_samples = 5'000;   // evenly taken from the overlap
};

/// How a's surface looks around a sample.
enum class Around : std::uint8_t {
  gentle,       // one surface, with a slope
  step,         // the four pixels around it do not lie on one: the wall between them is the surface
  beside_step,  // a step within reach of the slope: only the height counts, the normal is the sensor's z
};

struct OverlapSample {
  Eigen::Vector3d point_mm;   // of b, machine coordinates
  Eigen::Vector3d normal;     // of a's surface there, machine coordinates
  double distance_mm = 0;     // of the point from that surface, along the normal
  double variance_mm2 = 0;    // of the distance: heights of both; at a step, where within a pixel it is
  double slope_variance = 0;  // of the normal's components across z, from the noise of the heights
  Around around = Around::gentle;
  int wall = -1;          // at a step: a's column or row of pixels that holds it, and to which side it falls
  double common_mm2 = 0;  // variance of an error that all samples of the wall share: where it lies in there
};

/// Points of b where all of a's pixels around them are measured. Poses lead from each frame's coordinates to
/// the machine's. Slopes are taken over three pixels to each side: a step makes them steep there, noise does
/// little.
std::vector<OverlapSample> overlap_samples(const HeightFrame& a, const Eigen::Matrix4d& pose_a,
                                           const HeightFrame& b, const Eigen::Matrix4d& pose_b,
                                           const OverlapSettings& settings);

}  // namespace datum
