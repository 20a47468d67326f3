// Finds a round hole in a snapshot: a surface, the pixels that are missing from it or lie below it, the
// circle of their edge, in machine coordinates and with its uncertainty.
#pragma once

#include <stdexcept>

#include "calib/htm_estimate.h"
#include "calib/hybrid/hole.h"
#include "drivers/frame/height_frame.h"

namespace datum {

/// No hole that could be probed; the text says why, with the numbers, and what to do.
class HoleRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where the drawing expects it, machine coordinates.
struct HoleNominal {
  Eigen::Vector3d center_mm;
  double radius_mm = 0;
  double search_mm = 0;            // the center lies within so much of its place
  double radius_tolerance_mm = 0;  // the radius is within so much of its size, the sensor's bias included
};

struct HoleSearch {
  double noise_sigma_mm = 0;   // of one height, from the sensor's profile
  double edge_depth_mm = 0.2;  // what lies so far below the surface is in the hole; at least 5 noise_sigma_mm
  double u_edge_mm = 0;        // standard uncertainty of where the sensor sees an edge, common to all holes
  double least_coverage = 0.8;  // of the circumference, in steps of 10 degrees
};

/// The one hole that fits `nominal`. `frame`: right-handed sensor coordinates. Surface: the plane of most
/// pixels within the window; edge: half-way between a pixel of the hole and its neighbour on the surface or on a chamfer
/// that leads down from it in steps of less than edge_depth, so
/// its place is known to a pixel's pitch / sqrt(12), independent from edge pixel to edge pixel. u_own: that,
/// through the circle's fit. u_shared: of the center the transform's covariance there and u_edge / 2 (an edge
/// lost on one side moves the middle by half of it), of the radius u_edge. Throws HoleRefused: settings out
/// of range, a window that leaves the frame, no plane, no hole, several, one that is no circle or not seen
/// all round, or whose chamfer is seen in part: its edge lies on two rims.
HoleCandidate find_hole(const HeightFrame& frame, const HtmEstimate<Machine, Sensor>& machine_from_sensor,
                        const HoleNominal& nominal, const HoleSearch& search);

}  // namespace datum
