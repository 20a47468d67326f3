// Fourier-transform profilometry on a CUDA device, one fused kernel. C++17.
#pragma once

#include <memory>

#include "gpu/core/cuda_types.h"
#include "gpu/fourier_profilometry/fourier_profilometry.h"

namespace datum {

/// Results are byte for byte those of FourierProfilometry on the CPU, whose exceptions the members throw, and GpuError. One
/// object is used by one thread at a time.
class CudaFourierProfilometry {
 public:
  CudaFourierProfilometry(std::uint32_t width, const FourierSettings& settings);
  ~CudaFourierProfilometry();

  /// Image and maps in the host's memory; waits.
  void demodulate(CudaStream stream, const FourierImage& image, const FourierMaps& maps);
  /// The kernel only, asynchronous, image and maps on the device; may be captured into a graph.
  void launch(CudaStream stream, const FourierImage& image, const FourierMaps& maps);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace datum
