// The virtual fringe projection sensor: a camera along the sensor's z and a pinhole projector beside it.
//
// Light: ambient + light reflectance ((1 + contrast cos) / 2)^gamma; the camera adds noise, rounds and
// saturates at its maximum. A point hidden from the projector receives ambient light only. The projector's
// fringes are parallel to y.
#pragma once

#include <cstdint>
#include <vector>

#include "drivers/frame/fringe_settings.h"
#include "tests/virtual_cell/twin_scene.h"

namespace datum {

struct FringeCamera {
  double projector_x_mm = 0, projector_z_mm = 0;  // its pinhole, sensor coordinates; aimed at their origin
  double focal_px = 0;                            // of the projector, in its pixels
  double centre_px = 0;                           // its column that meets the origin
  double light_grey = 0;                          // of a white surface
  double ambient_grey = 0;
  double contrast = 1, gamma = 1;
  /// Standard deviation of a dark sample; variance per grey of light.
  double noise_grey = 0, noise_per_grey = 0;
};

/// The camera's view, row-major: place of the surface and its reflectance.
struct FringeScene {
  TwinSurface surface;              // ok where there is one
  std::vector<double> reflectance;  // 1: white
};

/// The projector's column at (x, z).
double column_of(const FringeCamera& camera, double x_mm, double z_mm);

/// Grey values of image `step` of period `period` (from 0), row-major. Each pixel depends on its place and
/// the seed only.
std::vector<std::uint8_t> fringe_image(const FringeCamera& camera, const TwinView& view,
                                       const FringeScene& scene, const FringeSettings& settings,
                                       std::size_t period, int step, std::uint64_t seed);

/// A matt plate at this height over the whole view.
FringeScene plate_scene(const TwinView& view, double z_mm, double reflectance);

}  // namespace datum
