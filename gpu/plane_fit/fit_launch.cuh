// The launches of both modes, which are compiled apart.
#pragma once

#include "gpu/core/cuda_support.cuh"
#include "gpu/plane_fit/batch.cuh"
#include "gpu/plane_fit/point_sources.cuh"

namespace datum::cuda {

struct FitLaunch {
  unsigned blocks = 0;    // of the fit
  unsigned searches = 0;  // planes whose points are sampled by index: a block each
  cudaStream_t stream = nullptr;
};

/// For PointSource and MapSource of int16, int32 and float. Throws GpuError.
template <class Source>
void launch_screened(const FitLaunch& launch, const Batch& batch, const Source& source);
template <class Source>
void launch_exact(const FitLaunch& launch, const Batch& batch, const Source& source);

}  // namespace datum::cuda
