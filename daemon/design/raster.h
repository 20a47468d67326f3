// A board as cells of one size with a set of bits each.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/design/design.h"

namespace datum::design {

class Raster {
 public:
  /// Cells of at least `pitch_mm`; larger where the board would take more than 40 million of them.
  Raster(const Point& size_mm, double pitch_mm);

  double pitch_mm() const { return pitch_; }
  int columns() const { return columns_; }
  int rows() const { return rows_; }
  std::uint16_t at(int column, int row) const { return cells_[index(column, row)]; }
  Point middle(int column, int row) const { return {(column + 0.5) * pitch_, (row + 0.5) * pitch_}; }

  /// Sets `bits` of the cells whose middles lie in the shape.
  void fill(const Box& box, double margin_mm, std::uint16_t bits);
  void fill(const Point& centre, double radius_mm, std::uint16_t bits);
  void fill(const std::vector<Polygon>& rings, std::uint16_t bits);  // even-odd
  /// With round ends.
  void fill(const Point& from, const Point& to, double width_mm, std::uint16_t bits);

  /// Calls visit(column, row, cell) for the cells whose middles lie in the box.
  template <class Visit>
  void visit(const Box& box, double margin_mm, Visit call) {
    const Polygon corners = corners_of(box, margin_mm);
    const auto [first, last] = rows_of(corners);
    for (int row = first; row <= last; ++row) {
      const auto [from, to] = span_of(corners, row);
      for (int column = from; column <= to; ++column) call(column, row, cells_[index(column, row)]);
    }
  }

 private:
  std::size_t index(int column, int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
           static_cast<std::size_t>(column);
  }
  /// First and last row, or column of a convex polygon in a row, clipped to the board; empty: first > last.
  std::pair<int, int> rows_of(const Polygon& polygon) const;
  std::pair<int, int> span_of(const Polygon& convex, int row) const;

  double pitch_;
  int columns_, rows_;
  std::vector<std::uint16_t> cells_;
};

}  // namespace datum::design
