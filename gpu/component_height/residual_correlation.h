// How much neighbouring residuals resemble each other, as the one number that divides n: neighbouring
// pixels of a height map are not independent.
//
// Sum over all two-dimensional lags of the autocorrelation, S = sum rho(i, j), so that the variance of a
// mean of n pixels is s^2 S / n (METROLOGY S9, there for one dimension: 1 + 2 sum rho_k). Estimated without
// a list of lags: the sum over all lags within a square |i|, |j| <= L is sum_p r_p B_L(p) / sum_p r_p^2
// with B_L the box sum of the residuals around p, pixels outside the region counting as 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/component_height/box_products.h"
#include "gpu/core/backend.h"
#include "gpu/core/pixel_run.h"

namespace datum {

struct Correlation {
  double sum = 1;          // S >= 1
  double lags = 1;         // number of lags in the accepted square, 1 where there is only the pixel itself
  double neighbour = 0;    // mean rho of the eight nearest neighbours, 0 to 1
  double mean_square = 0;  // of the residuals as given (steps squared): what S is relative to
  /// Standard deviation of S from n residuals: S sqrt(2 lags / n).
  double scatter(double n) const;
};

/// Residuals of a region in a window with a border of zeros, so that no box needs an edge case. Memory is kept from region to
/// region.
class ResidualImage {
 public:
  static constexpr std::int32_t block_px = 32;
  static constexpr int most_reach = 16;

  /// A window for these runs, all residuals 0.
  void clear(const PixelRun* runs, std::uint32_t count);
  /// Where the residuals of one of these runs lie: |r| <= 255 steps, 0 where there is none.
  std::int16_t* of(const PixelRun& run) {
    return values_.data() + at(run.row - first_row_) + static_cast<std::size_t>(run.col - first_col_);
  }

 private:
  friend BoxProducts box_products(ResidualImage& image, std::uint32_t n, int fitted, Isa isa);
  std::size_t at(std::int32_t row) const {
    return static_cast<std::size_t>(row + most_reach) * pitch_ + most_reach;
  }
  const std::int16_t* row(std::int32_t r) const { return values_.data() + at(r); }
  std::int64_t squares(Isa isa) const;
  template <int reach, class Box, class Sum>
  std::int64_t products(Isa isa);

  std::int32_t first_row_ = 0, first_col_ = 0, rows_ = 0;
  std::size_t pitch_ = 0;
  std::vector<std::int16_t> values_, column_;
  std::vector<std::uint8_t> held_;
  std::vector<PixelRun> spans_;  // blocks that hold pixels, side by side; rows and columns of the window
};

/// Products of the window's residuals, of which `n` are of pixels that have one; `fitted` parameters were fitted to them. Products
/// of reaches that the stop rule of correlation_of never looks at stay 0.
BoxProducts box_products(ResidualImage& image, std::uint32_t n, int fitted, Isa isa);
/// The same of residuals in run order.
BoxProducts box_products(const PixelRun* runs, std::uint32_t run_count, const std::int16_t* residuals,
                         std::uint32_t n, int fitted, Isa isa);

/// S >= 1 of n residuals to which `fitted` parameters were fitted.
///
/// Stop rule: L = 1, 2, 4, 8, 16; the last L is taken that added more than one standard deviation of what m
/// further lags add where there is no further correlation, S sqrt(2 m / n) (Bartlett), as long as the lags
/// are fewer than n / 12. A higher bar would cut off tails, a lower one would add up chance. The fit pulls
/// every rho down by about S / n for each parameter; that is undone by 1 / (1 - fitted m / n).
Correlation correlation_of(const BoxProducts& sums, std::uint32_t n, int fitted);

}  // namespace datum
