#include <algorithm>
#include <vector>

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

namespace {

/// Loops over runs go on to whole pieces, so that their ends are vectors too, as far as pixels of later runs follow.
constexpr std::int32_t piece_px = 16;
DATUM_HD std::int32_t whole_pieces(std::int32_t length, std::size_t left) {
  const std::int32_t whole = (length + piece_px - 1) / piece_px * piece_px;
  return static_cast<std::size_t>(whole) <= left ? whole : length;
}

/// Squares of so many heights, up to 2^52 each, stay within 63 bits.
constexpr std::int32_t squares_at_once = 1024;
static_assert(max_height_nm == 1 << 26);

}  // namespace

std::size_t pixels_of(const BodyPixels& body) {
  std::size_t n = 0;
  for (std::uint32_t i = 0; i < body.run_count; ++i) n += static_cast<std::size_t>(body.runs[i].length);
  return n;
}

void quantise_heights(const BodyPixels& body, Isa isa, std::int32_t* nm) {
  const FloorPass pass = floor_pass(body.x, body.y, body.a, body.b, body.c);
  std::size_t left = pixels_of(body);
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    const float* z = body.z;
    std::int32_t* out = nm;
    const FloorPass p = pass;
    for (std::uint32_t i = 0; i < body.run_count; ++i) {
      const PixelRun run = body.runs[i];
      const double row = floor_at_row(p, run.row);
      const std::int32_t length = whole_pieces(run.length, left);
      for (std::int32_t k = 0; k < length; ++k) out[k] = height_nm(p, row, run.col + k, z[k]);
      out += run.length;
      z += run.length;
      left -= static_cast<std::size_t>(run.length);
    }
  });
}

HeightMoments moments(const BodyPixels& body, const std::int32_t* nm, std::int32_t row0, std::int32_t col0,
                      Isa isa) {
  HeightMoments m;
  std::size_t left = pixels_of(body);
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    const std::int32_t* heights = nm;
    for (std::uint32_t i = 0; i < body.run_count; ++i) {
      const PixelRun run = body.runs[i];
      std::int64_t cc = 0, h = 0, ch = 0;
      std::int32_t n = 0, c = 0;  // columns within 2^12 of the middle, at most 2^13 of them
      const std::int32_t length = whole_pieces(run.length, left);
      for (std::int32_t from = 0; from < length; from += squares_at_once) {
        const std::int32_t to = length - from < squares_at_once ? length : from + squares_at_once;
        std::int64_t squares = 0;
        for (std::int32_t k = from; k < to; ++k) {
          // masks in place of choices, and products of 32 bits: else the loop takes twice as long
          const std::int32_t in = (heights[k] != no_height ? -1 : 0) & (k < run.length ? -1 : 0);
          const std::int32_t col = (run.col + k - col0) & in, height = heights[k] & in;
          n -= in;
          c += col;
          cc += std::int64_t{col} * col;
          h += height;
          ch += std::int64_t{col} * height;
          squares += std::int64_t{height} * height;
        }
        add_square(&m, squares);
      }
      const std::int64_t row = run.row - row0;
      m.c += c;
      m.cc += cc;
      m.r += row * n;
      m.rr += row * row * n;
      m.cr += row * c;
      m.ch += ch;
      m.rh += row * h;
      heights += run.length;
      left -= static_cast<std::size_t>(run.length);
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

}  // namespace datum::height
