#include "daemon/inspection/surface/surface_window.h"

#include <algorithm>

namespace datum {
namespace {

struct Window {
  std::uint16_t region = no_region;  // no_region: incomplete, or of several regions
  float lowest = 0, highest = 0;
};

class Windows {
 public:
  Windows(const SnapshotGrid& grid, const std::vector<std::uint16_t>& region_of_point,
          const std::vector<float>& value, int size)
      : grid_(grid), region_(region_of_point), value_(value), size_(size) {}

  std::uint32_t point(int row, int col) const {
    return grid_.point[static_cast<std::size_t>(row) * static_cast<std::size_t>(grid_.cols) +
                       static_cast<std::size_t>(col)];
  }
  /// The window with this first pixel.
  Window at(int row, int col) const {
    Window w;
    for (int r = row; r < row + size_; ++r)
      for (int c = col; c < col + size_; ++c) {
        const std::uint32_t i = point(r, c);
        if (i == no_point || region_[i] == no_region) return {};
        const bool first = r == row && c == col;
        if (!first && region_[i] != w.region) return {};
        w.region = region_[i];
        w.lowest = first ? value_[i] : std::min(w.lowest, value_[i]);
        w.highest = first ? value_[i] : std::max(w.highest, value_[i]);
      }
    return w;
  }

 private:
  const SnapshotGrid& grid_;
  const std::vector<std::uint16_t>& region_;
  const std::vector<float>& value_;
  int size_;
};

}  // namespace

std::vector<WindowExtremes> window_extremes(const std::vector<SnapshotGrid>& grids,
                                            const std::vector<std::uint16_t>& region_of_point,
                                            const std::vector<float>& value, std::size_t regions,
                                            int window_px) {
  std::vector<WindowExtremes> all(regions);
  for (const SnapshotGrid& grid : grids) {
    const Windows windows(grid, region_of_point, value, window_px);
    for (int row = 0; row + window_px <= grid.rows; ++row)
      for (int col = 0; col + window_px <= grid.cols; ++col) {
        const Window w = windows.at(row, col);
        if (w.region >= regions) continue;
        WindowExtremes& e = all[w.region];
        const std::uint32_t middle = windows.point(row + window_px / 2, col + window_px / 2);
        if (e.windows == 0 || w.lowest > e.highest) {
          e.highest = w.lowest;
          e.highest_at = middle;
        }
        if (e.windows == 0 || w.highest < e.lowest) {
          e.lowest = w.highest;
          e.lowest_at = middle;
        }
        ++e.windows;
      }
  }
  return all;
}

}  // namespace datum
