// A scene in machine coordinates and its image by a sensor: parts of a board, a flat, or a bent sheet.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "calib/registration/registration.h"

namespace datum::testing {

using Surface = std::function<double(double x, double y)>;  // height in mm, machine coordinates

/// Blocks of 2 to 7 mm and 0.4 to 3 mm height on about a third of an inclined board. Walls lie on a raster of
/// 0.02 mm, equal for every snapshot.
inline Surface parts() {
  constexpr int size = 3500;
  std::vector<float> top(std::size_t{size} * size, 0.0F);
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> share;
  const auto cells = [](double mm) { return static_cast<int>(mm / 0.02); };
  for (int i = 0; i < 75; ++i) {
    const int x = cells(60 * share(random)), y = cells(60 * share(random));
    const int width = cells(2 + 5 * share(random)), length = cells(2 + 5 * share(random));
    const auto height = static_cast<float>(0.4 + 2.6 * share(random));
    for (int r = y; r < std::min(size, y + length); ++r)
      for (int c = x; c < std::min(size, x + width); ++c) {
        float& cell = top[static_cast<std::size_t>(r) * size + c];
        cell = std::max(cell, height);
      }
  }
  return [top, cells](double x, double y) {
    const int c = std::clamp(cells(x + 35), 0, size - 1), r = std::clamp(cells(y + 35), 0, size - 1);
    return static_cast<double>(top[static_cast<std::size_t>(r) * size + c]) + 0.01 * x - 0.005 * y;
  };
}
inline Surface flat() {
  return [](double, double) { return 0.0; };
}
/// Dust of 0.6 mm on a flat, within the overlap.
inline Surface speck() {
  return [](double x, double y) { return std::hypot(x - 3, y - 5) < 0.3 ? 0.5 : 0.0; };
}
inline Surface bent() {
  return [](double x, double y) { return 1.5 * std::sin(0.35 * x) + 1.2 * std::cos(0.28 * y + 0.1 * x); };
}

constexpr double scene_noise_mm = 0.01;

/// 200 x 160 pixels of 0.1 mm about the sensor's origin, without noise.
inline HeightFrame seen_without_noise(const Surface& surface, const Eigen::Matrix4d& machine_from_sensor) {
  HeightFrame f;
  f.rows = 160;
  f.cols = 200;
  f.x = {0.1, -9.95};
  f.y = {0.1, -7.95};
  f.z = {1, 0};
  std::vector<float> heights;
  for (int row = 0; row < f.rows; ++row) {
    for (int col = 0; col < f.cols; ++col) {
      const Eigen::Vector4d at = machine_from_sensor * Eigen::Vector4d(f.x.at(col), f.y.at(row), 0, 1),
                            way = machine_from_sensor.col(2);
      const auto above = [&](double z) {
        return at.z() + z * way.z() - surface(at.x() + z * way.x(), at.y() + z * way.y());
      };
      // Along the sensor's ray to the first surface: a part hides the points behind it.
      double high = 4, low = high;
      while (low > -4 && above(low) > 0) high = std::exchange(low, low - 0.1);
      for (int i = 0; i < 16; ++i) (above((low + high) / 2) > 0 ? high : low) = (low + high) / 2;
      f.classes.push_back(above(low) > 0 ? PixelClass::shadow : PixelClass::ok);
      heights.push_back(static_cast<float>(low));
    }
  }
  f.counts = heights;
  return f;
}
inline HeightFrame with_noise(HeightFrame f, std::uint64_t seed) {
  std::vector<float> heights;
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, scene_noise_mm);
  for (const float mm : std::get<std::vector<float>>(f.counts))
    heights.push_back(static_cast<float>(mm + noise(random)));
  f.counts = heights;
  f.frame_id = std::to_string(seed);
  return f;
}
inline HeightFrame seen(const Surface& surface, const Eigen::Matrix4d& machine_from_sensor,
                        std::uint64_t seed) {
  return with_noise(seen_without_noise(surface, machine_from_sensor), seed);
}

}  // namespace datum::testing
