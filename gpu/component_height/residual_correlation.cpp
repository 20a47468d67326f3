#include "gpu/component_height/residual_correlation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "gpu/component_height/component_height_kernels.h"
#include "gpu/core/vector_loop.h"

namespace datum {
namespace {

constexpr int most_step = 255;  // of a residual
constexpr std::int32_t block = ResidualImage::block_px;

/// Largest sum of residuals over a box, and of its product with a pixel's residual.
constexpr std::int64_t most_in_box(int reach) {
  return std::int64_t{most_step} * (2 * reach + 1) * (2 * reach + 1);
}
constexpr std::int64_t most_product(int reach) { return most_step * most_in_box(reach); }

/// Blocks whose products stay within 32 bits.
constexpr std::int32_t blocks_at_once(int reach) {
  return static_cast<std::int32_t>(INT32_MAX / (most_product(reach) * block));
}

/// Sum over `length` pixels, a multiple of a block, of each pixel's residual times its box sum. column: sums over the
/// box's rows, from `reach` columns before the first pixel on.
template <int reach, class Box, class Sum>
DATUM_HD Sum box_products_of(const std::int16_t* __restrict v, const std::int16_t* __restrict column,
                             std::int32_t length) {
  Sum sum = 0;
  for (std::int32_t c = 0; c < length; ++c) {
    Box box = 0;
    for (int k = 0; k <= 2 * reach; ++k) box = static_cast<Box>(box + column[c + k]);
    sum += static_cast<Sum>(v[c] * box);
  }
  return sum;
}

/// Adds a row to the column sums and takes one from them.
DATUM_HD void slide(const std::int16_t* __restrict enters, const std::int16_t* __restrict leaves,
                    std::size_t pitch, std::int16_t* __restrict column) {
  for (std::size_t c = 0; c < pitch; ++c)
    column[c] = static_cast<std::int16_t>(column[c] + (enters[c] - leaves[c]));
}

/// The stop rule over the reaches 1, 2, 4, 8, 16; products(k) is asked for in this order while it goes on.
template <class Products>
Correlation accept(std::int64_t squares, std::uint32_t n, int fitted, Products products) {
  Correlation accepted;
  if (squares == 0 || n == 0) return accepted;
  accepted.mean_square = static_cast<double>(squares) / n;
  for (int k = 0, reach = 1; reach <= ResidualImage::most_reach; ++k, reach *= 2) {
    const double lags = (2 * reach + 1) * (2 * reach + 1);
    if (12 * lags > n) break;
    const double s = static_cast<double>(products(k)) / static_cast<double>(squares);
    const double added = s / (1 - fitted * lags / n) - accepted.sum;
    if (added <= accepted.sum * std::sqrt(2 * (lags - accepted.lags) / n)) break;
    accepted.sum += added;
    accepted.lags = lags;
    if (reach == 1) accepted.neighbour = std::min(1.0, added / 8);
  }
  return accepted;
}

}  // namespace

double Correlation::scatter(double n) const { return sum * std::sqrt(2 * lags / n); }

void ResidualImage::clear(const PixelRun* runs, std::uint32_t count) {
  const height::Window w = height::window_of(runs, count);
  first_row_ = w.row;
  first_col_ = w.col;
  rows_ = w.rows;
  const std::int32_t across = (w.cols + block - 1) / block;
  pitch_ = static_cast<std::size_t>(across * block + 2 * most_reach);
  values_.assign(static_cast<std::size_t>(w.rows + 2 * most_reach) * pitch_, 0);
  std::vector<std::uint8_t>& held = held_;  // of each block: whether it has pixels
  held.assign(static_cast<std::size_t>(w.rows) * static_cast<std::size_t>(across), 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint8_t* row =
        held.data() + static_cast<std::size_t>(runs[i].row - w.row) * static_cast<std::size_t>(across);
    const std::int32_t col = runs[i].col - w.col;
    for (std::int32_t b = col / block; b * block < col + runs[i].length; ++b) row[b] = 1;
  }
  spans_.clear();
  const std::uint8_t* at = held.data();
  for (std::int32_t row = 0; row < w.rows; ++row, at += across)
    for (std::int32_t b = 0; b < across; ++b) {
      if (!at[b]) continue;
      const std::int32_t from = b;
      while (b < across && at[b]) ++b;
      spans_.push_back({row, from * block, (b - from) * block});
    }
}

std::int64_t ResidualImage::squares(Isa isa) const {
  constexpr std::int32_t at_once = blocks_at_once(0) * block;
  std::int64_t sum = 0;
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    for (const PixelRun& span : spans_) {
      const std::int16_t* v = row(span.row) + span.col;
      for (std::int32_t left = span.length; left > 0; left -= at_once, v += at_once) {
        std::int32_t squares = 0;
        for (std::int32_t c = 0; c < (left < at_once ? left : at_once); ++c) squares += v[c] * v[c];
        sum += squares;
      }
    }
  });
  return sum;
}

template <int reach, class Box, class Sum>
std::int64_t ResidualImage::products(Isa isa) {
  static_assert(most_in_box(reach) <= std::numeric_limits<Box>::max(), "a box's sum overflows");
  static_assert(std::is_same_v<Sum, std::int64_t> || blocks_at_once(reach) > 0, "a block's sum overflows");
  // the columns' sums have 2 reach + 1 rows
  static_assert(most_step * (2 * most_reach + 1) <= INT16_MAX);
  constexpr std::int32_t at_once = std::max(1, blocks_at_once(reach)) * block;
  std::int64_t sum = 0;
  column_.assign(pitch_, 0);
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    const std::int16_t* none = values_.data();  // the border's first row
    std::int16_t* column = column_.data();
    for (std::int32_t r = -reach; r < reach; ++r) slide(row(r) - most_reach, none, pitch_, column);
    const PixelRun* span = spans_.data();
    const PixelRun* const end = span + spans_.size();
    for (std::int32_t r = 0; r < rows_; ++r) {
      const std::int16_t* leaves = r == 0 ? none : row(r - 1 - reach) - most_reach;
      slide(row(r + reach) - most_reach, leaves, pitch_, column);
      for (; span != end && span->row == r; ++span)
        for (std::int32_t done = 0; done < span->length; done += at_once) {
          const std::int32_t col = span->col + done, left = span->length - done;
          sum += box_products_of<reach, Box, Sum>(row(r) + col, column + most_reach - reach + col,
                                                  left < at_once ? left : at_once);
        }
    }
  });
  return sum;
}

BoxProducts box_products(ResidualImage& image, std::uint32_t n, int fitted, Isa isa) {
  using Products = std::int64_t (ResidualImage::*)(Isa);
  constexpr Products of_reach[] = {&ResidualImage::products<1, std::int16_t, std::int32_t>,
                                   &ResidualImage::products<2, std::int16_t, std::int32_t>,
                                   &ResidualImage::products<4, std::int16_t, std::int32_t>,
                                   &ResidualImage::products<8, std::int32_t, std::int32_t>,
                                   &ResidualImage::products<16, std::int32_t, std::int64_t>};
  BoxProducts sums;
  sums.squares = image.squares(isa);
  accept(sums.squares, n, fitted, [&](int k) { return sums.products[k] = (image.*of_reach[k])(isa); });
  return sums;
}

BoxProducts box_products(const PixelRun* runs, std::uint32_t run_count, const std::int16_t* residuals,
                         std::uint32_t n, int fitted, Isa isa) {
  ResidualImage image;
  image.clear(runs, run_count);
  for (std::uint32_t i = 0; i < run_count; residuals += runs[i].length, ++i)
    std::copy_n(residuals, runs[i].length, image.of(runs[i]));
  return box_products(image, n, fitted, isa);
}

Correlation correlation_of(const BoxProducts& sums, std::uint32_t n, int fitted) {
  return accept(sums.squares, n, fitted, [&](int k) { return sums.products[k]; });
}

}  // namespace datum
