#include "gpu/component_height/residual_correlation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gpu/component_height/component_height_kernels.h"
#include "gpu/core/vector_loop.h"

namespace datum {
namespace {

constexpr int max_reach = 16;

/// Residuals in a window with a border of zeros, so that no box needs an edge case.
struct Padded {
  int rows = 0, cols = 0;  // without the border
  std::size_t pitch = 0;
  std::vector<std::int16_t> values;
  const std::int16_t* row(int r) const {
    return values.data() + static_cast<std::size_t>(r + max_reach) * pitch + max_reach;
  }
};

Padded scatter(const PixelRun* runs, std::uint32_t run_count, const std::int16_t* residuals) {
  const height::Window w = height::window_of(runs, run_count);
  Padded p{w.rows, w.cols, static_cast<std::size_t>(w.cols) + 2 * std::size_t{max_reach}, {}};
  p.values.assign(static_cast<std::size_t>(w.rows + 2 * max_reach) * p.pitch, 0);
  for (std::uint32_t i = 0; i < run_count; ++i) {
    const std::size_t row = static_cast<std::size_t>(runs[i].row - w.row) + max_reach;
    std::copy(
        residuals, residuals + runs[i].length,
        p.values.begin() + static_cast<std::ptrdiff_t>(row * p.pitch) + (runs[i].col - w.col + max_reach));
    residuals += runs[i].length;
  }
  return p;
}

std::int64_t sum_of_squares(const Padded& p) {
  std::int64_t sum = 0;
  for (int r = 0; r < p.rows; ++r) {
    const std::int16_t* v = p.row(r);
    std::int32_t row_sum = 0;  // 255^2 * 8192 < 2^30
    for (int c = 0; c < p.cols; ++c) row_sum += v[c] * v[c];
    sum += row_sum;
  }
  return sum;
}

/// sum_p r_p B_L(p): L is a power of two, so a box of 2 L + 1 is two boxes of L, found by doubling, and a
/// pixel.
DATUM_HD std::int64_t box_product_sum(const Padded& p, int reach, std::int32_t* column, std::int32_t* box) {
  // so many products of two residuals up to 255 and a box's pixels stay within 32 bits
  const int side = 2 * reach + 1, piece = INT32_MAX / (255 * 255 * side * side);
  for (std::size_t c = 0; c < p.pitch; ++c) column[c] = 0;
  const std::int16_t* first = p.values.data();
  for (int r = 0; r < 2 * reach; ++r)
    for (std::size_t c = 0; c < p.pitch; ++c)
      column[c] += first[static_cast<std::size_t>(r + max_reach - reach) * p.pitch + c];
  std::int64_t sum = 0;
  for (int r = 0; r < p.rows; ++r) {
    const std::int16_t* enters = first + static_cast<std::size_t>(r + max_reach + reach) * p.pitch;
    for (std::size_t c = 0; c < p.pitch; ++c) column[c] += enters[c];
    for (std::size_t c = 0; c < p.pitch; ++c) box[c] = column[c];
    for (int width = 1; width < 2 * reach; width *= 2)
      for (std::size_t c = 0; c + static_cast<std::size_t>(width) < p.pitch; ++c)
        box[c] += box[c + static_cast<std::size_t>(width)];
    const std::int16_t* v = p.row(r);
    const std::size_t left = static_cast<std::size_t>(max_reach - reach);
    // box[left + c] now covers 2 L columns; the last one is added here
    for (int from = 0; from < p.cols; from += piece) {
      const int to = from + piece < p.cols ? from + piece : p.cols;
      std::int32_t of_piece = 0;
      for (int c = from; c < to; ++c) {
        const std::size_t at = left + static_cast<std::size_t>(c);
        of_piece += v[c] * (box[at] + column[at + 2 * static_cast<std::size_t>(reach)]);
      }
      sum += of_piece;
    }
    const std::int16_t* leaves = first + static_cast<std::size_t>(r + max_reach - reach) * p.pitch;
    for (std::size_t c = 0; c < p.pitch; ++c) column[c] -= leaves[c];
  }
  return sum;
}

/// The stop rule over the reaches 1, 2, 4, 8, 16; products(k) is asked for in this order while it goes on.
template <class Products>
Correlation accept(std::int64_t squares, std::uint32_t n, int fitted, Products products) {
  Correlation accepted;
  if (squares == 0 || n == 0) return accepted;
  accepted.mean_square = static_cast<double>(squares) / n;
  for (int k = 0, reach = 1; reach <= max_reach; ++k, reach *= 2) {
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

BoxProducts box_products(const PixelRun* runs, std::uint32_t run_count, const std::int16_t* residuals,
                         std::uint32_t n, int fitted, Isa isa) {
  const Padded padded = scatter(runs, run_count, residuals);
  std::vector<std::int32_t> column(padded.pitch), box(padded.pitch);
  BoxProducts sums;
  sums.squares = sum_of_squares(padded);
  accept(sums.squares, n, fitted, [&](int k) {
    vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
      sums.products[k] = box_product_sum(padded, 1 << k, column.data(), box.data());
    });
    return sums.products[k];
  });
  return sums;
}

Correlation correlation_of(const BoxProducts& sums, std::uint32_t n, int fitted) {
  return accept(sums.squares, n, fitted, [&](int k) { return sums.products[k]; });
}

}  // namespace datum
