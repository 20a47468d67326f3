#include "daemon/pictures/surface_legend.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "daemon/pictures/deviation_colors.h"
#include "daemon/pictures/picture_parts.h"

namespace datum::picture {
namespace {

constexpr int step_height = 17, swatch = 22;

std::string tolerance_of(const SurfaceRegion& r) {
  const auto limit = [](double mm) { return std::isfinite(mm) ? shown_um(1000 * mm) : std::string("-"); };
  return limit(r.lower_mm) + " .. " + limit(r.upper_mm);
}

/// The common tolerance of all regions; empty where they differ.
std::string tolerances(const SurfaceMap& map) {
  std::string all;
  for (const SurfaceRegion& r : map.regions) {
    if (!all.empty() && all != tolerance_of(r)) return "each region's own";
    all = tolerance_of(r);
  }
  return all.empty() ? "none stated" : all;
}

}  // namespace

std::string shown_um(double um) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", um);
  std::string s = text;
  s.erase(s.find_last_not_of('0') + 1);
  if (s.back() == '.') s.pop_back();
  return s == "-0" ? "0" : s;
}

void draw_surface_legend(Canvas& canvas, const PixelBox& box, const SurfaceMap& map, double range_um) {
  const int text_height = Canvas::text_height(text_scale);
  canvas.text(box.x, box.y, "deviation, um", ink, text_scale);
  int y = box.y + text_height + 12;
  for (std::size_t k = deviation_steps; k-- > 0; y += step_height) {
    canvas.fill({box.x, y, 2 * swatch, step_height}, deviation_colors[k]);
    // every third border from the outermost ones inwards: 20, 17, 14, 11 and 7, 4, 1
    if (k == 0 || k == 10 || k % 3 != (k > 10 ? 2u : 1u)) continue;
    char text[32];
    std::snprintf(text, sizeof text, "%+.4g", step_begin_um(k, range_um));
    canvas.fill({box.x + 2 * swatch, y + step_height - 1, 6, 2}, ink);
    canvas.text(box.x + 2 * swatch + 12, y + step_height - text_height / 2 - 1, text, ink, text_scale);
  }
  y += 14;
  const auto entry = [&](Rgb color, const std::string& text) {
    canvas.fill({box.x, y, swatch, swatch}, color);
    canvas.text(box.x + swatch + 10, y + (swatch - text_height) / 2, text, ink, text_scale);
    y += swatch + 8;
  };
  entry(within_color, "in tolerance:");
  canvas.text(box.x + swatch + 10, y - 6, tolerances(map), ink, text_scale);
  y += text_height + 4;
  entry(no_data_color, "NO DATA");
  entry(edge_color, "EDGE: no normal");
  entry(rim_color, "RIM: open edge");
}

void draw_surface_footer(Canvas& canvas, const PixelBox& box, double mm_per_px) {
  const double length_mm = round_step(box.width * mm_per_px / 5);
  const int length = static_cast<int>(std::lround(length_mm / mm_per_px));
  const int middle = box.y + Canvas::text_height(text_scale) / 2 - 1;
  canvas.fill({box.x, middle - 1, length, 3}, ink);
  for (int x : {box.x, box.x + length - 3}) canvas.fill({x, middle - 7, 3, 15}, ink);
  canvas.text(box.x + length + 10, box.y, shown_um(length_mm) + " mm", ink, text_scale);
  canvas.text(box.x, box.y + Canvas::text_height(text_scale) + 8,
              "a pixel is the mean of its points; + is too much material", ink, text_scale);
}

}  // namespace datum::picture
