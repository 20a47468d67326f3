#include "calib/fringe/node_columns.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gpu/lu/lu.h"

namespace datum {
namespace {

struct Span {
  std::uint32_t from = 0, to = 0;  // pixels from <= i < to
  std::uint32_t size() const { return to - from + 1; }
};

/// Clamped to the image: a node may lie one cell beyond its last pixel, and half of the span remains.
Span around(std::uint32_t node_px, std::uint32_t cell_px, std::uint32_t pixels) {
  const std::uint32_t centre = std::min(node_px, pixels - 1);
  return {centre > cell_px ? centre - cell_px : 0, std::min(centre + cell_px, pixels - 1)};
}

constexpr std::size_t terms = 6;
using Basis = std::array<double, terms>;

/// 1, x, y, x^2, x y, y^2 in cells from the node.
Basis basis_at(double x, double y) { return {1, x, y, x * x, x * y, y * y}; }

/// Weights of the surface u(x, y) at the node: its value, less (u_xx + u_yy) / 12 in cells, the mean excess
/// of linear interpolation between nodes one cell apart.
constexpr Basis wanted{1, 0, 0, -2.0 / 12, 0, -2.0 / 12};

/// Sums of the least squares of u in the basis.
struct SurfaceSums {
  std::array<double, terms * terms> normal{};
  Basis right{};
  double n = 0, uu = 0;

  void add(const Basis& f, double u) {
    n += 1;
    uu += u * u;
    for (std::size_t i = 0; i < terms; ++i) {
      right[i] += f[i] * u;
      for (std::size_t j = 0; j < terms; ++j) normal[j * terms + i] += f[i] * f[j];
    }
  }
};

std::optional<NodeColumn> taken_of(const SurfaceSums& s, double offset_px, const Backend& backend) {
  const LuSystem<double> system(s.normal.data(), terms, backend);
  if (system.status() != LuStatus::ok) return std::nullopt;
  Basis fitted = s.right, lever = wanted;
  system.solve_plain(fitted.data(), 1);
  system.solve_plain(lever.data(), 1);
  NodeColumn node;
  double explained = 0, gain = 0;
  for (std::size_t i = 0; i < terms; ++i) {
    node.u_px += wanted[i] * fitted[i];
    gain += wanted[i] * lever[i];
    explained += fitted[i] * s.right[i];
  }
  node.u_px += offset_px;
  node.sigma_px = std::sqrt(std::max(0.0, s.uu - explained) / (s.n - terms) * std::max(0.0, gain));
  return node;
}

}  // namespace

std::optional<NodeColumn> column_at(const FlatStep& step, const PhaseFitSettings& s, std::uint32_t node_row,
                                    std::uint32_t node_column, const Backend& backend) {
  const Span rows = around(node_row * s.cell_px, s.cell_px, s.height);
  const Span cols = around(node_column * s.cell_px, s.cell_px, s.width);
  const double least = std::max(9.0, 0.5 * rows.size() * cols.size());
  SurfaceSums sums;
  double offset_px = 0;  // near the columns' values, to keep precision
  const double cell = s.cell_px;
  for (std::uint32_t row = rows.from; row <= rows.to; ++row)
    for (std::uint32_t col = cols.from; col <= cols.to; ++col) {
      const std::size_t i = std::size_t{row} * s.width + col;
      if (step.classes[i] != FringeClass::ok) continue;
      if (sums.n == 0) offset_px = step.column_px[i];
      sums.add(basis_at(col / cell - node_column, row / cell - node_row), step.column_px[i] - offset_px);
    }
  if (sums.n < least || rows.size() < 3 || cols.size() < 3) return std::nullopt;
  return taken_of(sums, offset_px, backend);
}

}  // namespace datum
