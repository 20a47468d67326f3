// Automatic search of an artefact's spheres in a snapshot, and the transform from their centres.
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
  double jump_mm = 0.5;            // neighbouring pixels whose heights differ by more belong to two surfaces
  std::size_t least_points = 200;  // smaller surfaces are ignored
};

struct SphereLocation {
  HtmEstimate<Sensor, Artefact> sensor_from_artefact;
  std::vector<SphereSighting> spheres;  // in the order of the drawing
  double rms_mm = 0;                    // of the centres after the alignment
  double chi_square = 0;                // 3 n - 6 degrees of freedom
};

/// Connected surfaces of a right-handed frame: pixels of class ok, four neighbours, jumps below jump_mm.
/// Points in sensor coordinates, mm, largest surface first.
std::vector<std::vector<Eigen::Vector3d>> surfaces_of(const HeightFrame& frame,
                                                      const SphereSearchSettings& settings);

/// Fits every surface as every drawn sphere, then accepts the one assignment whose distances agree. Throws
/// FitRefused where a sphere is not visible (with the reasons of near matches), two assignments agree,
/// distances contradict the drawing, or a left-handed frame was not mirrored.
SphereLocation locate_spheres(const HeightFrame& frame, const SphereDrawing& drawing,
                              const SphereSearchSettings& settings);

}  // namespace datum
