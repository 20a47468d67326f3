#include "daemon/pictures/surface_picture.h"

#include <algorithm>
#include <cmath>

#include "daemon/pictures/deviation_colors.h"
#include "daemon/pictures/picture.h"
#include "daemon/pictures/picture_parts.h"
#include "daemon/pictures/surface_legend.h"
#include "daemon/pictures/surface_pixels.h"

namespace datum {
namespace {

using namespace picture;

constexpr int surface_margin = 18, surface_gap = 12;

/// Light from the upper left behind the viewer, weak enough to keep the colours distinct.
Rgb shaded(Rgb color, const std::array<float, 3>& normal, const SurfaceView& view) {
  const Eigen::Vector3d n(normal[0], normal[1], normal[2]);
  const Eigen::Vector3d light = (view.towards - 0.35 * view.right + 0.45 * view.up).normalized();
  const double part = 0.72 + 0.28 * std::abs(n.dot(light));
  const auto dim = [&](std::uint8_t v) { return static_cast<std::uint8_t>(std::lround(part * v)); };
  return {dim(color.r), dim(color.g), dim(color.b)};
}

bool within(const SurfaceMap& map, std::uint32_t facet, double um) {
  const std::size_t r = map.region_of_facet.empty() ? no_region : map.region_of_facet[facet];
  return r < map.regions.size() && is_within(map.regions[r], um / 1000);
}

Rgb color_at(const SurfaceMap& map, SurfacePixel what, double um, std::uint32_t facet, double range_um) {
  switch (what) {
    case SurfacePixel::edge:
      return edge_color;
    case SurfacePixel::rim:
      return rim_color;
    case SurfacePixel::face:
      return within(map, facet, um) ? within_color : deviation_colors[deviation_step(um, range_um)];
    default:
      return no_data_color;
  }
}

std::vector<std::string> title_of(const BoardVerdict& v, const SurfaceView& view) {
  std::vector<std::string> words{"deviation from the model, view " + view.name};
  if (!v.unit_id.empty()) words.push_back("part " + v.unit_id);
  words.push_back("recipe " + v.recipe);
  if (!v.measured_at.empty()) words.push_back(v.measured_at);
  if (v.sequence > 0) words.push_back("result " + std::to_string(v.sequence));
  words.push_back("calibration " + v.calibration);
  return words;
}

}  // namespace

double range_of(const SurfaceMap& map) {
  double limit = 0;
  for (const SurfaceRegion& r : map.regions)
    for (const double mm : {r.lower_mm, r.upper_mm})
      if (std::isfinite(mm)) limit = std::max(limit, 1000 * std::abs(mm));
  if (limit > 0) return 2 * limit;
  for (const ModelDistance& d : map.distances)
    if (d.kind == MatchClass::face) limit = std::max(limit, 1000.0 * std::abs(d.distance));
  double round = 1;
  for (int k = 0; round < limit && k < 30; ++k) round *= k % 3 == 1 ? 2.5 : 2;  // 1, 2, 5, 10, 20, 50 ...
  return round;
}

Canvas draw_surface(const SurfaceMap& map, const BoardVerdict& verdict, const SurfaceView& view,
                    const SurfacePictureSettings& settings) {
  const double range_um = settings.range_um > 0 ? settings.range_um : range_of(map);
  const SurfaceRaster raster = look_at(*map.model, view, settings.max_px);
  const SurfacePixels pixels = pixels_of(map, view, raster, settings.reach_mm);
  const int width = std::max(raster.width, 640);
  const std::vector<std::string> title = wrap(title_of(verdict, view), width);
  const int line = Canvas::text_height(text_scale) + 6;
  const int top = surface_margin + line * (1 + static_cast<int>(title.size())) + surface_gap;
  const int high = std::max(raster.height, surface_legend_height);
  const int footer = top + high + surface_gap;
  Canvas canvas(surface_margin + width + surface_gap + surface_legend_width + surface_margin,
                footer + 2 * line + surface_margin, paper);
  canvas.text(surface_margin, surface_margin, name_of(verdict.decision), color_of(verdict.decision),
              text_scale + 1);
  for (std::size_t k = 0; k < title.size(); ++k)
    canvas.text(surface_margin, surface_margin + line * (1 + static_cast<int>(k)) + 6, title[k], ink,
                text_scale);
  const int left = surface_margin + (width - raster.width) / 2;
  for (int y = 0; y < raster.height; ++y)
    for (int x = 0; x < raster.width; ++x) {
      const std::size_t i = raster.index(x, y);
      if (raster.facet[i] == no_facet) continue;
      const Rgb color = color_at(map, pixels.what[i], pixels.um[i], raster.facet[i], range_um);
      canvas.set(left + x, top + y, shaded(color, map.model->normal[raster.facet[i]][0], view));
    }
  draw_surface_legend(canvas, {surface_margin + width + surface_gap, top, surface_legend_width, high}, map,
                      range_um);
  draw_surface_footer(canvas, {surface_margin, footer, width, 2 * line}, raster.mm_per_px);
  return canvas;
}

void write_surface_picture(const std::filesystem::path& file, const SurfaceMap& map,
                           const BoardVerdict& verdict, const SurfaceView& view,
                           const SurfacePictureSettings& settings) {
  draw_surface(map, verdict, view, settings).write_png(file);
}

}  // namespace datum
