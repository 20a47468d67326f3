// The drawing of a sphere artefact: calibrated places of its spheres.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace datum {

/// Artefact coordinates of the certificate (right-handed, mm), z towards the side that faces a sensor.
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

/// Throws config::ConfigError for an unknown or missing key, a number out of range, fewer than 3 or more than
/// 8 spheres, spheres that touch or are collinear, or spheres whose exchange changes no distance by
/// `least_difference_mm` (two poses would fit).
SphereDrawing load_sphere_drawing(const std::filesystem::path& file);

/// Least change of at least one centre distance or diameter that every exchange of spheres must cause.
inline constexpr double least_difference_mm = 1;

}  // namespace datum
