// The plane fit on a CUDA device: the memory that stays there, and the launches of a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpu/core/board_plan.h"
#include "gpu/core/cuda_types.h"
#include "gpu/plane_fit/plane_fit.h"

namespace datum {

/// How the work is divided; no result depends on it. 0: chosen for the device and the batch.
struct CudaFitOptions {
  std::uint32_t tile_quads = 0;  // quads of a tile, at most 4096
  unsigned blocks = 0;           // of the grid
  std::uint64_t shuffle_seed =
      0;                 // not 0: tiles of first passes in a random order in place of largest planes first
  int timeout_ms = 500;  // of the device; the host waits twice as long
};

/// A batch of planes on the first CUDA device. Results are byte for byte those of fit_planes() on the CPU. A plane
/// with thousands of coinciding points or more than 1024 hypotheses needs the CPU fallback: fetch() fits planes of
/// points, the caller fits rings. Members throw GpuError; prepare() throws std::invalid_argument for what
/// fit_planes() refuses. One thread uses an object at a time.
class CudaPlaneFit {
 public:
  explicit CudaPlaneFit(const CudaFitOptions& options = {});
  ~CudaPlaneFit();

  /// Planes of points in host memory, which must stay until fetch(). Allocates all memory of the batch.
  void prepare(const PlanePoints* planes, std::size_t count, const PlaneFitSettings& settings);
  /// Rings of a board plan. The height map lies in device memory or in mapped host memory, marks missing heights
  /// itself, and has `pitch` counts from row to row, a multiple of 8.
  void prepare(const BoardPlan& plan, std::int32_t pitch);

  /// Copies planes of points from pinned memory to the device; does nothing for rings.
  void upload(CudaStream stream);
  /// Launches the kernels, asynchronously; a graph can capture it. `image`: the height map of rings.
  void launch(CudaStream stream, const void* image = nullptr);
  /// Waits for the stream and copies the results. needs_cpu[i] is not 0 for a ring that needs the CPU fallback; without
  /// `needs_cpu` such a ring is a GpuError.
  void fetch(CudaStream stream, PlaneFit* fits, std::uint8_t* needs_cpu = nullptr);

  /// The results and the CPU fallback flags in device memory, for kernels that follow in the stream.
  const PlaneFit* device_fits() const;
  const std::uint32_t* device_needs_cpu() const;
  /// In device memory: not 0 after a batch that timed out, whose results are invalid.
  const unsigned int* device_timed_out() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace datum
