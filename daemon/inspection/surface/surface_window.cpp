#include "daemon/inspection/surface/surface_window.h"

#include <algorithm>

#include "daemon/inspection/surface/in_runs.h"

namespace datum {
namespace {

/// Extremes of windows that follow those of `e`; of equal ones the first remain.
void take(WindowExtremes& e, const WindowExtremes& next) {
  if (next.windows == 0) return;
  if (e.windows == 0 || next.highest > e.highest) {
    e.highest = next.highest;
    e.highest_at = next.highest_at;
  }
  if (e.windows == 0 || next.lowest < e.lowest) {
    e.lowest = next.lowest;
    e.lowest_at = next.lowest_at;
  }
  e.windows += next.windows;
}

/// Extremes of the windows that begin in some rows. A window whose middle lies between the extremes so far changes none: its lowest
/// pixel is not above its middle, its highest not below.
class WindowRows {
 public:
  WindowRows(const SnapshotGrid& grid, const std::vector<std::uint16_t>& region_of_point,
             const std::vector<float>& value, int size)
      : grid_(grid),
        region_of_point_(region_of_point),
        value_of_point_(value),
        size_(static_cast<std::size_t>(size)),
        cols_(static_cast<std::size_t>(grid.cols)),
        region_(cols_, no_region),
        rows_(cols_),
        value_(size_ * cols_) {}

  void extremes(int from_row, int to_row, std::vector<WindowExtremes>& all) {
    for (auto row = static_cast<std::size_t>(from_row); row + 1 < static_cast<std::size_t>(to_row) + size_;
         ++row) {
      fill(row);
      for (std::size_t col = 0; col + size_ <= cols_; ++col)
        if (rows_[col] >= size_ && region_[col] < all.size()) add(row + 1 - size_, col, all[region_[col]]);
    }
  }

 private:
  const std::uint32_t* points(std::size_t row) const { return grid_.point.data() + row * cols_; }
  float* values(std::size_t row) { return value_.data() + row % size_ * cols_; }

  void fill(std::size_t row) {
    float* const value = values(row);
    std::uint16_t right = no_region;
    std::size_t alike = 0;  // pixels from here to the right of one region
    for (std::size_t col = cols_; col-- > 0;) {
      const std::uint32_t p = points(row)[col];
      const std::uint16_t region = p == no_point ? no_region : region_of_point_[p];
      value[col] = p == no_point ? 0 : value_of_point_[p];
      alike = region == right ? alike + 1 : 1;
      right = region;
      rows_[col] = alike < size_ ? 0 : region == region_[col] ? rows_[col] + 1 : 1;
      region_[col] = region;
    }
  }

  void add(std::size_t first, std::size_t col, WindowExtremes& e) {
    const std::size_t half = size_ / 2;
    const float middle = values(first + half)[col + half];
    if (e.windows++ > 0 && middle <= e.highest && middle >= e.lowest) return;
    float lowest = values(first)[col], highest = lowest;
    for (std::size_t row = first; row < first + size_; ++row)
      for (std::size_t k = col; k < col + size_; ++k) {
        lowest = std::min(lowest, values(row)[k]);
        highest = std::max(highest, values(row)[k]);
      }
    const std::uint32_t at = points(first + half)[col + half];
    if (e.windows == 1 || lowest > e.highest) {
      e.highest = lowest;
      e.highest_at = at;
    }
    if (e.windows == 1 || highest < e.lowest) {
      e.lowest = highest;
      e.lowest_at = at;
    }
  }

  const SnapshotGrid& grid_;
  const std::vector<std::uint16_t>& region_of_point_;
  const std::vector<float>& value_of_point_;
  std::size_t size_, cols_;
  std::vector<std::uint16_t> region_;  // of the last row's pixels
  std::vector<std::size_t>
      rows_;  // up to the last one, in which size_ pixels from here on are of one region, the same in all
  std::vector<float> value_;  // of the last rows
};

}  // namespace

std::vector<WindowExtremes> window_extremes(const std::vector<SnapshotGrid>& grids,
                                            const std::vector<std::uint16_t>& region_of_point,
                                            const std::vector<float>& value, std::size_t regions,
                                            int window_px, unsigned threads) {
  constexpr std::size_t band = 32;  // rows of windows
  std::vector<WindowExtremes> all(regions);
  for (const SnapshotGrid& grid : grids) {
    if (grid.rows < window_px || grid.cols < window_px) continue;
    const auto rows = static_cast<std::size_t>(grid.rows - window_px + 1);
    std::vector<std::vector<WindowExtremes>> of_band(runs_of(rows, band));
    in_runs(
        threads, rows,
        [&](std::size_t run, std::size_t from, std::size_t to) {
          std::vector<WindowExtremes> own(regions);
          WindowRows(grid, region_of_point, value, window_px)
              .extremes(static_cast<int>(from), static_cast<int>(to), own);
          of_band[run] = std::move(own);
        },
        band);
    for (const std::vector<WindowExtremes>& some : of_band)
      for (std::size_t r = 0; r < regions; ++r) take(all[r], some[r]);
  }
  return all;
}

}  // namespace datum
