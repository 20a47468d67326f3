// The plane fit on a CUDA device: what stays there between boards, and what a board costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpu/core/board_plan.h"
#include "gpu/plane_fit/plane_fit.h"

struct CUstream_st;

namespace datum {

using CudaStream = CUstream_st*;

/// How the work is cut; results never depend on it. 0: chosen for the device and the batch.
struct CudaFitOptions {
  std::uint32_t tile_quads = 0;    // groups of four points that a block takes at a time, at most 4096
  unsigned blocks = 0;             // of the grid
  std::uint64_t shuffle_seed = 0;  // first tiles in a random order instead of largest planes first
  int timeout_ms = 500;            // after which the device gives a batch up; the host waits twice as long
};

/// A batch of planes on the first CUDA device. Results are byte for byte those of fit_planes on the CPU: a plane that
/// the device leaves to the CPU (thousands of points at one place, more than 1024 hypotheses) is done by the CPU: points in
/// fetch(), rings by the caller. Members throw GpuError, prepare() std::invalid_argument for what fit_planes refuses; one
/// object is used by one thread at a time.
class CudaPlaneFit {
 public:
  explicit CudaPlaneFit(const CudaFitOptions& options = {});
  ~CudaPlaneFit();

  /// Planes of points in host memory, which must stay until fetch(). Takes all memory that the batch needs.
  void prepare(const PlanePoints* planes, std::size_t count, const PlaneFitSettings& settings);
  /// Rings of a board plan; the height map lies in device memory (or mapped host memory), `pitch` counts from row to
  /// row, a multiple of 8, and marks missing heights itself.
  void prepare(const BoardPlan& plan, std::int32_t pitch);

  /// Points: copies them from pinned memory to the device.
  void upload(CudaStream stream);
  /// Kernels only, asynchronous; may be captured into a graph. `image`: for rings, the height map.
  void launch(CudaStream stream, const void* image = nullptr);
  /// Waits for the stream and copies the results. Rings that need the CPU are marked in
  /// `needs_cpu` (one per ring) for the caller to fit on the CPU; without it they are a GpuError.
  void fetch(CudaStream stream, PlaneFit* fits, std::uint8_t* needs_cpu = nullptr);

  /// The fits on the device, and which planes need the CPU (not 0), for kernels that follow in the stream.
  const PlaneFit* device_fits() const;
  const std::uint32_t* device_needs_cpu() const;
  /// Not 0 after a batch that took too long: its results are not to be used. Device memory.
  const unsigned int* device_timed_out() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace datum
