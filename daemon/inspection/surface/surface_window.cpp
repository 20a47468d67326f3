#include "daemon/inspection/surface/surface_window.h"

#include <algorithm>

#include "daemon/inspection/surface/in_runs.h"

namespace datum {
namespace {

/// A row's or a window's pixels; no_region: incomplete, or of several regions.
struct Span {
  std::uint16_t region = no_region;
  float lowest = 0, highest = 0;

  /// With what lies behind it: of equal values the first remains.
  void join(const Span& o) {
    if (o.region != region) region = no_region;
    lowest = std::min(lowest, o.lowest);
    highest = std::max(highest, o.highest);
  }
};

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

/// Extremes of the windows that begin in some rows. A window's extremes are those of its rows' spans, so each pixel is looked at
/// once a row.
class WindowRows {
 public:
  WindowRows(const SnapshotGrid& grid, const std::vector<std::uint16_t>& region_of_point,
             const std::vector<float>& value, int size)
      : grid_(grid), region_(region_of_point), value_(value), size_(size) {
    pixels_.resize(static_cast<std::size_t>(grid.cols));
    spans_.resize(static_cast<std::size_t>(size) * windows());
  }

  void extremes(int from_row, int to_row, std::vector<WindowExtremes>& all) {
    for (int row = from_row; row < to_row + size_ - 1; ++row) {
      fill(row);
      const int first = row - size_ + 1;
      if (first < from_row) continue;
      for (std::size_t col = 0; col < windows(); ++col) add(first, col, all);
    }
  }

 private:
  std::size_t windows() const { return static_cast<std::size_t>(grid_.cols - size_ + 1); }
  Span* spans(int row) { return spans_.data() + static_cast<std::size_t>(row % size_) * windows(); }

  void fill(int row) {
    const std::uint32_t* point =
        grid_.point.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(grid_.cols);
    for (std::size_t col = 0; col < pixels_.size(); ++col) {
      const std::uint32_t i = point[col];
      pixels_[col] = i == no_point ? Span{} : Span{region_[i], value_[i], value_[i]};
    }
    Span* const of_row = spans(row);
    for (std::size_t col = 0; col < windows(); ++col) {
      of_row[col] = pixels_[col];
      for (std::size_t k = 1; k < static_cast<std::size_t>(size_); ++k) of_row[col].join(pixels_[col + k]);
    }
  }

  void add(int first_row, std::size_t col, std::vector<WindowExtremes>& all) {
    Span w = spans(first_row)[col];
    for (int row = first_row + 1; row < first_row + size_; ++row) w.join(spans(row)[col]);
    if (w.region >= all.size()) return;
    WindowExtremes& e = all[w.region];
    const auto half = static_cast<std::size_t>(size_ / 2);
    const std::uint32_t middle =
        grid_.point[(static_cast<std::size_t>(first_row) + half) * static_cast<std::size_t>(grid_.cols) +
                    col + half];
    take(e, {1, w.highest, w.lowest, middle, middle});
  }

  const SnapshotGrid& grid_;
  const std::vector<std::uint16_t>& region_;
  const std::vector<float>& value_;
  int size_;
  std::vector<Span> pixels_;
  std::vector<Span> spans_;  // of the last rows, one for each window
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
