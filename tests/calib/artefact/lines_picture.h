// A plane-and-lines artefact as a sensor with a grey image sees it.
#pragma once

#include <algorithm>
#include <cmath>

#include "calib/artefact/lines_drawing.h"
#include "calib/htm.h"
#include "drivers/frame/height_frame.h"
#include "tests/virtual_cell/twin_random.h"

namespace datum::testing {

struct Picture {
  double grey_noise = 3, height_um = 10, falloff = 0, pitch_mm = 0.15, bend_um = 0;
  std::uint64_t seed = 1;
};

/// Share of a pixel on the positive side of an edge at distance d, n the edge's unit normal: exact for edges
/// along the pixels, symmetric for all.
inline double covered(double d_mm, const Eigen::Vector2d& n, double pitch_mm) {
  return std::clamp(0.5 + d_mm / (pitch_mm * (std::abs(n.x()) + std::abs(n.y()))), 0.0, 1.0);
}

/// Image of the artefact for a sensor with parallel lines of sight, 8 bits: white 190, black 40.
inline HeightFrame picture(const LinesDrawing& d, const Htm<Sensor, Artefact>& sensor_from_artefact,
                           const Picture& p) {
  HeightFrame f;
  f.rows = static_cast<int>(80 / p.pitch_mm);
  f.cols = static_cast<int>(95 / p.pitch_mm);
  f.x = {p.pitch_mm, -42};
  f.y = {p.pitch_mm, -35};
  f.z = {0.00025, 0};
  f.sensor_serial = "S7";
  f.frame_id = "1";
  std::vector<std::int16_t> counts(f.size(), -32768);
  f.classes.assign(f.size(), PixelClass::no_data);
  f.intensity = IntensityImage{f.rows, f.cols, std::vector<std::uint16_t>(f.size()), 8};
  const TwinRandom grey(p.seed, TwinStream::speckle), white(p.seed, TwinStream::white);
  const auto back = sensor_from_artefact.inverse();
  const Eigen::Vector3d along = back.rotation().col(2);
  const Eigen::Vector2d nx = sensor_from_artefact.rotation().col(0).head<2>(),
                        ny = sensor_from_artefact.rotation().col(1).head<2>();
  for (int row = 0; row < f.rows; ++row) {
    for (int col = 0; col < f.cols; ++col) {
      const std::size_t i = static_cast<std::size_t>(row) * f.cols + col;
      const Eigen::Vector3d start = back * Eigen::Vector3d(f.x.at(col), f.y.at(row), 0);
      const double z = -start.z() / along.z();
      const Eigen::Vector3d at = start + z * along;
      double level = 12;
      if (d.plate.contains(at.x(), at.y())) {
        const auto within = [&](double v, double from, double to, const Eigen::Vector2d& n) {
          return covered(v - from, n, p.pitch_mm) * covered(to - v, n, p.pitch_mm);
        };
        const double on_long = within(at.x(), -d.long_line.width_mm / 2, d.long_line.width_mm / 2, nx) *
                               within(at.y(), d.long_line.from_mm, d.long_line.to_mm, ny);
        const double on_short = within(at.y(), -d.short_line.width_mm / 2, d.short_line.width_mm / 2, ny) *
                                within(at.x(), d.short_line.from_mm, d.short_line.to_mm, nx);
        level = 190 - 150 * std::max(on_long, on_short);
        level *= 1 - p.falloff * (std::pow(f.x.at(col), 2) + std::pow(f.y.at(row), 2)) / (50 * 50);
        if (std::max(on_long, on_short) > 0) {
          f.classes[i] = PixelClass::low_modulation;
        } else {
          f.classes[i] = PixelClass::ok;
          const double bend = 1e-3 * p.bend_um * (at.x() / 30) * (at.x() / 30);
          counts[i] = static_cast<std::int16_t>(
              std::lround((z + bend + 1e-3 * p.height_um * white.normal(i)) / f.z.scale_mm));
        }
      }
      f.intensity->grey[i] = static_cast<std::uint16_t>(
          std::lround(std::clamp(level + p.grey_noise * grey.normal(i), 0.0, 255.0)));
    }
  }
  f.counts = std::move(counts);
  return f;
}

}  // namespace datum::testing
