// The bodies of a board plan on a CUDA device. C++17.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpu/component_height/body_record.h"
#include "gpu/core/board_plan.h"
#include "gpu/core/cuda_types.h"
#include "gpu/plane_fit/plane_fit.h"

namespace datum {

/// Records from which derive() makes what it makes of the CPU's. Products of residuals that the CPU leaves 0
/// are there too. One object is used by one thread at a time.
class CudaComponentHeights {
 public:
  CudaComponentHeights();
  ~CudaComponentHeights();

  /// Takes all memory that boards of this plan need: per body about 6 bytes for each pixel of its window.
  /// Throws GpuError, and std::invalid_argument for a pitch that is not a multiple of 8 or below the columns
  /// and for bodies and demands beyond the limits of measure_heights.
  void prepare(const BoardPlan& plan, std::int32_t pitch);

  /// Kernels only, asynchronous, in `stream` and a branch that joins it again; may be captured into a graph. Blocks of
  /// one body wait for each other, so that launches of one object never overlap. `image`: height map of plan.type in device
  /// memory (or mapped), rows beginning on 16 bytes, `pitch` counts from row to row, missing heights marked
  /// as FrameView says for classes == nullptr. `fits`: one per site, device memory; a body whose fit is not
  /// ok gets BodyRecord{}. Writes the record of site i to `out` + i * `stride` bytes, which is on 8 bytes
  /// (device or mapped memory). Throws GpuError.
  void launch(CudaStream stream, const void* image, const PlaneFit* fits, BodyRecord* out,
              std::size_t stride = sizeof(BodyRecord)) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace datum
