// Finds a round hole in a snapshot from the pixels missing in a surface or below it. The result is the circle
// of their edge in machine coordinates, with its uncertainty.
#pragma once

#include <stdexcept>

#include "calib/htm_estimate.h"
#include "calib/hybrid/hole.h"
#include "drivers/frame/height_frame.h"

namespace datum {

/// No hole suitable for probing; the text states why, with numbers, and the remedy.
class HoleRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Nominal of the drawing, machine coordinates.
struct HoleNominal {
  Eigen::Vector3d center_mm;
  double radius_mm = 0;
  double search_mm = 0;            // largest distance of the center from its nominal place
  double radius_tolerance_mm = 0;  // largest deviation of the radius, including the sensor's bias
};

struct HoleSearch {
  double noise_sigma_mm = 0;  // of one height, from the sensor's profile
  /// Pixels this far below the surface belong to the hole; at least 5 noise_sigma_mm.
  double edge_depth_mm = 0.2;
  double u_edge_mm = 0;         // standard uncertainty of the sensor's edge position, common to all holes
  double least_coverage = 0.8;  // of the circumference, in sectors of 10 degrees
};

/// The one hole that fits `nominal`. `frame`: right-handed sensor coordinates. The surface is the plane of
/// most pixels within the window. The edge lies half-way between a pixel of the hole and its neighbour on the
/// surface, or on a chamfer that descends from it in steps below edge_depth. Its standard uncertainty is a
/// pixel's pitch / sqrt(12), independent from edge pixel to edge pixel.
/// u_own: that uncertainty, propagated through the circle's fit. u_shared: for the center, the transform's
/// covariance there and u_edge / 2 (an edge lost on one side moves the center by half of it); for the radius,
/// u_edge. Throws HoleRefused: settings out of range, a window beyond the frame, no plane, no hole, several
/// holes, one that is not round or not visible all round, or one whose chamfer is partly visible, so that its
/// edge lies on two rims.
HoleCandidate find_hole(const HeightFrame& frame, const HtmEstimate<Machine, Sensor>& machine_from_sensor,
                        const HoleNominal& nominal, const HoleSearch& search);

}  // namespace datum
