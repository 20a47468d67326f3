// The build without CUDA.
#include "gpu/core/cuda_device.h"
#include "gpu/core/gpu_error.h"
#include "gpu/fft/fft_cuda.h"

namespace datum {
namespace {
[[noreturn]] void refuse() { throw GpuError(probe_cuda_device().why, true); }
}  // namespace

template <class Word>
struct CudaFft<Word>::State {};
template <class Word>
CudaFft<Word>::CudaFft(std::size_t) {
  refuse();
}
template <class Word>
CudaFft<Word>::~CudaFft() = default;
template <class Word>
void CudaFft<Word>::forward(CudaStream, const Complex*, std::size_t, Complex*) {
  refuse();
}
template <class Word>
void CudaFft<Word>::inverse(CudaStream, const Complex*, std::size_t, Complex*) {
  refuse();
}
template <class Word>
void CudaFft<Word>::forward_real(CudaStream, const Word*, std::size_t, Complex*) {
  refuse();
}
template <class Word>
void CudaFft<Word>::inverse_real(CudaStream, const Complex*, std::size_t, Word*) {
  refuse();
}

template class CudaFft<float>;
template class CudaFft<double>;

}  // namespace datum
