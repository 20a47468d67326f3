// The build without CUDA.
#include "gpu/core/cuda_device.h"
#include "gpu/core/gpu_error.h"
#include "gpu/lu/lu_cuda.h"

namespace datum {
namespace {
[[noreturn]] void refuse() { throw GpuError(probe_cuda_device().why, true); }
}  // namespace

template <class T>
struct CudaLu<T>::State {};
template <class T>
CudaLu<T>::CudaLu() {
  refuse();
}
template <class T>
CudaLu<T>::~CudaLu() = default;
template <class T>
void CudaLu<T>::prepare(std::uint32_t, std::size_t) {
  refuse();
}
template <class T>
void CudaLu<T>::upload(CudaStream, const T*) {
  refuse();
}
template <class T>
void CudaLu<T>::launch(CudaStream) {
  refuse();
}
template <class T>
void CudaLu<T>::fetch(CudaStream, T*, std::int32_t*, std::int32_t*) {
  refuse();
}
template <class T>
void CudaLu<T>::upload_right_sides(CudaStream, const T*, std::uint32_t) {
  refuse();
}
template <class T>
void CudaLu<T>::launch_solve(CudaStream) {
  refuse();
}
template <class T>
void CudaLu<T>::fetch_solutions(CudaStream, T*) {
  refuse();
}

template class CudaLu<float>;
template class CudaLu<double>;

}  // namespace datum
