// The virtual fringe projection sensor: a camera that looks along the sensor's z, and a pinhole projector beside it.
//
// Light: ambient + light reflectance ((1 + contrast cos) / 2)^gamma; the camera adds noise, rounds and ends at its maximum.
// A point that another one hides from the projector gets ambient light alone; the projector's fringes run along y.
#pragma once

#include <cstdint>
#include <vector>

#include "drivers/frame/fringe_settings.h"
#include "tests/virtual_cell/twin_scene.h"

namespace datum {

struct FringeCamera {
  double projector_x_mm = 0, projector_z_mm = 0;  // its pinhole, sensor coordinates; it looks at their origin
  double focal_px = 0;                            // of the projector, in its pixels
  double centre_px = 0;                           // its column that meets the origin
  double light_grey = 0;                          // of a white surface
  double ambient_grey = 0;
  double contrast = 1, gamma = 1;
  double noise_grey = 0, noise_per_grey = 0;  // deviation of a dark sample; variance for each grey of light
};

/// What the camera sees, row-major over the view: where a surface is, and how much light it returns.
struct FringeScene {
  TwinSurface surface;              // ok where there is one
  std::vector<double> reflectance;  // 1: white
};

/// The projector's column that lights (x, z).
double column_of(const FringeCamera& camera, double x_mm, double z_mm);

/// The grey values of image `step` of period `period` (from 0), row-major. Each pixel depends on its own place and the
/// seed alone.
std::vector<std::uint8_t> fringe_image(const FringeCamera& camera, const TwinView& view,
                                       const FringeScene& scene, const FringeSettings& settings,
                                       std::size_t period, int step, std::uint64_t seed);

/// A matt plate at this height over the whole view.
FringeScene plate_scene(const TwinView& view, double z_mm, double reflectance);

}  // namespace datum
