#include "daemon/inspection/defects/bare_cells.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "daemon/inspection/registration/search_pairs.h"

namespace datum {
namespace {

constexpr int form_cells = 600;  // along the longer side
constexpr int tile_side = 12;    // cells
constexpr std::size_t least_cells = 12, least_tiles = 6;
constexpr double widest_form_mm = 2, finest_form_mm = 0.02;

std::size_t cell_index(const HeightLattice& l, int col, int row) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(l.cols) + static_cast<std::size_t>(col);
}

/// Cells whose place on the board lies in the rectangle.
template <class Visit>
void each_within(const BoardView& view, const HeightLattice& l, const BoardRect& rect, double margin_mm,
                 const Visit& visit) {
  const Eigen::Matrix2d axes = axes_of(rect);
  const Eigen::Vector2d half = rect.size_mm / 2 + Eigen::Vector2d::Constant(margin_mm);
  Eigen::Vector2d low = Eigen::Vector2d::Constant(1e9), high = -low;
  for (int k = 0; k < 4; ++k) {
    const Eigen::Vector2d corner =
        rect.centre_mm + axes * half.cwiseProduct(Eigen::Vector2d(k % 2 ? 1 : -1, k / 2 ? 1 : -1));
    const Eigen::Vector2d cell = (view.pixel_of(corner, 0) - l.first_px.cast<double>()) / l.step;
    low = low.cwiseMin(cell);
    high = high.cwiseMax(cell);
  }
  const auto bound = [](double v, int count) { return static_cast<int>(std::clamp(v, 0.0, count - 1.0)); };
  if (high.minCoeff() < 0 || low.x() > l.cols || low.y() > l.rows) return;
  for (int row = bound(std::floor(low.y()), l.rows); row <= bound(std::ceil(high.y()), l.rows); ++row)
    for (int col = bound(std::floor(low.x()), l.cols); col <= bound(std::ceil(high.x()), l.cols); ++col) {
      const Eigen::Vector2d d = axes.transpose() * (place_of_cell(view, l, col, row) - rect.centre_mm);
      if ((d.cwiseAbs().array() <= half.array()).all()) visit(cell_index(l, col, row));
    }
}

struct BareTile {
  Eigen::Matrix<double, 6, 1> terms;
  double mm;
};

std::vector<BareTile> bare_tiles(const HeightLattice& l, const std::vector<CellOf>& cells) {
  std::vector<BareTile> tiles;
  std::vector<float> mm;
  for (int row = 0; row < l.rows; row += tile_side)
    for (int col = 0; col < l.cols; col += tile_side) {
      mm.clear();
      Eigen::Vector2d middle = Eigen::Vector2d::Zero();
      for (int r = row; r < std::min(l.rows, row + tile_side); ++r)
        for (int c = col; c < std::min(l.cols, col + tile_side); ++c) {
          const std::size_t i = cell_index(l, c, r);
          if (cells[i] != CellOf::bare || !std::isfinite(l.mm[i])) continue;
          mm.push_back(l.mm[i]);
          middle += Eigen::Vector2d(c, r);
        }
      if (mm.size() < least_cells) continue;
      const auto quarter = mm.begin() + static_cast<std::ptrdiff_t>(mm.size() / 4);
      std::nth_element(mm.begin(), quarter, mm.end());
      const Eigen::Vector2d px = l.first_px.cast<double>() + l.step * middle / static_cast<double>(mm.size());
      const Eigen::Vector2d at = (px - l.form.middle_px).cwiseQuotient(l.form.half_px);
      BareTile& tile = tiles.emplace_back();
      tile.terms << 1, at.x(), at.y(), at.x() * at.x(), at.x() * at.y(), at.y() * at.y();
      tile.mm = *quarter;
    }
  return tiles;
}

}  // namespace

Eigen::Vector2d place_of_cell(const BoardView& view, const HeightLattice& l, int col, int row) {
  const Eigen::Vector2d px = l.first_px.cast<double>() + l.step * Eigen::Vector2d(col, row);
  return view.origin() + px.x() * view.per_col() + px.y() * view.per_row();
}

std::vector<CellOf> cells_of(const Recipe& recipe, const BoardView& view, const HeightLattice& l,
                             const std::vector<bool>& bad) {
  std::vector<CellOf> cells(l.mm.size(), CellOf::bare);
  const double margin_mm = std::max(recipe.floor.neighbour_margin_mm, recipe.floor.inner_margin_mm);
  const auto set = [&](CellOf kind) {
    return [&cells, kind](std::size_t i) { cells[i] = std::max(cells[i], kind); };
  };
  for (const BoardRect& rect : recipe.exclusions) each_within(view, l, rect, 0, set(CellOf::hidden));
  for (const BoardCircle& hole : recipe.holes)
    each_within(view, l, {hole.centre_mm, Eigen::Vector2d::Constant(hole.diameter_mm), 0}, 0,
                set(CellOf::hidden));
  for (std::size_t k = 0; k < recipe.components.size(); ++k) {
    const Component& c = recipe.components[k];
    const bool is_bad = k < bad.size() && bad[k];
    each_within(view, l, c.floor_outline ? *c.floor_outline : c.body, margin_mm,
                set(is_bad ? CellOf::bad_part : CellOf::hidden));
  }
  for (int row = 0; row < l.rows; ++row)  // beside the board, and a cell of its border, there is none
    for (int col = 0; col < l.cols; ++col) {
      const Eigen::Array2d at = place_of_cell(view, l, col, row).array();
      if ((at < l.cell_mm).any() || (at > recipe.board_size_mm.array() - l.cell_mm).any())
        set(CellOf::hidden)(cell_index(l, col, row));
    }
  return cells;
}

std::optional<BoardForm> bare_form(const Recipe& recipe, const HeightFrame& frame, const BoardView& view,
                                   unsigned threads) {
  LatticeSettings settings;
  settings.most_cells = form_cells;
  auto lattice = sample_heights(frame, view, recipe.board_size_mm, settings, threads);
  if (!lattice) return std::nullopt;
  const std::vector<BareTile> tiles = bare_tiles(*lattice, cells_of(recipe, view, *lattice, {}));
  if (tiles.size() < least_tiles) return std::nullopt;
  std::vector<double> levels;
  for (const BareTile& t : tiles) levels.push_back(t.mm);
  std::nth_element(levels.begin(), levels.begin() + static_cast<std::ptrdiff_t>(levels.size() / 2),
                   levels.end());
  Eigen::Matrix<double, 6, 1> c = Eigen::Matrix<double, 6, 1>::Zero();
  c[0] = levels[levels.size() / 2];
  int left = 6;  // rounds at the finest scale
  for (double s = widest_form_mm; left > 0; s = std::max(finest_form_mm, s / 2)) {
    if (s <= finest_form_mm) --left;
    Eigen::Matrix<double, 6, 6> m = Eigen::Matrix<double, 6, 6>::Identity() * 1e-6;
    Eigen::Matrix<double, 6, 1> v = Eigen::Matrix<double, 6, 1>::Zero();
    for (const BareTile& t : tiles) {
      const double r = (t.mm - t.terms.dot(c)) / s, w = 1 / ((1 + r * r) * (1 + r * r));
      m += w * t.terms * t.terms.transpose();
      v += w * t.mm * t.terms;
    }
    c = m.ldlt().solve(v);
  }
  if (!c.allFinite()) return std::nullopt;
  BoardForm form = lattice->form;
  for (std::size_t k = 0; k < 6; ++k) form.c[k] += c[static_cast<Eigen::Index>(k)];
  return form;
}

}  // namespace datum
