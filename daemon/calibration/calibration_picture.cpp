#include "daemon/calibration/calibration_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calib/artefact/drawing.h"

namespace datum {

namespace {

constexpr Rgb paper{24, 26, 30}, ink{235, 235, 235}, no_height{70, 74, 80}, bad{235, 60, 40};
constexpr int margin = 14, scale = 2;

int line_height() { return Canvas::text_height(scale) + 6; }

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

void draw_legend(Canvas& canvas, int y, const std::vector<std::int8_t>& face_of) {
  std::array<std::size_t, face_count> count{};
  for (const std::int8_t face : face_of)
    if (face >= 0) ++count[static_cast<std::uint8_t>(face)];
  int x = margin;
  for (const Face face : all_faces) {
    const std::string text = fmt::format("{} {}", name_of(face), count[index_of(face)]);
    canvas.fill({x, y, 18, Canvas::text_height(scale)}, color_of(face));
    canvas.text(x + 24, y, text, ink, scale);
    x += 24 + Canvas::text_width(text, scale) + 22;
  }
}

}  // namespace

Rgb color_of(Face face) {
  constexpr Rgb colors[face_count] = {{255, 225, 90}, {250, 160, 40},  {90, 200, 255},
                                      {60, 120, 235}, {150, 235, 130}, {235, 120, 220}};
  return colors[index_of(face)];
}

Canvas draw_scan(const HeightFrame& frame, const std::vector<std::int8_t>& face_of, const std::string& title,
                 int max_px) {
  const int step = (std::max(frame.rows, frame.cols) + max_px - 1) / max_px;
  const int wide = frame.cols / step, high = frame.rows / step, top = margin + line_height();
  Canvas canvas(std::max(wide + 2 * margin, 900), top + high + 2 * line_height() + 2 * margin, paper);
  canvas.text(margin, margin, title, ink, scale);
  const auto [low, highest] = range_of(frame, step);
  for (int r = 0; r < high; ++r) {
    for (int c = 0; c < wide; ++c) {
      const int row = r * step + step / 2, col = c * step + step / 2;
      const std::size_t i = static_cast<std::size_t>(row) * static_cast<std::size_t>(frame.cols) +
                            static_cast<std::size_t>(col);
      Rgb color = no_height;
      if (frame.classes[i] == PixelClass::ok) {
        const int face = face_of.empty() ? -1 : face_of[i];
        const double share = (frame.z_mm(row, col) - low) / (highest - low);
        color = shaded(face < 0 ? Rgb{170, 170, 170} : color_of(all_faces[static_cast<std::size_t>(face)]),
                       share);
      }
      canvas.set(margin + c, top + high - 1 - r, color);
    }
  }
  const int below = top + high + margin;
  if (face_of.empty())
    canvas.text(margin, below, "the faces were not found", bad, scale);
  else
    draw_legend(canvas, below, face_of);
  canvas.text(margin, below + line_height(),
              fmt::format("sensor coordinates, x right, y up; {:.2f} mm a pixel; dark: low; slate: no height",
                          frame.x.scale_mm * step),
              ink, scale);
  return canvas;
}

Canvas draw_residuals(const std::vector<FeatureResidual>& residuals, double limit_um,
                      const std::string& title) {
  constexpr int bar = 22, names = 150, room = 640;
  double most = limit_um;
  for (const FeatureResidual& r : residuals) most = std::max(most, r.rms_um);
  const int count = static_cast<int>(residuals.size()), top = margin + 2 * line_height();
  Canvas canvas(names + room + 220, top + count * (bar + 6) + 2 * margin + line_height(), paper);
  canvas.text(margin, margin, title, ink, scale);
  const auto x_of = [&](double um) {
    return names + static_cast<int>(std::lround(um / (1.05 * most) * room));
  };
  int y = top;
  for (const FeatureResidual& r : residuals) {
    const auto face = face_named(std::string_view(r.feature).substr(0, 2));
    canvas.text(margin, y + 4, r.feature, ink, scale);
    canvas.fill({names, y, std::max(1, x_of(r.rms_um) - names), bar}, r.rms_um > limit_um ? bad
                                                                      : face              ? color_of(*face)
                                                                                          : ink);
    canvas.text(x_of(r.rms_um) + 8, y + 4, fmt::format("{:.1f} um, {} pts", r.rms_um, r.points), ink, scale);
    y += bar + 6;
  }
  const double limit = x_of(limit_um);
  canvas.line({limit, static_cast<double>(top - 4)}, {limit, static_cast<double>(y)}, bad, 2, {6, 6});
  canvas.text(margin, y + margin,
              fmt::format("rms about the drawn plane; dashed: the limit, {:.1f} um", limit_um), ink, scale);
  return canvas;
}

}  // namespace datum
