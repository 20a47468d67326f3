#include "daemon/pictures/canvas.h"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "daemon/pictures/glyphs.h"

namespace datum {

Canvas::Canvas(int width, int height, Rgb background) : width_(width), height_(height) {
  if (width < 1 || height < 1 || width > 16384 || height > 16384)
    throw std::invalid_argument("picture: width and height must be 1 to 16384 pixels");
  rgb_.resize(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  fill({0, 0, width, height}, background);
}

Rgb Canvas::at(int x, int y) const {
  const std::size_t i =
      3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x));
  return {rgb_.at(i), rgb_.at(i + 1), rgb_.at(i + 2)};
}

void Canvas::set(int x, int y, Rgb color) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
  const std::size_t i =
      3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x));
  rgb_[i] = color.r;
  rgb_[i + 1] = color.g;
  rgb_[i + 2] = color.b;
}

void Canvas::fill(const PixelBox& box, Rgb color) {
  for (int y = box.y; y < box.y + box.height; ++y)
    for (int x = box.x; x < box.x + box.width; ++x) set(x, y, color);
}

void Canvas::line(PixelPoint from, PixelPoint to, Rgb color, int pen, Dash dash) {
  const double length = std::max(std::abs(to.x - from.x), std::abs(to.y - from.y));
  const int steps = std::max(1, static_cast<int>(std::ceil(std::min(length, 65536.0))));
  for (int i = 0; i <= steps; ++i) {
    if (dash.off > 0 && i % (dash.on + dash.off) >= dash.on) continue;
    const double t = static_cast<double>(i) / steps;
    const int x = static_cast<int>(std::lround(from.x + t * (to.x - from.x))) - (pen - 1) / 2;
    const int y = static_cast<int>(std::lround(from.y + t * (to.y - from.y))) - (pen - 1) / 2;
    fill({x, y, pen, pen}, color);
  }
}

void Canvas::outline(const std::array<PixelPoint, 4>& corners, Rgb color, int pen, Dash dash) {
  for (std::size_t i = 0; i < 4; ++i) line(corners[i], corners[(i + 1) % 4], color, pen, dash);
}

void Canvas::text(int x, int y, const std::string& text, Rgb color, int scale) {
  for (char c : text) {
    if (c < first_glyph || c > last_glyph) c = '?';
    const Glyph& glyph = glyphs[static_cast<std::size_t>(c - first_glyph)];
    for (int row = 0; row < glyph_rows; ++row)
      for (int col = 0; col < glyph_cols; ++col)
        if (glyph[static_cast<std::size_t>(row)] >> (glyph_cols - 1 - col) & 1)
          fill({x + col * scale, y + row * scale, scale, scale}, color);
    x += (glyph_cols + 1) * scale;
  }
}

int Canvas::text_width(const std::string& text, int scale) {
  return text.empty() ? 0 : static_cast<int>(text.size()) * (glyph_cols + 1) * scale - scale;
}

int Canvas::text_height(int scale) { return glyph_rows * scale; }

void Canvas::write_png(const std::filesystem::path& file) const {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width_);
  image.height = static_cast<png_uint_32>(height_);
  image.format = PNG_FORMAT_RGB;
  std::filesystem::path part = file;
  part += ".part";
  if (!png_image_write_to_file(&image, part.c_str(), 0, rgb_.data(), 0, nullptr))
    throw std::runtime_error(part.string() + ": libpng: " + image.message);
  std::filesystem::rename(part, file);
}

}  // namespace datum
