// The drawing of a sphere artefact: where its spheres stand, as calibrated.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace datum {

/// Artefact coordinates (right-handed, mm): its certificate's, z towards the side that a sensor sees.
struct DrawnSphere {
  Eigen::Vector3d center_mm;
  double center_u_mm = 0;  // standard uncertainty of each coordinate
  double diameter_mm = 0;
  double diameter_u_mm = 0;
};

struct SphereDrawing {
  std::string serial;
  std::string title;
  std::vector<DrawnSphere> spheres;  // 3 to 8
  std::string sha256;                // of the drawing's file
};

/// Throws config::ConfigError: unknown or missing key, a number out of range, fewer than 3 or more than 8
/// spheres, spheres that touch, that lie on a line, or whose exchange changes no distance by `least_difference_mm`
/// (the artefact would fit in two ways).
SphereDrawing load_sphere_drawing(const std::filesystem::path& file);

/// By how much at least one distance between centres, or a diameter, must change in every exchange of spheres.
inline constexpr double least_difference_mm = 1;

}  // namespace datum
