#include "daemon/inspection/surface/surface_window.h"

#include <algorithm>
#include <array>

#include "daemon/inspection/surface/pixel_row.h"
#include "gpu/core/parallel_for.h"
#include "gpu/core/vector_loop.h"

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

/// Integers in the order of the floats; of zeros one.
DATUM_HD std::int32_t ordered(float v) {
  const auto bits = static_cast<std::int32_t>(bits_of(v + 0.f));
  return bits ^ ((bits >> 31) & 0x7FFFFFFF);
}

constexpr std::int32_t of_none = no_region;

/// Of pixels, or of what begins at them: the least and the largest key, and the region of all, of_none where they differ or there is none.
struct PixelSpans {
  std::vector<std::int32_t> least, largest, region;

  explicit PixelSpans(std::size_t size) : least(size), largest(size), region(size, of_none) {}
};

/// A block of pixels. Its loops have one list each and know their length: such ones become vectors.
struct SpanBlock {
  std::array<std::int32_t, pixel_block> least, largest, region;

  __attribute__((always_inline)) SpanBlock(const PixelSpans& from, std::size_t at) {
    std::memcpy(least.data(), from.least.data() + at, sizeof least);
    std::memcpy(largest.data(), from.largest.data() + at, sizeof largest);
    std::memcpy(region.data(), from.region.data() + at, sizeof region);
  }
  __attribute__((always_inline)) void write(PixelSpans& to, std::size_t at) const {
    std::memcpy(to.least.data() + at, least.data(), sizeof least);
    std::memcpy(to.largest.data() + at, largest.data(), sizeof largest);
    std::memcpy(to.region.data() + at, region.data(), sizeof region);
  }
  /// Widens what begins at each of its places by what begins at the same of `by`.
  __attribute__((always_inline)) void widen(const SpanBlock& by) {
    for (std::size_t k = 0; k < pixel_block; ++k) least[k] = std::min(least[k], by.least[k]);
    for (std::size_t k = 0; k < pixel_block; ++k) largest[k] = std::max(largest[k], by.largest[k]);
    for (std::size_t k = 0; k < pixel_block; ++k) region[k] = region[k] == by.region[k] ? region[k] : of_none;
  }
};

/// Extremes of the windows that begin in some rows. Those of whole blocks tell which can hold a new one.
class WindowRows {
 public:
  WindowRows(const SnapshotGrid& grid, const std::vector<std::uint16_t>& region_of_point,
             const std::vector<float>& value, int size)
      : grid_(grid),
        region_of_point_(region_of_point.data()),
        value_of_point_(value.data()),
        size_(static_cast<std::size_t>(size)),
        cols_(static_cast<std::size_t>(grid.cols)),
        across_(in_blocks(cols_)),
        pixels_(across_ + size_ + pixel_block),  // a window's last pixels lie in the row, or in none
        rows_(size_ * across_),
        windows_(across_) {}

  void extremes(std::size_t from_row, std::size_t to_row, std::vector<WindowExtremes>& all) {
    vector_loop(best_isa(), [&]() DATUM_VECTOR_LOOP {
      for (std::size_t row = from_row; row + 1 < to_row + size_; ++row) {
        spread(row);
        along_row(row);
        if (row + 1 >= from_row + size_) add(row + 1 - size_, all);
      }
    });
  }

 private:
  const std::uint32_t* points(std::size_t row) const { return grid_.point.data() + row * cols_; }
  std::size_t at(std::size_t row) const { return row % size_ * across_; }

  /// The pixels of a row.
  __attribute__((always_inline)) void spread(std::size_t row) {
    std::int32_t *const least = pixels_.least.data(), *const largest = pixels_.largest.data(),
                        *const region = pixels_.region.data();
    walk_row(
        points(row), cols_,
        [&](std::size_t col, std::uint32_t first) DATUM_VECTOR_LOOP {
          std::array<std::int32_t, pixel_block> key, of;
          for (std::size_t k = 0; k < pixel_block; ++k) key[k] = ordered(value_of_point_[first + k]);
          for (std::size_t k = 0; k < pixel_block; ++k) of[k] = region_of_point_[first + k];
          std::memcpy(least + col, key.data(), sizeof key);
          std::memcpy(largest + col, key.data(), sizeof key);
          std::memcpy(region + col, of.data(), sizeof of);
        },
        [&](std::size_t col) DATUM_VECTOR_LOOP {
          for (std::size_t k = 0; k < pixel_block; ++k) region[col + k] = of_none;
        },
        [&](std::size_t col, std::uint32_t point) DATUM_VECTOR_LOOP {
          region[col] = point == no_point ? of_none : region_of_point_[point];
          if (point != no_point) least[col] = largest[col] = ordered(value_of_point_[point]);
        });
  }

  /// Pixels side by side in a row, as many as a window has; of large ones by twos, by fours and so on.
  __attribute__((always_inline)) void along_row(std::size_t row) {
    constexpr std::size_t few = 6;
    std::size_t length = 1;
    const auto widen_by = [&](std::size_t shift) DATUM_VECTOR_LOOP {
      for (std::size_t col = 0; col < across_; col += pixel_block) {
        SpanBlock block(pixels_, col);
        block.widen(SpanBlock(pixels_, col + shift));
        block.write(pixels_, col);
      }
    };
    for (; size_ > few && 2 * length <= size_; length *= 2) widen_by(length);
    if (length > 1 && length < size_) widen_by(size_ - length);
    const std::size_t out = at(row), pixels = length > 1 ? 1 : size_;
    for (std::size_t col = 0; col < across_; col += pixel_block) {
      SpanBlock block(pixels_, col);
      for (std::size_t k = 1; k < pixels; ++k) block.widen(SpanBlock(pixels_, col + k));
      block.write(rows_, out + col);
    }
  }

  /// The windows whose first row this is.
  __attribute__((always_inline)) void add(std::size_t first, std::vector<WindowExtremes>& all) {
    const auto regions = static_cast<std::int32_t>(all.size());
    for (std::size_t col = 0; col < across_; col += pixel_block) {
      SpanBlock block(rows_, at(first) + col);
      for (std::size_t row = first + 1; row < first + size_; ++row)
        block.widen(SpanBlock(rows_, at(row) + col));
      std::int32_t one = of_none;  // the least: of some windows, if of any
      for (std::size_t k = 0; k < pixel_block; ++k) one = block.region[k] < one ? block.region[k] : one;
      if (one >= regions) continue;
      std::array<std::int32_t, pixel_block> least, largest;
      for (std::size_t k = 0; k < pixel_block; ++k)
        least[k] = block.region[k] == one ? block.least[k] : INT32_MIN;
      for (std::size_t k = 0; k < pixel_block; ++k)
        largest[k] = block.region[k] == one ? block.largest[k] : INT32_MAX;
      std::int32_t count = 0, others = 0, top = INT32_MIN, bottom = INT32_MAX;
      for (std::size_t k = 0; k < pixel_block; ++k) count += block.region[k] == one ? 1 : 0;
      for (std::size_t k = 0; k < pixel_block; ++k) others += block.region[k] == of_none ? 1 : 0;
      for (std::size_t k = 0; k < pixel_block; ++k) top = least[k] > top ? least[k] : top;
      for (std::size_t k = 0; k < pixel_block; ++k) bottom = largest[k] < bottom ? largest[k] : bottom;
      WindowExtremes& e = all[static_cast<std::size_t>(one)];
      if (count + others == pixel_block && e.windows > 0 && top <= ordered(e.highest) &&
          bottom >= ordered(e.lowest)) {
        e.windows += static_cast<std::uint64_t>(count);
        continue;
      }
      for (std::size_t k = 0; k < pixel_block; ++k)
        if (block.region[k] < regions) add(first, col + k, all[static_cast<std::size_t>(block.region[k])]);
    }
  }

  float value(std::size_t row, std::size_t col) const { return value_of_point_[points(row)[col]]; }
  void add(std::size_t first, std::size_t col, WindowExtremes& e) const {
    float lowest = value(first, col), highest = lowest;
    for (std::size_t row = first; row < first + size_; ++row)
      for (std::size_t k = col; k < col + size_; ++k) {
        lowest = std::min(lowest, value(row, k));
        highest = std::max(highest, value(row, k));
      }
    const std::uint32_t at = points(first + size_ / 2)[col + size_ / 2];
    take(e, {1, highest, lowest, at, at});
  }

  const SnapshotGrid& grid_;
  const std::uint16_t* region_of_point_;
  const float* value_of_point_;
  std::size_t size_, cols_, across_;
  PixelSpans pixels_;   // of a row
  PixelSpans rows_;     // of the last rows: as many pixels of a row as a window has, from each on
  PixelSpans windows_;  // that begin in a row
};

}  // namespace

WindowSearch::WindowSearch(const std::vector<SnapshotGrid>& grids,
                           const std::vector<std::uint16_t>& region_of_point, const std::vector<float>& value,
                           std::size_t regions, int window_px)
    : region_of_point_(region_of_point), value_(value), regions_(regions), window_px_(window_px) {
  for (const SnapshotGrid& grid : grids) {
    if (grid.rows < window_px || grid.cols < window_px) continue;
    const auto rows = static_cast<std::size_t>(grid.rows - window_px + 1);
    for (std::size_t from = 0; from < rows; from += band_rows)
      bands_.push_back({&grid, from, std::min(rows, from + band_rows), {}});
  }
}

void WindowSearch::look_at(std::size_t band) {
  Band& b = bands_[band];
  std::vector<WindowExtremes> own(regions_);
  WindowRows(*b.grid, region_of_point_, value_, window_px_).extremes(b.from, b.to, own);
  b.extremes = std::move(own);
}

std::vector<WindowExtremes> WindowSearch::extremes() const {
  std::vector<WindowExtremes> all(regions_);
  for (const Band& b : bands_)
    for (std::size_t r = 0; r < regions_; ++r) take(all[r], b.extremes[r]);
  return all;
}

std::vector<WindowExtremes> window_extremes(const std::vector<SnapshotGrid>& grids,
                                            const std::vector<std::uint16_t>& region_of_point,
                                            const std::vector<float>& value, std::size_t regions,
                                            int window_px, unsigned threads) {
  WindowSearch search(grids, region_of_point, value, regions, window_px);
  parallel_for(threads, search.bands(), [&](std::size_t band, unsigned) { search.look_at(band); });
  return search.extremes();
}

}  // namespace datum
