// An RGB image with lines, polygons and text, written as PNG.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "daemon/pictures/color_map.h"

namespace datum {

/// Pixel coordinates: x right, y down, (0, 0) is the centre of the upper left pixel.
struct PixelPoint {
  double x = 0, y = 0;
};

struct PixelBox {
  int x = 0, y = 0, width = 0, height = 0;
  bool overlaps(const PixelBox& o) const {
    return x < o.x + o.width && o.x < x + width && y < o.y + o.height && o.y < y + height;
  }
  bool within(const PixelBox& o) const {
    return x >= o.x && y >= o.y && x + width <= o.x + o.width && y + height <= o.y + o.height;
  }
};

/// Dash pattern of a line: `on` pixels drawn, `off` left out; off = 0: solid.
struct Dash {
  int on = 1, off = 0;
};

class Canvas {
 public:
  /// Throws std::invalid_argument for a size outside 1..16384.
  Canvas(int width, int height, Rgb background);

  int width() const { return width_; }
  int height() const { return height_; }
  Rgb at(int x, int y) const;
  /// Clips at the borders of the image.
  void set(int x, int y, Rgb color);
  void fill(const PixelBox& box, Rgb color);
  /// Square pen of `pen` pixels.
  void line(PixelPoint from, PixelPoint to, Rgb color, int pen, Dash dash = {});
  void outline(const std::array<PixelPoint, 4>& corners, Rgb color, int pen, Dash dash = {});
  /// Upper left corner at (x, y); characters outside of printable ASCII appear as '?'.
  void text(int x, int y, const std::string& text, Rgb color, int scale);

  static int text_width(const std::string& text, int scale);
  static int text_height(int scale);

  /// Replaces the file atomically. Throws std::runtime_error that names it.
  void write_png(const std::filesystem::path& file) const;

 private:
  int width_, height_;
  std::vector<std::uint8_t> rgb_;
};

}  // namespace datum
