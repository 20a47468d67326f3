#include "calib/fringe/node_columns.h"

#include <algorithm>
#include <cmath>

namespace datum {
namespace {

struct Span {
  std::uint32_t from = 0, to = 0;  // pixels from .. to
  std::uint32_t size() const { return to - from + 1; }
};

/// At least half of the way on the image: a node may lie one cell beyond its last pixel.
Span around(std::uint32_t node_px, std::uint32_t cell_px, std::uint32_t pixels) {
  const std::uint32_t centre = std::min(node_px, pixels - 1);
  return {centre > cell_px ? centre - cell_px : 0, std::min(centre + cell_px, pixels - 1)};
}

/// Sums of the plane u = a + b x + c y about the window's centre.
struct PlaneSums {
  double n = 0, x = 0, y = 0, u = 0, xx = 0, xy = 0, yy = 0, xu = 0, yu = 0, uu = 0;
  void add(double px, double py, double pu) {
    n += 1;
    x += px;
    y += py;
    u += pu;
    xx += px * px;
    xy += px * py;
    yy += py * py;
    xu += px * pu;
    yu += py * pu;
    uu += pu * pu;
  }
};

NodeColumn plane_at(const PlaneSums& s, double x, double y, double offset_px) {
  const double mx = s.x / s.n, my = s.y / s.n, mu = s.u / s.n;
  const double cxx = s.xx - s.n * mx * mx, cxy = s.xy - s.n * mx * my, cyy = s.yy - s.n * my * my;
  const double cxu = s.xu - s.n * mx * mu, cyu = s.yu - s.n * my * mu, cuu = s.uu - s.n * mu * mu;
  const double det = cxx * cyy - cxy * cxy;
  const double b = (cxu * cyy - cyu * cxy) / det, c = (cyu * cxx - cxu * cxy) / det;
  const double dx = x - mx, dy = y - my;
  const double scatter = std::max(0.0, cuu - b * cxu - c * cyu) / (s.n - 3);
  const double lever = 1 / s.n + (dx * dx * cyy - 2 * dx * dy * cxy + dy * dy * cxx) / det;
  return {offset_px + mu + b * dx + c * dy, std::sqrt(scatter * lever)};
}

}  // namespace

std::optional<NodeColumn> column_at(const FlatStep& step, const PhaseFitSettings& s, std::uint32_t node_row,
                                    std::uint32_t node_column) {
  const Span rows = around(node_row * s.cell_px, s.cell_px, s.height);
  const Span cols = around(node_column * s.cell_px, s.cell_px, s.width);
  PlaneSums sums;
  double offset_px = 0;  // near the columns, so that no digits are lost
  for (std::uint32_t row = rows.from; row <= rows.to; ++row)
    for (std::uint32_t col = cols.from; col <= cols.to; ++col) {
      const std::size_t i = std::size_t{row} * s.width + col;
      if (step.classes[i] != FringeClass::ok) continue;
      if (sums.n == 0) offset_px = step.column_px[i];
      sums.add(static_cast<double>(col) - cols.from, static_cast<double>(row) - rows.from,
               step.column_px[i] - offset_px);
    }
  const double least = std::max(9.0, 0.5 * rows.size() * cols.size());
  if (sums.n < least || rows.size() < 3 || cols.size() < 3) return std::nullopt;
  return plane_at(sums, static_cast<double>(node_column) * s.cell_px - cols.from,
                  static_cast<double>(node_row) * s.cell_px - rows.from, offset_px);
}

}  // namespace datum
