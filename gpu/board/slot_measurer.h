// Measures boards whose frames lie in slots: memory that is taken once and written by whoever reads the sensor.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "gpu/board/site_record.h"
#include "gpu/core/board_plan.h"

namespace datum {

/// Frame slots, one after the other, page aligned; a frame lies at the beginning of its slot, marked as FrameView says
/// for classes == nullptr. Outlives the measurer.
struct SlotMemory {
  void* base = nullptr;
  std::size_t slot_bytes = 0;
  int slots = 0;
};

class SlotMeasurer {
 public:
  virtual ~SlotMeasurer() = default;
  /// Takes all memory that boards of this plan need; frames have `pitch` counts from row to row (a multiple of 8, so
  /// that rows begin on 16 bytes). Copies what it needs. Throws GpuError.
  virtual void prepare(const BoardPlan& plan, std::int32_t pitch) = 0;
  /// Measures the frame in a slot after the prepared plan: plan.site_count records. Throws GpuError where the device
  /// faults or is not done after `timeout_ms`.
  virtual void measure(int slot, SiteRecord* records, int timeout_ms) = 0;
  /// "NVIDIA H200 sm_90": who measures, for the verdict.
  virtual std::string describe() const = 0;
};

/// On the first CUDA device, which registers the slots with itself; one captured graph per slot. Throws GpuError, in a
/// build without CUDA always.
std::unique_ptr<SlotMeasurer> cuda_slot_measurer(const SlotMemory& memory);

}  // namespace datum
