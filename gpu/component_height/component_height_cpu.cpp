#include <algorithm>
#include <cmath>
#include <cstring>

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

namespace {

constexpr std::size_t sample_size = 512;

/// Marks those of a piece of heights that lie from `low` to `high`; the number of those below. no_height is below all.
constexpr std::size_t piece_px = 1024;
DATUM_HD std::uint32_t mark(const std::int32_t* __restrict nm, std::size_t n, std::int32_t low,
                            std::int32_t high, std::uint8_t* __restrict in) {
  std::uint32_t below = 0;
  for (std::size_t k = 0; k < n; ++k) {
    below += nm[k] < low;
    in[k] = static_cast<std::uint8_t>((nm[k] >= low) & (nm[k] <= high));
  }
  return below;
}

}  // namespace

RankSelector::RankSelector(const std::int32_t* nm, std::size_t count, std::uint32_t valid, Isa isa)
    : nm_(nm), count_(count), valid_(valid), isa_(isa) {
  if (count < 4 * sample_size) return;
  for (std::size_t i = 0; i < count; i += count / sample_size)
    if (nm[i] != no_height) sample_.push_back(nm[i]);
  std::sort(sample_.begin(), sample_.end());
}

/// Copies the heights from `low` to `high` to chosen_; the number of heights below.
std::uint32_t RankSelector::choose(std::int32_t low, std::int32_t high) {
  chosen_.clear();
  std::uint32_t below = 0;
  alignas(64) std::uint8_t in[piece_px];
  for (std::size_t from = 0; from < count_; from += piece_px) {
    const std::size_t n = std::min(piece_px, count_ - from), eights = (n + 7) / 8 * 8;
    std::fill(in + n, in + eights, std::uint8_t{0});
    vector_loop(isa_, [&]() DATUM_VECTOR_LOOP { below += mark(nm_ + from, n, low, high, in); });
    for (std::size_t k = 0; k < eights; k += 8) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, in + k, sizeof eight);
      for (; eight != 0; eight &= eight - 1)
        chosen_.push_back(nm_[from + k + static_cast<std::size_t>(__builtin_ctzll(eight)) / 8]);
    }
  }
  return below - (static_cast<std::uint32_t>(count_) - valid_);
}

void RankSelector::at(const std::uint32_t* ranks, int count, std::int32_t* found) {
  const auto size = static_cast<double>(sample_.size());
  // four standard deviations of a share in the sample, and one place
  const double reach = 2 * std::sqrt(size) + 1;
  const double first = size * ranks[0] / valid_ - reach, last = size * ranks[count - 1] / valid_ + reach;
  const std::int32_t low = first >= 0 && first < size ? sample_[static_cast<std::size_t>(first)]
                                                      : no_height + 1,
                     high = last >= 0 && last < size ? sample_[static_cast<std::size_t>(last)] : INT32_MAX;
  std::uint32_t below = choose(low, high);
  if (ranks[0] <= below || ranks[count - 1] > below + chosen_.size())
    below = choose(no_height + 1, INT32_MAX);
  auto begin = chosen_.begin();
  for (int i = 0; i < count; ++i) {
    const auto nth = chosen_.begin() + (ranks[i] - below - 1);
    std::nth_element(begin, nth, chosen_.end());
    found[i] = *nth;
    begin = nth;  // what is below stays below
  }
}

}  // namespace datum::height
