// Convex regions of a pixel grid, row by row, and their remainder after cutting others out.
#pragma once

#include <Eigen/Core>
#include <array>
#include <utility>
#include <vector>

namespace datum {

/// Columns begin <= c < end of one row.
struct Columns {
  int begin = 0, end = 0;
  bool empty() const { return begin >= end; }
};

/// Corners of a convex quadrilateral in pixels (x the column, y the row; pixel centres at integers).
using Quad = std::array<Eigen::Vector2d, 4>;

/// First and last row that a quadrilateral touches; first > last if there is none.
std::pair<int, int> rows_of(const Quad& quad);
/// Columns whose pixel centres in a row lie inside or on the border (within 1e-9 pixels).
Columns columns_of(const Quad& quad, int row);

/// Circle of radius `radius` about `centre` in coordinates p = origin + col * per_col + row * per_row.
struct MappedCircle {
  Eigen::Vector2d origin, per_col, per_row, centre;
  double radius = 0;
};
Columns columns_of(const MappedCircle& circle, int row);

/// Disjoint, ascending pieces of one row.
class RowPieces {
 public:
  explicit RowPieces(Columns whole);
  void cut(Columns hole);
  void keep(Columns part);
  const std::vector<Columns>& pieces() const { return pieces_; }

 private:
  std::vector<Columns> pieces_;
};

}  // namespace datum
