// Properties of one 3D sensor: scale, handedness, noise.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/frame/frame_reader.h"
#include "drivers/frame/fringe_settings.h"
#include "drivers/frame/height_frame.h"
#include "drivers/frame/read_settings.h"

namespace datum {

class FrameParser;  // drivers/sensor/frame_parser.h

/// Upper limit of every frame's pixels (check() of a HeightFrame).
inline constexpr std::uint64_t most_frame_pixels = std::uint64_t{1} << 28;

/// Standard deviation of one pixel's height on a matt flat, as measured on this sensor; linearly
/// interpolated.
struct NoiseProfile {
  std::vector<double> z_mm;      // ascending, at least one
  std::vector<double> sigma_um;  // same length, > 0
  /// sigma in um at a height; constant outside the measured points.
  double sigma_um_at(double height_mm) const;
};

/// Interval in mm of sensor coordinates.
struct Interval {
  double min_mm = 0, max_mm = 0;
};

struct SensorProfile {
  std::string serial;
  std::string model;
  Handedness handedness = Handedness::right;
  NoiseProfile noise;
  double z_min_mm = 0, z_max_mm = 0;              // measuring range in sensor coordinates
  double scale_uncertainty_ppm = 0;               // standard uncertainty of the height scale
  double linearity_um = 0;                        // standard uncertainty from the linearity deviation
  std::optional<double> pixel_pitch_mm;           // for formats that do not contain it (.ptr)
  std::optional<Interval> field_x, field_y;       // field of view at the board's height; both or none
  std::string sha256;                             // of the profile's file
  std::optional<FringeSettings> fringe;           // for deliveries of raw fringe images
  std::shared_ptr<const FrameReader> reader;      // of its deliveries; null: they contain heights
  std::shared_ptr<const FrameParser> parser;      // of compressed and printed heights; null: in this process
  std::uint64_t most_pixels = most_frame_pixels;  // a larger frame is refused before it is unpacked
  ReadSettings reading{};
};

}  // namespace datum
