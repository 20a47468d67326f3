// Discrete Fourier transforms of rows: n = 16 to 16384 points, a power of two, many rows at a time, float or double.
// C++17: CUDA sources include this header.
//
//   forward  X[k] = sum over i of x[i] exp(-2 pi i k / n)          inverse  x[i] = 1/n sum over k of X[k] exp(+2 pi i k / n)
//
// Relative error of the whole row (L2): below 3e-7 for float, 1e-15 for double. Every backend, instruction set and number
// of threads gives the same bytes, and a row's do not depend on the rows beside it.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>

#include "gpu/core/backend.h"

namespace datum {

namespace fft {
template <class Word>
struct Plan;
}

/// Transforms of one length, made ready. Rows lie one after the other. `in` may be `out` for complex values; otherwise they
/// must not overlap. May be used by several threads at a time.
template <class Word>  // float or double
class Fft {
 public:
  using Complex = std::complex<Word>;

  /// Throws std::invalid_argument for what is no power of two from 16 to 16384.
  explicit Fft(std::size_t points);
  ~Fft();
  Fft(Fft&&) noexcept;
  Fft& operator=(Fft&&) noexcept;

  std::size_t points() const;
  /// Bins of a row of real values: points / 2 + 1, from 0 to half the sampling rate.
  std::size_t real_bins() const { return points() / 2 + 1; }

  /// `rows` rows of points() values each.
  void forward(const Complex* in, std::size_t rows, const Backend& backend, Complex* out) const;
  void inverse(const Complex* in, std::size_t rows, const Backend& backend, Complex* out) const;
  /// Rows of points() real values; of real_bins() bins.
  void forward_real(const Word* in, std::size_t rows, const Backend& backend, Complex* out) const;
  /// The other way; the imaginary parts of the first and the last bin are taken to be 0.
  void inverse_real(const Complex* in, std::size_t rows, const Backend& backend, Word* out) const;

  /// Of complex rows, and of real ones (half the length): what the device reads too.
  const fft::Plan<Word>& plan() const;
  const fft::Plan<Word>& real_plan() const;

 private:
  struct Plans;
  std::unique_ptr<const Plans> plans_;
};

extern template class Fft<float>;
extern template class Fft<double>;

}  // namespace datum
