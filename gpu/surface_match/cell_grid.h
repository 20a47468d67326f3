// Balls sorted into the cells of grids, so that those near a facet's normal are found whatever their number: points are
// balls without a radius, measured facets lie in balls about their centroids. Balls of about one size share a grid; a row
// of cells along x is one run of balls. C++17.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "gpu/core/portable.h"

namespace datum::match {

constexpr int most_levels = 12;
constexpr std::uint32_t lanes = 8;

struct Grid {
  float low[3], high[3];  // of the balls' centres
  float cell, per_cell;
  std::uint32_t cells[3];
  std::uint32_t first_cell;  // in CellGrid::begin
  float most_radius;
};

/// Balls in the order of levels and cells, of one cell in their own order.
struct CellGrid {
  Grid grid[most_levels];
  std::uint32_t levels = 0;
  std::vector<std::uint32_t> begin;    // of each cell; one more at a level's end
  std::vector<float> x, y, z, radius;  // with `lanes` balls that are nowhere at the end; no radius: points
  std::vector<std::uint32_t> number;   // of each ball, as it was given
  float farthest = 0;                  // largest coordinate, without its sign

  std::uint32_t size() const { return static_cast<std::uint32_t>(number.size()); }
};

struct Ball {
  float x, y, z, radius;
};

DATUM_HD bool usable(const Ball& b) {
  return ::fabsf(b.x) <= 1e15f && ::fabsf(b.y) <= 1e15f && ::fabsf(b.z) <= 1e15f && b.radius <= 1e15f;
}

/// Level 0 holds balls up to `limit`, each further one four times larger ones, the last the rest.
DATUM_HD std::uint32_t level_of(float radius, float limit) {
  if (!(radius > limit)) return 0;
  std::uint32_t level = 1;
  for (float most = 4 * limit; level + 1 < most_levels && radius > most; most *= 4) ++level;
  return level;
}

/// Twice the median of some radii; none: of points.
float limit_of(std::vector<float> radii);

/// What the balls of one level take up.
struct Bounds {
  float low[3], high[3];  // of the centres
  float most_radius;
  std::uint32_t count;
};
/// first_cell is the caller's to say.
Grid grid_over(const Bounds& bounds);

/// Balls that are not finite, or farther than 1e15, are left out. `radii`: whether they count.
CellGrid cell_grid(const std::vector<Ball>& balls, bool radii);

/// What lies within `radius` of the piece of a line from -half to half. All lengths wide enough for what rounding does.
struct Tube {
  float centre[3], axis[3];
  float half, radius;
  float reach[3];  // of its box
};

/// `farthest`: largest coordinate of anything that is compared. A test in float misplaces a ball by some roundings of it, a
/// layer's side likewise: the tube is wider by 256 of them.
DATUM_HD Tube tube(const float* centre, const float* axis, float half, float radius, float farthest) {
  const float slack = (farthest + half + radius) * (1.f / 65536.f);
  Tube t;
  t.half = half + slack;
  t.radius = radius + slack;
  for (int k = 0; k < 3; ++k) {
    t.centre[k] = centre[k];
    t.axis[k] = axis[k];
    t.reach[k] = t.half * ::fabsf(axis[k]) + t.radius;
  }
  return t;
}

/// Grows with v, so what lies between two places lies between their cells.
DATUM_HD std::uint32_t cell_of(const Grid& g, int k, float v) {
  const float c = (v - g.low[k]) * g.per_cell;
  const float last = static_cast<float>(g.cells[k] - 1);
  return c > 0 ? c < last ? static_cast<std::uint32_t>(c) : g.cells[k] - 1 : 0;
}

/// Cells of a tube's box.
struct CellBox {
  std::uint32_t first[3], last[3];
};

/// The cells of a grid that a tube may touch; false: none. The tube is made wider by the grid's largest radius.
DATUM_HD bool box_of(const Grid& g, Tube* t, CellBox* box) {
  t->radius += g.most_radius;
  for (int k = 0; k < 3; ++k) {
    t->reach[k] += g.most_radius;
    const float from = t->centre[k] - t->reach[k], to = t->centre[k] + t->reach[k];
    if (!(from <= g.high[k] && to >= g.low[k])) return false;
    box->first[k] = cell_of(g, k, from);
    box->last[k] = cell_of(g, k, to);
  }
  return true;
}

struct Piece {
  float from, to;  // along the axis
};

/// The piece of the axis whose surroundings reach into a layer of cells.
DATUM_HD Piece piece_in_layer(const Grid& g, const Tube& t, int k, std::uint32_t layer, Piece piece) {
  if (t.axis[k] == 0) return piece;
  const float low = g.low[k] + static_cast<float>(layer) * g.cell;
  const float a = (low - t.radius - t.centre[k]) / t.axis[k],
              b = (low + g.cell + t.radius - t.centre[k]) / t.axis[k];
  const float first = a < b ? a : b, last = a < b ? b : a;
  return Piece{first > piece.from ? first : piece.from, last < piece.to ? last : piece.to};
}

/// The run of balls of one row, [*from, *to) of `begin`; false: the tube does not come near it.
DATUM_HD bool row_of(const Grid& g, const Tube& t, const CellBox& box, Piece piece, std::uint32_t y,
                     std::uint32_t z, std::uint32_t* from, std::uint32_t* to) {
  piece = piece_in_layer(g, t, 1, y, piece);
  if (piece.from > piece.to) return false;
  const float a = t.centre[0] + piece.from * t.axis[0], b = t.centre[0] + piece.to * t.axis[0];
  const float low = (a < b ? a : b) - t.radius, high = (a < b ? b : a) + t.radius;
  std::uint32_t first = cell_of(g, 0, low), last = cell_of(g, 0, high);
  first = first > box.first[0] ? first : box.first[0];
  last = last < box.last[0] ? last : box.last[0];
  if (first > last) return false;
  const std::uint32_t row = g.first_cell + (z * g.cells[1] + y) * g.cells[0];
  *from = row + first;
  *to = row + last + 1;
  return true;
}

}  // namespace datum::match
