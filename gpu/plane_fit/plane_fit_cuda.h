// The plane fit on a CUDA device: what stays there between boards, and what a board costs.
#pragma once

#include <cstddef>
#include <memory>

#include "gpu/core/board_plan.h"
#include "gpu/plane_fit/plane_fit.h"

struct CUstream_st;

namespace datum {

using CudaStream = CUstream_st*;

/// A batch of planes on the first CUDA device. Results are byte for byte those of fit_planes on the CPU: a plane that
/// the device leaves undone (thousands of points at one place, a fit that never rests) is done by the CPU in fetch().
/// Every member throws GpuError; one object is used by one thread at a time.
class CudaPlaneFit {
 public:
  CudaPlaneFit();
  ~CudaPlaneFit();

  /// Planes of points in host memory, which must stay until fetch().
  void prepare(const PlanePoints* planes, std::size_t count, const PlaneFitSettings& settings);
  /// Rings of a board plan; the height map lies in device memory (or mapped host memory), `pitch` counts from row to
  /// row, a multiple of 8, and marks missing heights itself.
  void prepare(const BoardPlan& plan, std::int32_t pitch);

  /// Points: copies them to the device.
  void upload(CudaStream stream);
  /// Kernels only, asynchronous. `image`: for rings, the height map.
  void launch(CudaStream stream, const void* image = nullptr);
  /// Waits for the stream and copies the results. `image_on_host`: the rings' height map, for planes left undone.
  void fetch(CudaStream stream, PlaneFit* fits, const FrameView* image_on_host = nullptr);

  /// The fits on the device, for kernels that follow in the stream.
  const PlaneFit* device_fits() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace datum
