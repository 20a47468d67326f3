#include <algorithm>
#include <cmath>

#include "gpu/component_height/component_height_kernels.h"
#include "gpu/component_height/vector_loop.h"

namespace datum::height {

Window window_of(const PixelRun* runs, std::uint32_t run_count) {
  if (run_count == 0) return {};
  std::int32_t row1 = runs[0].row, col1 = runs[0].col;
  Window w{runs[0].row, runs[0].col, 0, 0};
  for (std::uint32_t i = 0; i < run_count; ++i) {
    w.row = std::min(w.row, runs[i].row);
    w.col = std::min(w.col, runs[i].col);
    row1 = std::max(row1, runs[i].row);
    col1 = std::max(col1, runs[i].col + runs[i].length - 1);
  }
  w.rows = row1 - w.row + 1;
  w.cols = col1 - w.col + 1;
  return w;
}

void quantise_heights(const BodyPixels& body, Isa isa, std::int32_t* nm) {
  const double nm_per_um = 1000.0 / std::sqrt(1.0 + body.a * body.a + body.b * body.b);
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    const float* z = body.z;
    std::int32_t* out = nm;
    const double step = body.a * body.x_per_col, scale = nm_per_um;
    for (std::uint32_t i = 0; i < body.run_count; ++i) {
      const PixelRun run = body.runs[i];
      const double y = body.y_of_row_0 + body.y_per_row * run.row;
      const double start = body.c + body.b * y + body.a * (body.x_of_col_0 + body.x_per_col * run.col);
      for (std::int32_t k = 0; k < run.length; ++k) out[k] = height_nm(z[k], start + step * k, scale);
      out += run.length;
      z += run.length;
    }
  });
}

HeightMoments moments(const BodyPixels& body, const std::int32_t* nm, std::int32_t mean_nm, std::int32_t row0,
                      std::int32_t col0) {
  HeightMoments m;
  for (std::uint32_t i = 0; i < body.run_count; ++i) {
    const PixelRun& run = body.runs[i];
    // within one row: columns up to 2^13, heights up to 2^28, so 2^54 for sums of products, 2^69 for squares
    std::int64_t n = 0, c = 0, cc = 0, h = 0, ch = 0;
    for (std::int32_t k = 0; k < run.length; ++k) {
      const std::int64_t valid = nm[k] != no_height;
      const std::int64_t col = valid * (run.col + k - col0);
      const std::int64_t height = valid * (static_cast<std::int64_t>(nm[k]) - mean_nm);
      n += valid;
      c += col;
      cc += col * col;
      h += height;
      ch += col * height;
      add(&m.hh, height * height);
    }
    const std::int64_t row = run.row - row0;
    m.n += n;
    m.c += c;
    m.cc += cc;
    m.r += row * n;
    m.rr += row * row * n;
    m.cr += row * c;
    m.h += h;
    m.ch += ch;
    m.rh += row * h;
    nm += run.length;
  }
  return m;
}

std::int32_t opened_maximum(const BodyPixels& body, const std::int32_t* nm, const Window& w,
                            std::uint32_t* patches) {
  // A missing pixel is the lowest number, so it sinks every patch that holds it.
  const std::size_t cols = static_cast<std::size_t>(w.cols);
  std::vector<std::int32_t> rows(3 * cols, no_height);
  std::vector<std::int32_t> lowest(cols);
  std::int32_t highest = no_height;
  *patches = 0;
  std::uint32_t next = 0;
  for (std::int32_t row = w.row; row < w.row + w.rows; ++row) {
    std::int32_t* newest = rows.data() + static_cast<std::size_t>((row - w.row) % 3) * cols;
    std::fill(newest, newest + cols, no_height);
    for (; next < body.run_count && body.runs[next].row == row; ++next) {
      const PixelRun& run = body.runs[next];
      std::copy(nm, nm + run.length, newest + (run.col - w.col));
      nm += run.length;
    }
    if (row < w.row + 2) continue;
    for (std::size_t c = 0; c < cols; ++c)
      lowest[c] = std::min(std::min(rows[c], rows[cols + c]), rows[2 * cols + c]);
    for (std::size_t c = 2; c < cols; ++c) {
      const std::int32_t patch = std::min(std::min(lowest[c - 2], lowest[c - 1]), lowest[c]);
      *patches += patch != no_height;
      highest = std::max(highest, patch);
    }
  }
  return highest;
}

RankSelector::RankSelector(const std::vector<std::int32_t>& values) : binned_(values.size()) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  min_ = *low;
  max_ = *high;
  constexpr std::uint32_t most_bins = 4096;
  const auto from_min = [this](std::int32_t v) {
    return static_cast<std::uint32_t>(v) - static_cast<std::uint32_t>(min_);
  };
  int shift = 0;
  while ((from_min(max_) >> shift) >= most_bins) ++shift;
  first_.assign((from_min(max_) >> shift) + 2, 0);
  for (std::int32_t v : values) ++first_[(from_min(v) >> shift) + 1];
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::int32_t v : values) binned_[next[from_min(v) >> shift]++] = v;
}

std::int32_t RankSelector::at(std::uint32_t rank) {
  const auto after = std::lower_bound(first_.begin() + 1, first_.end(), rank);
  const auto nth = binned_.begin() + (rank - 1);
  std::nth_element(binned_.begin() + *(after - 1), nth, binned_.begin() + *after);
  return *nth;
}

}  // namespace datum::height
