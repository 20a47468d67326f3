// Transforms on a CUDA device. C++17.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>

#include "gpu/core/cuda_types.h"
#include "gpu/fft/fft.h"

namespace datum {

/// Results are byte for byte those of Fft on the CPU. Members throw GpuError. One object is used by one thread at a time.
template <class Word>  // float or double
class CudaFft {
 public:
  using Complex = std::complex<Word>;

  /// Tables to the device. Throws std::invalid_argument as Fft does.
  explicit CudaFft(std::size_t points);
  ~CudaFft();

  /// Kernels only, asynchronous, on the device's memory; may be captured into a graph. As Fft's, rows one after the other;
  /// `in` may be `out` for complex rows.
  void forward(CudaStream stream, const Complex* in, std::size_t rows, Complex* out);
  void inverse(CudaStream stream, const Complex* in, std::size_t rows, Complex* out);
  void forward_real(CudaStream stream, const Word* in, std::size_t rows, Complex* out);
  void inverse_real(CudaStream stream, const Complex* in, std::size_t rows, Word* out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

extern template class CudaFft<float>;
extern template class CudaFft<double>;

}  // namespace datum
