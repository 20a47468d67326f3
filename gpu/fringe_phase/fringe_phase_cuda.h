// Fringes on a CUDA device: what stays there between sets of images. C++17.
#pragma once

#include <memory>

#include "gpu/core/cuda_types.h"
#include "gpu/fringe_phase/fringe_phase.h"

namespace datum {

/// Results are byte for byte those of demodulate() on the CPU. Members throw GpuError, prepare() and upload()
/// std::invalid_argument for what demodulate() refuses; one object is used by one thread at a time.
class CudaFringePhase {
 public:
  CudaFringePhase();
  ~CudaFringePhase();

  /// Takes all memory and copies the model. `size`: type, width and height of the sets to come, its images are not read.
  /// `wanted`: maps that are not null will be made; they are not written.
  void prepare(const FringeImages& size, const FringePattern& pattern, const FringeLimits& limits,
               const HeightModel* model, const FringeMaps& wanted);
  /// Copies a set in host memory to the device, asynchronous where that memory is pinned.
  void upload(CudaStream stream, const FringeImages& images);
  /// One kernel, asynchronous; may be captured into a graph.
  void launch(CudaStream stream);
  /// Waits for the stream and copies the maps that prepare() was told of.
  void fetch(CudaStream stream, const FringeMaps& maps);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace datum
