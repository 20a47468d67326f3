// What `datum bench fft` compares the product with.
#pragma once

#include <complex>
#include <cstddef>
#include <functional>
#include <string>

namespace datum::bench {

using Complex = std::complex<float>;

/// In-place transforms of rows by FFTW, planned with FFTW_MEASURE: spoils `rows`. Empty where this build has none.
std::function<void()> fftw_rows(Complex* rows, std::size_t points, std::size_t count, unsigned threads);
std::string fftw_version();

/// The FFT paper's algorithm, from its text: log2 n stages of one shape, value pairs 2i and 2i + 1 to i and i + n/2, from one
/// buffer to the other; the input in bit-reversed order, which the paper leaves to its reader.
void pease_transform(const Complex* in, std::size_t points, Complex* out, Complex* other);

}  // namespace datum::bench
