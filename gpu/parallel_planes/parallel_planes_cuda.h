// Parallel planes on a CUDA device: what stays there between calls. C++17.
#pragma once

#include <cstddef>
#include <memory>

#include "gpu/core/cuda_types.h"
#include "gpu/parallel_planes/parallel_planes.h"

namespace datum {

/// Results are byte for byte those of fit_parallel_planes on the CPU. Members throw GpuError, prepare()
/// std::invalid_argument for what fit_parallel_planes refuses; one object is used by one thread at a time.
class CudaParallelPlanes {
 public:
  CudaParallelPlanes();
  ~CudaParallelPlanes();

  /// Takes all memory. The samples' points lie in device memory where `on_device`, else in host memory; they must stay
  /// until the last launch() or upload().
  void prepare(const PlaneSample* samples, std::size_t count, const ParallelSet* sets, std::size_t set_count,
               const ParallelPlanesSettings& settings, bool on_device);
  /// Points in host memory: copies them to the device.
  void upload(CudaStream stream);
  /// Kernels only, asynchronous; may be captured into a graph.
  void launch(CudaStream stream);
  /// Waits for the stream and copies the results.
  void fetch(CudaStream stream, ParallelPlanes* shared, ParallelPlane* planes);
  /// Launches the pass over the points that finds each plane's extremes, waits for it and copies them. After launch().
  void extremes(CudaStream stream, PlaneExtremes* out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace datum
