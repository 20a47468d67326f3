// Pixels of one region in one snapshot, by row and column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "daemon/inspection/surface/surface_window.h"

namespace datum {

class RegionPixels {
 public:
  /// All arguments must outlive this.
  RegionPixels(const SnapshotGrid& grid, const std::vector<std::uint16_t>& region_of_point,
               const std::vector<float>& value, std::size_t region)
      : grid_(grid), region_of_point_(region_of_point), value_(value), region_(region) {}

  /// NaN where there is no pixel of the region, including beyond the last row or column.
  float at(int row, int col) const {
    constexpr float none = std::numeric_limits<float>::quiet_NaN();
    if (row >= grid_.rows || col >= grid_.cols) return none;
    const std::uint32_t p = grid_.point[static_cast<std::size_t>(row) * static_cast<std::size_t>(grid_.cols) +
                                        static_cast<std::size_t>(col)];
    return p == no_point || region_of_point_[p] != region_ ? none : value_[p];
  }

 private:
  const SnapshotGrid& grid_;
  const std::vector<std::uint16_t>& region_of_point_;
  const std::vector<float>& value_;
  std::size_t region_;
};

}  // namespace datum
