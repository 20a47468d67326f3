#include "daemon/pictures/surface_histogram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/inspection/surface/surface_statistics.h"
#include "daemon/pictures/deviation_colors.h"
#include "daemon/pictures/part_file.h"
#include "daemon/pictures/picture.h"
#include "daemon/pictures/picture_parts.h"
#include "daemon/pictures/surface_export.h"

namespace datum {
namespace {

using namespace picture;

constexpr int width = 1240, height = 600, histogram_margin = 20, left_of_bars = 110;
constexpr double beyond = 1.25;
constexpr std::size_t bins = 95;  // 19 steps of four bins, and a quarter of the range beyond

DeviationHistogram bins_of(const SurfaceMap& map, double range_um) {
  return histogram_of(map, -beyond * range_um, beyond * range_um, bins);
}

PixelBox bars_box() {
  const int line = Canvas::text_height(text_scale) + 6;
  return {left_of_bars, histogram_margin + 5 * line + 10, width - left_of_bars - histogram_margin,
          height - histogram_margin - 6 * line - 40};
}

void draw_axes(Canvas& canvas, const PixelBox& box, double range_um, double largest_mm2) {
  canvas.fill({box.x, box.y + box.height, box.width, 2}, ink);
  for (int k = -2; k <= 2; ++k) {
    const double um = k * range_um / 2;
    const int x = box.x + static_cast<int>(std::lround((um / range_um / beyond + 1) / 2 * box.width));
    const std::string text = k == 0 ? "0" : fmt::format("{:+.4g}", um);
    canvas.fill({x, box.y + box.height, 2, 8}, ink);
    canvas.text(x - Canvas::text_width(text, text_scale) / 2, box.y + box.height + 12, text, ink, text_scale);
  }
  const std::string largest = fmt::format("{:.0f}", largest_mm2);
  canvas.text(box.x - 8 - Canvas::text_width(largest, text_scale), box.y, largest, ink, text_scale);
  canvas.text(histogram_margin, box.y + Canvas::text_height(text_scale) + 6, "mm2", ink, text_scale);
}

std::vector<std::string> text_of(const SurfaceMap& map, const BoardVerdict& v, const DeviationHistogram& h) {
  const SurfaceStatistics s = statistics_of(map);
  return {fmt::format("deviation from the model, um  part {}  recipe {}  {}",
                      v.unit_id.empty() ? "-" : v.unit_id, v.recipe, v.measured_at),
          fmt::format("area {:.6g} mm2: mean {:.3f}, rms {:.3f}, P1 {:.3f}, median {:.3f}, P99 {:.3f}",
                      s.area_mm2, s.mean_um, s.rms_um, s.p1_um, s.p50_um, s.p99_um),
          fmt::format("out of tolerance {:.4g} %  below the axis {:.4g} mm2, above it {:.4g} mm2",
                      100 * s.fraction_out, h.below_mm2, h.above_mm2),
          fmt::format("points: {} FACE, {} EDGE, {} RIM, {} NO DATA; bars are of FACE", s.face, s.edge, s.rim,
                      points_without_data(map))};
}

}  // namespace

Canvas draw_histogram(const SurfaceMap& map, const BoardVerdict& verdict, double range_um) {
  const DeviationHistogram h = bins_of(map, range_um);
  Canvas canvas(width, height, paper);
  canvas.text(histogram_margin, histogram_margin, name_of(verdict.decision), color_of(verdict.decision),
              text_scale);
  const int line = Canvas::text_height(text_scale) + 6;
  int y = histogram_margin + line;
  for (const std::string& text : text_of(map, verdict, h)) {
    canvas.text(histogram_margin, y, text, ink, text_scale);
    y += line;
  }
  const PixelBox box = bars_box();
  const double largest = *std::max_element(h.area_mm2.begin(), h.area_mm2.end());
  const auto edge = [&](std::size_t k) {
    return box.x + static_cast<int>(k * static_cast<std::size_t>(box.width) / bins);
  };
  for (std::size_t k = 0; k < bins && largest > 0; ++k) {
    if (h.area_mm2[k] <= 0) continue;
    // the smallest area stays visible
    const int high = std::max(2, static_cast<int>(std::lround(h.area_mm2[k] / largest * box.height)));
    const double middle = h.lower_um + (static_cast<double>(k) + 0.5) * h.width_um;
    canvas.fill({edge(k), box.y + box.height - high, std::max(1, edge(k + 1) - edge(k) - 1), high},
                deviation_colors[deviation_step(middle, range_um)]);
  }
  draw_axes(canvas, box, range_um, largest);
  return canvas;
}

void write_histogram_picture(const std::filesystem::path& file, const SurfaceMap& map,
                             const BoardVerdict& verdict, double range_um) {
  draw_histogram(map, verdict, range_um).write_png(file);
}

void write_histogram_csv(const std::filesystem::path& file, const SurfaceMap& map,
                         const BoardVerdict& verdict, double range_um) {
  const DeviationHistogram h = bins_of(map, range_um);
  PartFile out(file);
  for (const std::string& text : provenance_of(verdict)) out.write("# " + text + "\n");
  out.write("from_um,to_um,area_mm2\n");
  const auto border = [&](std::size_t k) { return h.lower_um + static_cast<double>(k) * h.width_um; };
  out.write(fmt::format(",{:.6g},{:.9g}\n", border(0), h.below_mm2));
  for (std::size_t k = 0; k < bins; ++k)
    out.write(fmt::format("{:.6g},{:.6g},{:.9g}\n", border(k), border(k + 1), h.area_mm2[k]));
  out.write(fmt::format("{:.6g},,{:.9g}\n", border(bins), h.above_mm2));
  out.finish();
}

}  // namespace datum
