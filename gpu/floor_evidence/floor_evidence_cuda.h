// The evidence of a board's floors on a CUDA device.
#pragma once

#include <cstddef>
#include <memory>

#include "gpu/core/board_plan.h"
#include "gpu/floor_evidence/ring_record.h"
#include "gpu/plane_fit/plane_fit_cuda.h"

namespace datum {

/// Records of all rings of a plan, byte for byte those of measure_ring (but for products of residuals that
/// its stop rule never looks at). Every member throws GpuError; one object is used by one thread at a time.
class CudaFloorEvidence {
 public:
  CudaFloorEvidence();
  ~CudaFloorEvidence();

  /// Takes the memory that boards of this plan need, and copies what it needs of the plan. Height maps have
  /// `pitch` counts from row to row, a multiple of 8, and mark missing heights themselves. Throws
  /// std::invalid_argument where the runs of one ring overlap.
  void prepare(const BoardPlan& plan, std::int32_t pitch);

  /// Kernels only, asynchronous; may be captured into a graph. On the device, or mapped: `image` aligned to
  /// 16 bytes, `fits` and `records` of all sites, a record every `stride_bytes` (a multiple of 8). A site
  /// whose fit is not ok gets RingRecord{}.
  void launch(CudaStream stream, const void* image, const PlaneFit* fits, RingRecord* records,
              std::size_t stride_bytes = sizeof(RingRecord));

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace datum
