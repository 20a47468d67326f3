#include "daemon/inspection/registration/height_lattice.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <variant>

#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

constexpr int tile = 16;                 // samples along a tile's side
constexpr int tile_stride = 2;           // every second one of them is enough for a quantile
constexpr double quantile = 0.3;         // the floor's where bodies cover less than two thirds of a tile
constexpr std::size_t least_tiles = 12;  // twice the unknowns of a form
constexpr double widest_mm = 2;          // a warped or tilted board's tiles are within this of their median

/// The pixels that the board and its margin may cover, in the frame: [low, high].
std::optional<std::array<Eigen::Vector2i, 2>> extent(const BoardView& view, const Eigen::Vector2d& size_mm,
                                                     double margin_mm) {
  Eigen::Vector2d low = Eigen::Vector2d::Constant(1e300), high = -low;
  for (int k = 0; k < 4; ++k) {
    const Eigen::Vector2d corner(k % 2 ? size_mm.x() + margin_mm : -margin_mm,
                                 k / 2 ? size_mm.y() + margin_mm : -margin_mm);
    const Eigen::Vector2d px = view.pixel_of(corner, 0);
    low = low.cwiseMin(px);
    high = high.cwiseMax(px);
  }
  const Eigen::Vector2d last(view.cols() - 1, view.rows() - 1);
  low = low.cwiseMax(0.0);
  high = high.cwiseMin(last);
  if (!((high - low).minCoeff() >= 2 * tile)) return std::nullopt;
  return std::array<Eigen::Vector2i, 2>{low.array().ceil().cast<int>().matrix(),
                                        high.array().floor().cast<int>().matrix()};
}

/// z - nominal board plane is affine in pixel and count.
struct Plane {
  double z0, scale, p0, per_col, per_row;
  Plane(const HeightFrame& f, const BoardView& view) : z0(f.z.offset_mm), scale(f.z.scale_mm) {
    p0 = view.sensor_z_mm(view.origin());
    per_col = view.sensor_z_mm(view.origin() + view.per_col()) - p0;
    per_row = view.sensor_z_mm(view.origin() + view.per_row()) - p0;
  }
};

template <class T>
void sample_row(const HeightFrame& f, const std::vector<T>& counts, const Plane& plane, HeightLattice& l,
                int row) {
  const int pixel_row = l.first_px.y() + row * l.step;
  const std::size_t from = std::size_t(pixel_row) * std::size_t(f.cols) + std::size_t(l.first_px.x());
  const T* count = counts.data() + from;
  const PixelClass* classes = f.classes.data() + from;
  float* out = l.mm.data() + std::size_t(row) * std::size_t(l.cols);
  const double start = plane.z0 - plane.p0 - plane.per_row * pixel_row - plane.per_col * l.first_px.x();
  const double per_sample = plane.per_col * l.step;
  for (int col = 0; col < l.cols; ++col) {
    const std::size_t i = std::size_t(col) * std::size_t(l.step);
    out[col] = classes[i] == PixelClass::ok ? float(start + plane.scale * double(count[i]) - per_sample * col)
                                            : std::numeric_limits<float>::quiet_NaN();
  }
}

struct TileLevel {
  double x, y, mm;  // x, y in the form's units
};

/// Not a number: too few samples.
TileLevel tile_level(const HeightLattice& l, int r0, int c0) {
  std::array<float, (tile / tile_stride) * (tile / tile_stride)> seen{};
  std::size_t n = 0;
  for (int r = r0; r < std::min(l.rows, r0 + tile); r += tile_stride)
    for (int c = c0; c < std::min(l.cols, c0 + tile); c += tile_stride) {
      const float h = l.mm[std::size_t(r) * std::size_t(l.cols) + std::size_t(c)];
      if (std::isfinite(h)) seen[n++] = h;
    }
  if (n < seen.size() / 4) return {0, 0, std::nan("")};
  const auto at = seen.begin() + std::ptrdiff_t(quantile * double(n));
  std::nth_element(seen.begin(), at, seen.begin() + std::ptrdiff_t(n));
  const Eigen::Vector2d px =
      l.first_px.cast<double>() + l.step * Eigen::Vector2d(c0 + (tile - 1) * 0.5, r0 + (tile - 1) * 0.5);
  const Eigen::Vector2d at_form = (px - l.form.middle_px).cwiseQuotient(l.form.half_px);
  return {at_form.x(), at_form.y(), *at};
}

std::vector<TileLevel> tile_levels(const HeightLattice& l, unsigned threads) {
  const int across = (l.cols + tile - 1) / tile, down = (l.rows + tile - 1) / tile;
  std::vector<TileLevel> all(std::size_t(across) * std::size_t(down));
  parallel_for(threads, all.size(), [&](std::size_t i, unsigned) {
    all[i] = tile_level(l, int(i) / across * tile, int(i) % across * tile);
  });
  std::erase_if(all, [](const TileLevel& t) { return std::isnan(t.mm); });
  return all;
}

/// Beside the board lies a fixture, which is no part of its form. Tiles that lie in the nominal outline with all of their samples; where
/// they are too few to tell a form, those whose middle does.
std::vector<TileLevel> on_board(const std::vector<TileLevel>& all, const HeightLattice& l,
                                const BoardView& view, const Eigen::Vector2d& size_mm) {
  for (const double beside_mm : {l.cell_mm * tile / 2, 0.0}) {
    std::vector<TileLevel> in;
    for (const TileLevel& t : all) {
      const Eigen::Vector2d px = l.form.middle_px + l.form.half_px.cwiseProduct(Eigen::Vector2d(t.x, t.y));
      const Eigen::Vector2d at = view.origin() + px.x() * view.per_col() + px.y() * view.per_row();
      if ((at.array() >= beside_mm).all() && ((size_mm - at).array() >= beside_mm).all()) in.push_back(t);
    }
    if (in.size() >= least_tiles) return in;
  }
  return all;
}

constexpr int terms = 6;  // 1, x, y, x x, x y, y y
/// The products of two terms are so many moments of x and y; the terms themselves are the first ones.
using Moments = Eigen::Array<double, 16, 1>;  // the last one is 0
constexpr std::array<std::array<int, terms>, terms> moment_of{{{0, 1, 2, 3, 4, 5},
                                                               {1, 3, 4, 6, 7, 8},
                                                               {2, 4, 5, 7, 8, 9},
                                                               {3, 6, 7, 10, 11, 12},
                                                               {4, 7, 8, 11, 12, 13},
                                                               {5, 8, 9, 12, 13, 14}}};
using Six = Eigen::Array<double, terms, 1>;

Moments moments_at(double x, double y) {
  const double xx = x * x, xy = x * y, yy = y * y;
  return (Moments() << 1, x, y, xx, xy, yy, xx * x, xx * y, x * yy, yy * y, xx * xx, xx * xy, xx * yy,
          xy * yy, yy * yy, 0)
      .finished();
}

bool fit_form(const std::vector<TileLevel>& tiles, double finest_mm, BoardForm& form) {
  if (tiles.empty()) return false;
  std::vector<double> levels;
  levels.reserve(tiles.size());
  for (const TileLevel& t : tiles) levels.push_back(t.mm);
  std::nth_element(levels.begin(), levels.begin() + std::ptrdiff_t(levels.size() / 2), levels.end());
  std::vector<Moments> at;
  at.reserve(tiles.size());
  for (const TileLevel& t : tiles) at.push_back(moments_at(t.x, t.y));
  Six c = Six::Zero();
  c[0] = levels[levels.size() / 2];
  int left = 6;  // rounds at the finest scale
  for (double s = widest_mm; left > 0; s = std::max(finest_mm, s / 2)) {
    if (s <= finest_mm) --left;
    Moments sum = Moments::Zero();
    Six v = Six::Zero();
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double mm = tiles[i].mm, r = (mm - (at[i].head<terms>() * c).sum()) / s,
                   w = 1 / ((1 + r * r) * (1 + r * r));
      sum += w * at[i];
      v += (w * mm) * at[i].head<terms>();
    }
    Eigen::Matrix<double, terms, terms> m;
    for (int row = 0; row < terms; ++row)
      for (int col = 0; col < terms; ++col) m(row, col) = sum[moment_of[std::size_t(row)][std::size_t(col)]];
    for (int k = 1; k < 6; ++k) m(k, k) += 1e-3;  // of one tile: decides where too few are seen
    m(0, 0) += 1e-12;
    c = m.ldlt().solve(v.matrix()).array();
  }
  for (int k = 0; k < 6; ++k) form.c[std::size_t(k)] = c[k];
  return c.allFinite();
}

}  // namespace

double BoardForm::at(double col_px, double row_px) const {
  const double x = (col_px - middle_px.x()) / half_px.x(), y = (row_px - middle_px.y()) / half_px.y();
  return c[0] + x * (c[1] + c[3] * x + c[4] * y) + y * (c[2] + c[5] * y);
}

std::optional<HeightLattice> lattice_over(const BoardView& view, const Eigen::Vector2d& board_size_mm,
                                          const LatticeSettings& settings) {
  const auto seen = extent(view, board_size_mm, settings.margin_mm);
  if (!seen) return std::nullopt;
  HeightLattice l;
  const Eigen::Vector2i span = (*seen)[1] - (*seen)[0];
  const double pixel_mm = std::max(view.per_col().norm(), view.per_row().norm());
  l.step = std::max({1, (span.maxCoeff() + settings.most_cells) / settings.most_cells,
                     static_cast<int>(settings.cell_mm / pixel_mm)});
  l.first_px = (*seen)[0];
  l.cols = span.x() / l.step + 1;
  l.rows = span.y() / l.step + 1;
  l.cell_mm = l.step * std::max(view.per_col().norm(), view.per_row().norm());
  l.form.half_px = Eigen::Vector2d(l.cols - 1, l.rows - 1) * (l.step * 0.5);
  l.form.middle_px = l.first_px.cast<double>() + l.form.half_px;
  return l;
}

bool sample_heights(const HeightFrame& frame, const BoardView& view, const Eigen::Vector2d& board_size_mm,
                    const LatticeSettings& settings, unsigned threads, HeightLattice& l) {
  l.mm.resize(std::size_t(l.cols) * std::size_t(l.rows));
  const Plane plane(frame, view);
  std::visit(
      [&](const auto& counts) {
        parallel_for(threads, std::size_t(l.rows),
                     [&](std::size_t row, unsigned) { sample_row(frame, counts, plane, l, int(row)); });
      },
      frame.counts);
  if (!fit_form(on_board(tile_levels(l, threads), l, view, board_size_mm), settings.lowest_mm / 4, l.form))
    return false;
  parallel_for(threads, std::size_t(l.rows), [&](std::size_t row, unsigned) {
    float* out = l.mm.data() + row * std::size_t(l.cols);
    const double y = l.rows > 1 ? 2.0 * double(row) / (l.rows - 1) - 1 : 0,
                 per = l.cols > 1 ? 2.0 / (l.cols - 1) : 0;
    const auto& c = l.form.c;
    const float k0 = float(c[0] + y * (c[2] + c[5] * y)), k1 = float(c[1] + c[4] * y), k2 = float(c[3]);
    for (int col = 0; col < l.cols; ++col) {
      const float x = float(per * col - 1);
      out[col] -= k0 + x * (k1 + k2 * x);
    }
  });
  return true;
}

std::optional<HeightLattice> sample_heights(const HeightFrame& frame, const BoardView& view,
                                            const Eigen::Vector2d& board_size_mm,
                                            const LatticeSettings& settings, unsigned threads) {
  auto lattice = lattice_over(view, board_size_mm, settings);
  if (lattice && !sample_heights(frame, view, board_size_mm, settings, threads, *lattice))
    return std::nullopt;
  return lattice;
}

}  // namespace datum
