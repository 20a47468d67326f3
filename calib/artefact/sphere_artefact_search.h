// The spheres of an artefact in a snapshot, found without a hand, and the transform from their centres.
#pragma once

#include "calib/artefact/sphere_artefact.h"
#include "calib/artefact/sphere_artefact_drawing.h"
#include "drivers/frame/height_frame.h"

namespace datum {

struct SphereSearchSettings {
  double noise_sigma_mm = 0;  // of a pixel's height, from the sensor's profile
  double cap_angle_rad = 0.7;
  double footprint_mm = 0;
  double allowed_size_mm = 0.02;
  double allowed_center_u_mm = 0.0025;
  double jump_mm = 0.5;  // heights of neighbouring pixels that differ by more belong to two surfaces
  std::size_t least_points = 200;  // of a surface that is worth a look
};

struct SphereLocation {
  HtmEstimate<Sensor, Artefact> sensor_from_artefact;
  std::vector<SphereSighting> spheres;  // in the order of the drawing
  double rms_mm = 0;                    // of the centres after the alignment
  double chi_square = 0;                // 3 n - 6 degrees of freedom
};

/// Surfaces of a right-handed frame: pixels of class ok that hang together (four neighbours, jumps below
/// jump_mm), as points in sensor coordinates, largest first; smaller ones than least_points are left out.
std::vector<std::vector<Eigen::Vector3d>> surfaces_of(const HeightFrame& frame,
                                                      const SphereSearchSettings& settings);

/// Every surface is tried as every drawn sphere; then the one assignment is taken whose distances agree. Throws
/// FitRefused: a sphere that is not seen (with the reasons of what came close), two assignments that agree, a
/// contradiction, a left-handed frame that was not mirrored.
SphereLocation locate_spheres(const HeightFrame& frame, const SphereDrawing& drawing,
                              const SphereSearchSettings& settings);

}  // namespace datum
