// Diffusion on a CUDA device.
#pragma once

#include <memory>

#include "gpu/core/cuda_types.h"
#include "gpu/diffusion/diffusion.h"

namespace datum {

/// Results are byte for byte those of diffuse on the CPU. Members throw GpuError, prepare() std::invalid_argument for
/// what diffuse refuses; one object is used by one thread at a time.
class CudaDiffusion {
 public:
  CudaDiffusion();
  ~CudaDiffusion();

  /// Takes all memory and looks at the counts on the host (range, mask, the first kappa), with `host`'s threads. They
  /// must stay until upload().
  void prepare(const std::int32_t* counts, const DiffusionGrid& grid, const DiffusionSettings& settings,
               const Backend& host);
  /// Copies the counts to the device.
  void upload(CudaStream stream);
  /// All iterations, kernels only, asynchronous; may be captured into a graph. Another launch wants another upload().
  void launch(CudaStream stream);
  /// Waits for the stream and copies the result. `counts` may be those of prepare().
  DiffusionRecord fetch(CudaStream stream, std::int32_t* counts);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace datum
