#include "daemon/calibration/calibration_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calib/artefact/drawing.h"
#include "daemon/pictures/color_scale.h"
#include "daemon/pictures/picture_parts.h"

namespace datum {

namespace {

using picture::ink, picture::margin, picture::paper;

constexpr Rgb bad{205, 32, 20};

double line_height() { return std::ceil(Page::height_of() + 5); }

/// Range of the heights, in mm; pixels without one are left out.
std::pair<double, double> range_of(const HeightFrame& frame, int step) {
  double low = 1e300, high = -1e300;
  for (int row = 0; row < frame.rows; row += step) {
    for (int col = 0; col < frame.cols; col += step) {
      if (frame.class_at(row, col) != PixelClass::ok) continue;
      low = std::min(low, frame.z_mm(row, col));
      high = std::max(high, frame.z_mm(row, col));
    }
  }
  return {low, std::max(high, low + 1e-3)};
}

/// A colour darkened to what the height leaves of it: from 45 to 100 %.
Rgb shaded(Rgb c, double share) {
  const double f = 0.45 + 0.55 * std::clamp(share, 0.0, 1.0);
  const auto dim = [f](std::uint8_t v) { return static_cast<std::uint8_t>(std::lround(v * f)); };
  return {dim(c.r), dim(c.g), dim(c.b)};
}

void draw_legend(Page& page, double y, const std::vector<std::int8_t>& face_of) {
  std::array<std::size_t, face_count> count{};
  for (const std::int8_t face : face_of)
    if (face >= 0) ++count[static_cast<std::uint8_t>(face)];
  double x = margin;
  for (const Face face : all_faces) {
    const std::string text = fmt::format("{} {}", name_of(face), count[index_of(face)]);
    page.fill(PageBox{x, y, 18, 16}, color_of(face));
    page.text({x + 24, y}, text, ink);
    x += 24 + Page::width_of(text) + 22;
  }
}

}  // namespace

Rgb color_of(Face face) {
  constexpr Rgb colors[face_count] = {{255, 225, 90}, {250, 160, 40},  {90, 200, 255},
                                      {60, 120, 235}, {150, 235, 130}, {235, 120, 220}};
  return colors[index_of(face)];
}

Page draw_scan(const HeightFrame& frame, const std::vector<std::int8_t>& face_of, const std::string& title,
               int max_px) {
  const int step = (std::max(frame.rows, frame.cols) + max_px - 1) / max_px;
  const int wide = frame.cols / step, high = frame.rows / step;
  const double top = margin + line_height(), below = top + high + margin;
  Page page(std::max(wide + 2 * margin, 900.0), below + 2 * line_height() + margin, paper);
  page.text({margin, margin}, title, ink);
  PixelImage image(wide, high, paper);
  const auto [low, highest] = range_of(frame, step);
  for (int r = 0; r < high; ++r) {
    for (int c = 0; c < wide; ++c) {
      const int row = r * step + step / 2, col = c * step + step / 2;
      const std::size_t i = static_cast<std::size_t>(row) * static_cast<std::size_t>(frame.cols) +
                            static_cast<std::size_t>(col);
      Rgb color = picture::no_value(c, r);
      if (frame.classes[i] == PixelClass::ok) {
        const int face = face_of.empty() ? -1 : face_of[i];
        const double share = (frame.z_mm(row, col) - low) / (highest - low);
        color = shaded(face < 0 ? Rgb{170, 170, 170} : color_of(all_faces[static_cast<std::size_t>(face)]),
                       share);
      }
      image.set(c, high - 1 - r, color);
    }
  }
  page.image({margin, top, static_cast<double>(wide), static_cast<double>(high)}, image);
  if (face_of.empty())
    page.text({margin, below}, "the faces were not found", bad);
  else
    draw_legend(page, below, face_of);
  page.text({margin, below + line_height()},
            fmt::format("sensor coordinates, x right, y up; {:.2f} mm a pixel; dark: low; striped: no height",
                        frame.x.scale_mm * step),
            ink);
  return page;
}

Page draw_residuals(const std::vector<FeatureResidual>& residuals, double limit_um,
                    const std::string& title) {
  constexpr double bar = 22, names = 150, room = 640;
  double most = limit_um;
  for (const FeatureResidual& r : residuals) most = std::max(most, r.rms_um);
  const double top = margin + 2 * line_height();
  Page page(names + room + 220,
            top + static_cast<double>(residuals.size()) * (bar + 6) + 2 * margin + line_height(), paper);
  page.text({margin, margin}, title, ink);
  const auto x_of = [&](double um) { return names + um / (1.05 * most) * room; };
  double y = top;
  for (const FeatureResidual& r : residuals) {
    const auto face = face_named(std::string_view(r.feature).substr(0, 2));
    page.text({margin, y + 3}, r.feature, ink);
    const Rgb color = r.rms_um > limit_um ? bad : face ? color_of(*face) : ink;
    page.fill(PageBox{names, y, std::max(1.0, x_of(r.rms_um) - names), bar}, color);
    page.text({x_of(r.rms_um) + 8, y + 3}, fmt::format("{:.1f} um, {} pts", r.rms_um, r.points), ink);
    y += bar + 6;
  }
  page.line({{x_of(limit_um), top - 4}, {x_of(limit_um), y}}, {bad, 2, {6, 6}});
  page.text({margin, y + margin},
            fmt::format("rms about the drawn plane; dashed: the limit, {:.1f} um", limit_um), ink);
  return page;
}

}  // namespace datum
