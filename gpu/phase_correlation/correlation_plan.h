// What both backends read of one reference, and what they share before and after the transforms.
#pragma once

#include <complex>
#include <vector>

#include "gpu/fft/fft.h"
#include "gpu/phase_correlation/correlation_math.h"
#include "gpu/phase_correlation/phase_correlation.h"

namespace datum::correlation {

struct Plan {
  CorrelationSettings settings;
  std::uint32_t cols, rows, bins;  // bins: of a row's spectrum, cols / 2 + 1
  Fft<float> along_rows, along_cols;
  std::vector<float> window_x, window_y;       // Tukey
  std::vector<float> gain_x, gain_y;           // low-pass of bin x, of bin y
  std::vector<std::complex<float>> reference;  // its spectrum, conjugate, by columns: bin x, then bin y
  std::uint32_t lobe;                          // px about a peak that belong to it
};

/// Throws std::invalid_argument.
Plan plan_of(const float* reference, std::uint32_t cols, std::uint32_t rows,
             const CorrelationSettings& settings);
/// Throws std::invalid_argument where a value is not finite.
void check_values(const float* values, std::size_t count, const char* what);
/// What the peaks mean. `near`: the surface at the peak and its neighbours to the left, right, above, below.
CorrelationShift shift_of(const Plan& plan, const Peak& first, const Peak& second, const float* near);

}  // namespace datum::correlation
