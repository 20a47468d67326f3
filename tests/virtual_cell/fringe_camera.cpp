#include "tests/virtual_cell/fringe_camera.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "tests/virtual_cell/twin_random.h"

namespace datum {

double column_of(const FringeCamera& c, double x_mm, double z_mm) {
  const double away = std::hypot(c.projector_x_mm, c.projector_z_mm);
  const double axis_x = -c.projector_x_mm / away, axis_z = -c.projector_z_mm / away;
  const double dx = x_mm - c.projector_x_mm, dz = z_mm - c.projector_z_mm;
  return c.centre_px + c.focal_px * (-axis_z * dx + axis_x * dz) / (axis_x * dx + axis_z * dz);
}

std::vector<std::uint8_t> fringe_image(const FringeCamera& c, const TwinView& view, const FringeScene& scene,
                                       const FringeSettings& settings, std::size_t period, int step,
                                       std::uint64_t seed) {
  const TwinRandom noise(seed, TwinStream::white);
  const double turns = static_cast<double>(settings.shift) * step / settings.steps;
  const auto cols = static_cast<std::size_t>(view.cols);
  const std::uint64_t image = period * 64 + static_cast<std::uint64_t>(step);
  std::vector<std::uint8_t> grey(static_cast<std::size_t>(view.rows) * cols);
  for (int row = 0; row < view.rows; ++row) {
    // Farthest column reached by light of this row.
    double farthest = -std::numeric_limits<double>::infinity();
    for (int col = 0; col < view.cols; ++col) {
      const std::size_t i = static_cast<std::size_t>(row) * cols + static_cast<std::size_t>(col);
      double light = c.ambient_grey * std::min(1.0, scene.reflectance[i]);
      if (scene.surface.classes[i] == PixelClass::ok) {
        const double u = column_of(c, view.x.at(col), scene.surface.z_mm[i]);
        const double wave = std::cos(2 * std::numbers::pi * (u / settings.periods_px[period] + turns));
        const bool lit = u >= farthest && u >= 0 && u < settings.projector_px;
        if (lit)
          light += c.light_grey * scene.reflectance[i] * std::pow((1 + c.contrast * wave) / 2, c.gamma);
        farthest = std::max(farthest, u);
      }
      const double sigma = std::sqrt(c.noise_grey * c.noise_grey + c.noise_per_grey * light);
      const double sample = std::nearbyint(light + sigma * noise.normal((image << 40) + i));
      grey[i] =
          static_cast<std::uint8_t>(std::clamp(sample, 0.0, static_cast<double>(settings.camera_maximum)));
    }
  }
  return grey;
}

FringeScene plate_scene(const TwinView& view, double z_mm, double reflectance) {
  const std::size_t n = static_cast<std::size_t>(view.rows) * static_cast<std::size_t>(view.cols);
  FringeScene scene;
  scene.surface.z_mm.assign(n, z_mm);
  scene.surface.classes.assign(n, PixelClass::ok);
  scene.reflectance.assign(n, reflectance);
  return scene;
}

}  // namespace datum
