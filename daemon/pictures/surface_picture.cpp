#include "daemon/pictures/surface_picture.h"

#include <algorithm>
#include <cmath>

#include "daemon/inspection/verdict/fault_text.h"
#include "daemon/pictures/color_scale.h"
#include "daemon/pictures/deviation_colors.h"
#include "daemon/pictures/label_layout.h"
#include "daemon/pictures/picture_parts.h"
#include "daemon/pictures/surface_pixels.h"

namespace datum {
namespace {

using namespace picture;

constexpr double legend_width = 190, triad_px = 38;

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

Rgb color_at(const SurfaceMap& map, SurfacePixel what, double um, std::uint32_t facet,
             const ColorScale& scale, int y) {
  switch (what) {
    case SurfacePixel::edge:
      return edge_color;
    case SurfacePixel::rim:
      return rim_color;
    case SurfacePixel::face:
      return within(map, facet, um) ? within_color : scale.at(um, y);
    default:
      return paper;
  }
}

std::string tolerance_of(const SurfaceRegion& r) {
  const auto limit = [](double mm) { return std::isfinite(mm) ? short_number(1000 * mm) : std::string("-"); };
  return limit(r.lower_mm) + " to " + limit(r.upper_mm) + " um";
}

/// The common tolerance of all regions.
std::string tolerances(const SurfaceMap& map) {
  std::string all;
  for (const SurfaceRegion& r : map.regions) {
    if (!all.empty() && all != tolerance_of(r)) return "each region's own";
    all = tolerance_of(r);
  }
  return all.empty() ? "none stated" : all;
}

void draw_legend(Page& page, const PageBox& box, const SurfaceMap& map, const ColorScale& scale) {
  const double line = Page::height_of() + 6;
  draw_color_bar(page, {box.x, box.y, color_bar_width, box.height - 5 * line}, scale);
  double y = box.bottom() - 5 * line + 8;
  const auto entry = [&](const std::string& text, auto color) {
    PixelImage swatch(18, 14, {});
    for (int v = 0; v < swatch.height; ++v)
      for (int x = 0; x < swatch.width; ++x) swatch.set(x, v, color(x, v));
    page.image({box.x, y, 18, 14}, swatch);
    page.text({box.x + 26, y}, text, ink);
    y += line;
  };
  const auto plain = [](Rgb c) { return [c](int, int) { return c; }; };
  entry("in tolerance:", plain(within_color));
  page.text({box.x + 26, y - 5}, cut(tolerances(map), legend_width - 26, small), ink, small);
  y += line - 4;
  entry("NO DATA", no_value);
  entry("EDGE: no normal", plain(edge_color));
  entry("RIM: open edge", plain(rim_color));
}

/// Axes of the model as the view shows them; one along the view is left out.
void draw_triad(Page& page, PagePoint origin, const SurfaceView& view) {
  const char* const names[] = {"x", "y", "z"};
  for (int k = 0; k < 3; ++k) {
    const double x = view.right[k] * triad_px, y = -view.up[k] * triad_px;
    if (std::hypot(x, y) > 8) draw_arrow(page, origin, {origin.x + x, origin.y + y}, names[k]);
  }
}

/// Faults of regions, those that the view shows at their extreme beside it. Returns the others.
std::vector<std::string> draw_faults(Page& page, const BoardVerdict& verdict, const SurfaceView& view,
                                     const SurfaceRaster& raster, const std::array<double, 3>& origin,
                                     const PageBox& box) {
  std::vector<std::string> texts, left_over;
  std::vector<Label> labels;
  for (const ComponentVerdict& c : verdict.components) {
    if (c.decision == Decision::pass) continue;
    const std::string text = c.reference + " " + fault_text(c);
    if (!c.region || !std::isfinite(c.region->lowest_um) || !std::isfinite(c.region->highest_um)) {
      left_over.push_back(text);
      continue;
    }
    const RegionEvidence& r = *c.region;
    const auto& mm = std::abs(r.lowest_um) > std::abs(r.highest_um) ? r.lowest_at_mm : r.highest_at_mm;
    Eigen::Vector3d place(mm[0], mm[1], mm[2]);
    for (int k = 0; k < 3; ++k) place[k] -= origin[static_cast<std::size_t>(k)];
    const Eigen::Vector3d at = raster.at(view, place);
    const auto x = static_cast<int>(std::lround(at.x())), y = static_cast<int>(std::lround(at.y()));
    const bool inside = x >= 0 && y >= 0 && x < raster.width && y < raster.height;
    // as deep as the facet there, but for the deviation itself and a slope of 70 degrees over a pixel
    const double slack =
        3 * raster.mm_per_px + std::max(std::abs(r.lowest_um), std::abs(r.highest_um)) / 1000;
    if (!inside || std::abs(raster.depth_mm[raster.index(x, y)] - at.z()) > slack) {
      left_over.push_back(text + " (not on this side)");
      continue;
    }
    const PagePoint p{box.x + at.x(), box.y + at.y()};
    for (const Pen& pen : {Pen{paper, 4.5}, Pen{ink, 2}}) page.cross(p, 7, pen);
    texts.push_back(text);
    labels.push_back(
        {{p.x - 8, p.y - 8, 16, 16}, {{Page::width_of(text) + 6, Page::height_of() + 2}}, true, false});
  }
  std::vector<PageBox> marks;
  for (const Label& label : labels) marks.push_back(label.part);
  const auto places = place_labels(labels, marks, box);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!places[i]) {
      left_over.push_back(texts[i]);
      continue;
    }
    const PageBox& b = places[i]->box;
    if (!places[i]->leader.empty()) page.line(places[i]->leader, {ink, 1.2});
    page.fill(b, paper);
    page.outline(b, {ink, 1});
    page.text({b.x + 3, b.y + 1}, texts[i], ink);
  }
  return left_over;
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

namespace {

/// What a page shows of a map.
struct Shown {
  const SurfaceRaster& raster;
  const SurfacePixels& pixels;
  std::string title, note;
  std::array<double, 3> origin;  // of the model in its file's coordinates
};

Page draw(const SurfaceMap& map, const Shown& shown, const BoardVerdict& verdict, const SurfaceView& view,
          const SurfacePictureSettings& settings) {
  const double range_um = settings.range_um > 0 ? settings.range_um : range_of(map);
  const SurfaceRaster& raster = shown.raster;
  const SurfacePixels& pixels = shown.pixels;
  std::vector<float> um;
  for (std::size_t i = 0; i < pixels.um.size(); ++i)
    if (pixels.what[i] == SurfacePixel::face) um.push_back(pixels.um[i]);
  const ColorScale scale = deviation_scale(um, range_um, 0);
  PixelImage image(raster.width, raster.height, paper);
  for (int y = 0; y < raster.height; ++y)
    for (int x = 0; x < raster.width; ++x) {
      const std::size_t i = raster.index(x, y);
      if (raster.facet[i] == no_facet) continue;
      const Rgb color = color_at(map, pixels.what[i], pixels.um[i], raster.facet[i], scale, y);
      image.set(x, y,
                pixels.what[i] == SurfacePixel::no_data
                    ? no_value(x, y)
                    : shaded(color, map.model->normal[raster.facet[i]][0], view));
    }
  const double wide = std::max(raster.width, 680), width = wide + legend_width + 3 * margin,
               inner = width - 2 * margin;
  const Header header{verdict.decision, shown.title + ", view " + view.name, words_of(verdict)};
  const double top = 2 * margin + header_height(header, inner), high = std::max(raster.height, 460);
  const PageBox box{margin + std::floor((wide - raster.width) / 2), top, static_cast<double>(raster.width),
                    static_cast<double>(raster.height)};
  const double footer = top + high + margin, line = Page::height_of() + 2;
  Page page(width, footer + 2 * triad_px + 2 * Page::height_of() + margin, paper);
  draw_header(page, {margin, margin, inner, 0}, header);
  page.image(box, image);
  std::vector<std::string> notes =
      wrap(draw_faults(page, verdict, view, raster, shown.origin, box), wide - 140);
  draw_legend(page, {margin + wide + margin, top, legend_width, high}, map, scale);
  const double triad = margin + triad_px + 14, right = triad + triad_px + 24;
  draw_triad(page, {triad, footer + triad_px + Page::height_of()}, view);
  draw_scale_bar(page, {right, footer}, wide / 5, raster.mm_per_px, {});
  notes.insert(notes.begin(), "Axes of the model. " + shown.note + "; + is too much material.");
  if (notes.size() > 5) notes.resize(5);
  for (std::size_t k = 0; k < notes.size(); ++k)
    page.text({right, footer + static_cast<double>(1 + k) * line}, notes[k], ink);
  return page;
}

}  // namespace

Page draw_surface(const SurfaceMap& map, const BoardVerdict& verdict, const SurfaceView& view,
                  const SurfacePictureSettings& settings) {
  const SurfaceRaster raster = look_at(*map.model, view, settings.max_px);
  const SurfacePixels pixels = pixels_of(map, view, raster, settings.reach_mm);
  return draw(
      map,
      {raster, pixels, "Deviation from the model", "A pixel is the mean of its points", map.model->origin},
      verdict, view, settings);
}

Page draw_facets(const SurfaceMap& map, FacetsBy by, const std::array<double, 3>& origin_mm,
                 const BoardVerdict& verdict, const SurfaceView& view,
                 const SurfacePictureSettings& settings) {
  const SurfaceRaster raster = look_at(*map.model, view, settings.max_px);
  const SurfacePixels pixels = pixels_of_facets(map, raster);
  std::array<double, 3> origin = origin_mm;
  for (std::size_t k = 0; k < 3; ++k) origin[k] += map.model->origin[k];
  const bool points = by == FacetsBy::points;
  return draw(
      map,
      {raster, pixels, points ? "Points in front of facets (PFM)" : "Surface along the facets' normals (FFM)",
       points ? "A facet is the mean of its points" : "A facet is the place that its normal meets", origin},
      verdict, view, settings);
}

void write_surface_picture(const std::filesystem::path& file, const SurfaceMap& map,
                           const BoardVerdict& verdict, const SurfaceView& view,
                           const SurfacePictureSettings& settings) {
  draw_surface(map, verdict, view, settings).write(file, verdict.measured_at);
}

}  // namespace datum
