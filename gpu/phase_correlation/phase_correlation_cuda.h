// Phase correlation on a CUDA device. C++17.
#pragma once

#include <memory>

#include "gpu/core/cuda_types.h"
#include "gpu/phase_correlation/phase_correlation.h"

namespace datum {

/// Results are byte for byte those of PhaseCorrelation on the CPU, whose exceptions the members throw, and GpuError. One
/// object is used by one thread at a time.
class CudaPhaseCorrelation {
 public:
  CudaPhaseCorrelation(const float* reference, std::uint32_t cols, std::uint32_t rows,
                       const CorrelationSettings& settings);
  ~CudaPhaseCorrelation();

  /// The image is in the host's memory; waits.
  CorrelationShift find(CudaStream stream, const float* image);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace datum
