// Kernels that begin while the one before them ends. For CUDA sources alone.
#pragma once

#include "gpu/core/cuda_support.cuh"

namespace datum::cuda {

/// May a kernel of this device begin while the one before ends?
inline bool begins_early() {
  static const bool able = [] {
    int device = 0, major = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
           major >= 9;
  }();
  return able;
}

/// Launches a kernel that begins, where device and toolkit can, when all blocks of the one before it in the stream have
/// begun and allow it: it must see for itself that what it needs of that one is there.
template <class... Parameters>
void launch_early(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, unsigned shared_bytes,
                  cudaStream_t stream, const char* what, const Parameters&... parameters) {
#if CUDART_VERSION >= 12030  // from here on a capture keeps the early beginning
  if (begins_early()) {
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    return check(cudaLaunchKernelEx(&config, kernel, parameters...), what);
  }
#endif
  kernel<<<blocks, threads, shared_bytes, stream>>>(parameters...);
  check(cudaGetLastError(), what);
}

}  // namespace datum::cuda
