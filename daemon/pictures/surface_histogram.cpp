#include "daemon/pictures/surface_histogram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/inspection/surface/surface_statistics.h"
#include "daemon/pictures/deviation_colors.h"
#include "daemon/pictures/part_file.h"
#include "daemon/pictures/picture_parts.h"
#include "daemon/pictures/surface_export.h"

namespace datum {
namespace {

using namespace picture;

constexpr double width = 1240, height = 620, left_of_bars = 90;
constexpr double beyond = 1.25;
constexpr std::size_t bins = 95;  // 19 steps of four bins, and a quarter of the range beyond

DeviationHistogram bins_of(const SurfaceMap& map, double range_um) {
  return histogram_of(map, -beyond * range_um, beyond * range_um, bins);
}

void draw_bar_axes(Page& page, const PageBox& box, double range_um, double largest_mm2) {
  page.fill(PageBox{box.x, box.bottom(), box.width, 2}, ink);
  for (int k = -2; k <= 2; ++k) {
    const double um = k * range_um / 2, x = box.x + (um / range_um / beyond + 1) / 2 * box.width;
    const std::string text = k == 0 ? "0" : fmt::format("{:+.4g}", um);
    page.line({{x, box.bottom()}, {x, box.bottom() + 8}}, {ink, 2});
    page.text({x - Page::width_of(text) / 2, box.bottom() + 10}, text, ink);
  }
  const std::string largest = fmt::format("{:.0f}", largest_mm2);
  page.text({box.x - 8 - Page::width_of(largest), box.y}, largest, ink);
  page.text({box.x - 8 - Page::width_of("mm2"), box.y + Page::height_of() + 4}, "mm2", ink);
}

std::vector<std::string> text_of(const SurfaceMap& map, const DeviationHistogram& h) {
  const SurfaceStatistics s = statistics_of(map);
  return {fmt::format("area {:.6g} mm2: mean {:.3f}, rms {:.3f}, P1 {:.3f}, median {:.3f}, P99 {:.3f}",
                      s.area_mm2, s.mean_um, s.rms_um, s.p1_um, s.p50_um, s.p99_um),
          fmt::format("out of tolerance {:.4g} %  below the axis {:.4g} mm2, above it {:.4g} mm2",
                      100 * s.fraction_out, h.below_mm2, h.above_mm2),
          fmt::format("points: {} FACE, {} EDGE, {} RIM, {} NO DATA; bars are of FACE", s.face, s.edge, s.rim,
                      points_without_data(map))};
}

}  // namespace

Page draw_histogram(const SurfaceMap& map, const BoardVerdict& verdict, double range_um) {
  const DeviationHistogram h = bins_of(map, range_um);
  Page page(width, height, paper);
  const Header header{verdict.decision, "Deviation from the model, um", words_of(verdict)};
  draw_header(page, {margin, margin, width - 2 * margin, 0}, header);
  double y = 2 * margin + header_height(header, width - 2 * margin);
  for (const std::string& text : text_of(map, h)) {
    page.text({margin, y}, text, ink);
    y += Page::height_of() + 3;
  }
  const PageBox box{left_of_bars, y + margin, width - left_of_bars - margin, height - y - 3 * margin - 14};
  const double largest = *std::max_element(h.area_mm2.begin(), h.area_mm2.end());
  const double wide = box.width / bins;
  for (std::size_t k = 0; k < bins && largest > 0; ++k) {
    if (h.area_mm2[k] <= 0) continue;
    const double high =
        std::max(2.0, h.area_mm2[k] / largest * box.height);  // the smallest area stays visible
    const double middle = h.lower_um + (static_cast<double>(k) + 0.5) * h.width_um;
    page.fill(PageBox{box.x + static_cast<double>(k) * wide, box.bottom() - high, wide - 1, high},
              deviation_colors[deviation_step(middle, range_um)]);
  }
  draw_bar_axes(page, box, range_um, largest);
  return page;
}

void write_histogram_picture(const std::filesystem::path& file, const SurfaceMap& map,
                             const BoardVerdict& verdict, double range_um) {
  draw_histogram(map, verdict, range_um).write(file, verdict.measured_at);
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
