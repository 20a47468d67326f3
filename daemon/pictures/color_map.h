// A perceptually uniform colour map: equal steps of height have equal colour differences, and light is high.
#pragma once

#include <array>
#include <cstdint>

namespace datum {

struct Rgb {
  std::uint8_t r = 0, g = 0, b = 0;
  friend bool operator==(const Rgb&, const Rgb&) = default;
};

/// OKLab (B. Ottosson, "A perceptual color space for image processing", 2020): L 0..1 lightness, a green-red, b
/// blue-yellow.
struct OkLab {
  double l = 0, a = 0, b = 0;
};
OkLab oklab_of(Rgb color);

/// 256 colours from dark violet over teal to light yellow, equidistant along a path in OKLab with strictly rising
/// lightness.
const std::array<Rgb, 256>& height_colors();

}  // namespace datum
