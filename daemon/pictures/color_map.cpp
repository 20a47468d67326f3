#include "daemon/pictures/color_map.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace datum {
namespace {

double to_linear(double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); }
double to_srgb(double v) { return v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055; }

std::uint8_t byte_of(double linear) {
  return static_cast<std::uint8_t>(
      std::lround(255 * std::clamp(to_srgb(std::clamp(linear, 0.0, 1.0)), 0.0, 1.0)));
}

/// Conversion with the matrices of Ottosson's definition (color_map.h).
Rgb rgb_of(const OkLab& c) {
  const double l = std::pow(c.l + 0.3963377774 * c.a + 0.2158037573 * c.b, 3);
  const double m = std::pow(c.l - 0.1055613458 * c.a - 0.0638541728 * c.b, 3);
  const double s = std::pow(c.l - 0.0894841775 * c.a - 1.2914855480 * c.b, 3);
  return {byte_of(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          byte_of(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          byte_of(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

/// t from 0 to 1: lightness rises linearly, and hue runs from violet (300 degrees) to yellow (105). Chroma is reduced
/// where sRGB has no saturated teal.
OkLab path(double t) {
  const double hue = (300 - 195 * t) * std::numbers::pi / 180;
  const double chroma = 0.125 + 0.03 * t - 0.19 * t * (1 - t);
  return {0.26 + 0.66 * t, chroma * std::cos(hue), chroma * std::sin(hue)};
}

std::array<Rgb, 256> equal_steps() {
  constexpr int samples = 8192;
  std::vector<double> length(samples + 1, 0);
  for (int i = 1; i <= samples; ++i) {
    const OkLab p = path((i - 1.0) / samples), q = path(static_cast<double>(i) / samples);
    length[static_cast<std::size_t>(i)] =
        length[static_cast<std::size_t>(i - 1)] + std::hypot(q.l - p.l, q.a - p.a, q.b - p.b);
  }
  std::array<Rgb, 256> colors;
  for (std::size_t k = 0; k < colors.size(); ++k) {
    const double wanted = length.back() * static_cast<double>(k) / 255;
    const auto at = std::lower_bound(length.begin(), length.end(), wanted) - length.begin();
    colors[k] = rgb_of(path(static_cast<double>(std::min<std::ptrdiff_t>(at, samples)) / samples));
  }
  return colors;
}

}  // namespace

OkLab oklab_of(Rgb color) {
  const double r = to_linear(color.r / 255.0), g = to_linear(color.g / 255.0), b = to_linear(color.b / 255.0);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

const std::array<Rgb, 256>& height_colors() {
  static const std::array<Rgb, 256> colors = equal_steps();
  return colors;
}

}  // namespace datum
