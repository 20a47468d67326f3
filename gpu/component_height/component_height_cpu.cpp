#include <algorithm>
#include <cmath>

#include "gpu/component_height/component_height_kernels.h"
#include "gpu/core/vector_loop.h"

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
  const FloorPass pass = floor_pass(body.x, body.y, body.a, body.b, body.c);
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    const float* z = body.z;
    std::int32_t* out = nm;
    const FloorPass p = pass;
    for (std::uint32_t i = 0; i < body.run_count; ++i) {
      const PixelRun run = body.runs[i];
      const double row = floor_at_row(p, run.row);
      for (std::int32_t k = 0; k < run.length; ++k) out[k] = height_nm(p, row, run.col + k, z[k]);
      out += run.length;
      z += run.length;
    }
  });
}

HeightMoments moments(const BodyPixels& body, const std::int32_t* nm, std::int32_t row0, std::int32_t col0,
                      Isa isa) {
  HeightMoments m;
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    const std::int32_t* heights = nm;
    for (std::uint32_t i = 0; i < body.run_count; ++i) {
      const PixelRun run = body.runs[i];
      std::int64_t n = 0, c = 0, cc = 0, h = 0, ch = 0, hh_high = 0, hh_low = 0;
      for (std::int32_t k = 0; k < run.length; ++k) {
        const std::int64_t valid = heights[k] != no_height;
        const std::int64_t col = valid * (run.col + k - col0);
        const std::int64_t height = heights[k] != no_height ? heights[k] : 0;
        n += valid;
        c += col;
        cc += col * col;
        h += height;
        ch += col * height;
        const std::int64_t square = height * height;
        hh_high += square >> 32;
        hh_low += square & 0xFFFFFFFF;
      }
      const std::int64_t row = run.row - row0;
      m.c += c;
      m.cc += cc;
      m.r += row * n;
      m.rr += row * row * n;
      m.cr += row * c;
      m.ch += ch;
      m.rh += row * h;
      m.hh_high += hh_high;
      m.hh_low += hh_low;
      heights += run.length;
    }
  });
  fold_carry(&m);
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

RankSelector::RankSelector(const std::vector<std::int32_t>& values, Isa isa)
    : values_(values), min_(values.front()), max_(values.front()) {
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    const std::int32_t* v = values.data();
    std::int32_t low = v[0], high = v[0];
    for (std::size_t i = 1; i < values.size(); ++i) {
      low = v[i] < low ? v[i] : low;
      high = v[i] > high ? v[i] : high;
    }
    min_ = low;
    max_ = high;
  });
  constexpr std::uint32_t most_bins = 4096;
  const std::uint32_t range = static_cast<std::uint32_t>(max_) - static_cast<std::uint32_t>(min_);
  while ((range >> shift_) >= most_bins) ++shift_;
  const std::size_t bins = (range >> shift_) + 2;
  below_.assign(bins, 0);
  // Neighbours often fall into one bin, and an increment waits for the one before: odd ones are counted
  // apart.
  std::vector<std::uint32_t> odd(bins, 0);
  std::size_t i = 0;
  for (; i + 2 <= values.size(); i += 2) {
    ++below_[bin_of(values[i]) + 1];
    ++odd[bin_of(values[i + 1]) + 1];
  }
  if (i < values.size()) ++below_[bin_of(values[i]) + 1];
  for (std::size_t bin = 1; bin < bins; ++bin) below_[bin] += odd[bin] + below_[bin - 1];
}

void RankSelector::at(const std::uint32_t* ranks, int count, std::int32_t* found) {
  const auto bin_of_rank = [this](std::uint32_t rank) {
    return static_cast<std::uint32_t>(std::lower_bound(below_.begin() + 1, below_.end(), rank) -
                                      below_.begin() - 1);
  };
  const std::uint32_t first = bin_of_rank(ranks[0]), width = bin_of_rank(ranks[count - 1]) - first;
  chosen_.resize(below_[first + width + 1] - below_[first] + 1);
  std::size_t n = 0;
  for (std::int32_t v : values_) {
    chosen_[n] = v;  // overwritten by the next one where it is of another bin
    n += bin_of(v) - first <= width;
  }
  auto begin = chosen_.begin();
  for (int i = 0; i < count; ++i) {
    const auto nth = chosen_.begin() + (ranks[i] - below_[first] - 1);
    std::nth_element(begin, nth, chosen_.begin() + static_cast<std::ptrdiff_t>(n));
    found[i] = *nth;
    begin = nth;  // what is below stays below
  }
}

}  // namespace datum::height
