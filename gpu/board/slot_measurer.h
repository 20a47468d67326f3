// Measures boards whose frames lie in slots: memory that is taken once and written by whoever reads the sensor.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// A frame in its slot.
struct SlotFrame {
  /// NOLINTNEXTLINE(google-explicit-constructor): a slot alone means what lies there
  SlotFrame(int its_slot, std::uint32_t its_number = 0) : slot(its_slot), number(its_number) {}
  int slot;
  std::uint32_t number;  // another one for each frame whose bands arrive; 0: its bands did not
};

class SlotMeasurer {
 public:
  virtual ~SlotMeasurer() = default;
  /// Takes all memory that boards of this plan need; frames have `pitch` counts from row to row (a multiple of 8, so
  /// that rows begin on 16 bytes). Copies what it needs. Throws GpuError.
  virtual void prepare(const BoardPlan& plan, std::int32_t pitch) = 0;
  /// Prepares one more band of the plan (gpu/board/frame_bands.h): only for plans whose frames arrive in bands. False:
  /// all are prepared. Throws GpuError.
  virtual bool prepare_band() = 0;
  /// The pixels of these bands lie in the slot, and stay: those that are prepared are measured from now on. Does not
  /// wait for them. Throws GpuError.
  virtual void arrived(SlotFrame frame, std::uint32_t bands) = 0;
  /// Those of this frame's `bands` that arrived and are measured by now: writes their records to the places of their sites. Does
  /// not wait. Throws GpuError.
  virtual std::uint32_t measured(SlotFrame frame, std::uint32_t bands, SiteRecord* records) = 0;
  /// Waits until nothing that arrived is under way: kernels whose blocks wait for each other must not share the device
  /// with those of others. Throws GpuError.
  virtual void settle() = 0;
  /// Measures the frame in a slot after the prepared plan: plan.site_count records. Bands of this frame that are
  /// measured already are not read again. Throws GpuError where the device faults or is not done after `timeout_ms`.
  virtual void measure(SlotFrame frame, SiteRecord* records, int timeout_ms) = 0;
  /// "NVIDIA H200 sm_90": who measures, for the verdict.
  virtual std::string describe() const = 0;
};

/// On the first CUDA device, which registers the slots with itself; captured graphs for each slot. Throws GpuError, in a
/// build without CUDA always.
std::unique_ptr<SlotMeasurer> cuda_slot_measurer(const SlotMemory& memory);

}  // namespace datum
