// Which CUDA device there is, and why it is or is not used. The same interface in a build without CUDA.
#pragma once

#include <cstddef>
#include <string>

namespace datum {

struct CudaDevice {
  bool usable = false;
  std::string why;   // one line: "NVIDIA H200, compute capability 9.0, ..." or what is missing and what to do
  std::string name;  // of the device
  int major = 0, minor = 0;
  int multiprocessors = 0;
  std::size_t memory_bytes = 0, free_bytes = 0;
  bool integrated = false;  // shares the CPU's memory: frames are read in place
};

/// Looks at the first CUDA device. Never throws. A device is usable from compute capability 8.0 on and where this
/// build's code loads on it (a kernel is run).
CudaDevice probe_cuda_device();

/// "CUDA 13.0" or "no CUDA": what this build carries.
std::string cuda_build();

}  // namespace datum
