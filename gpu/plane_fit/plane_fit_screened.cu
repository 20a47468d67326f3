// The kernels of screened mode.

#include "gpu/plane_fit/fit_kernels.cuh"
#include "gpu/plane_fit/screened_mode.cuh"

namespace datum::cuda {

template <class Source>
void launch_screened(const FitLaunch& launch, const Batch& batch, const Source& source) {
  launch_kernels<ScreenedMode>(launch, batch, source);
}

template void launch_screened(const FitLaunch&, const Batch&, const PointSource&);
template void launch_screened(const FitLaunch&, const Batch&, const MapSource<std::int16_t>&);
template void launch_screened(const FitLaunch&, const Batch&, const MapSource<std::int32_t>&);
template void launch_screened(const FitLaunch&, const Batch&, const MapSource<float>&);

}  // namespace datum::cuda
