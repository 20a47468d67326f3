// Boards in frame slots, measured by a CUDA device: one captured graph per slot, from the frame to the records; and one for
// each band of a frame that arrives in parts.
#pragma once

#include <memory>
#include <string>

#include "gpu/board/slot_measurer.h"

namespace datum {

/// How a frame reaches the device.
enum class FrameTransfer {
  measured,  // in place where the device shares the host's memory, else the faster of the next two
  gathered,  // only the pixels of rings and bodies are copied
  whole,     // one copy of all rows that have some
  in_place,  // kernels read the slot
};

class CudaSlotMeasurer : public SlotMeasurer {
 public:
  /// Throws GpuError where there is no usable device or the slots are refused.
  explicit CudaSlotMeasurer(const SlotMemory& memory, FrameTransfer transfer = FrameTransfer::measured);
  ~CudaSlotMeasurer() override;

  /// Also std::invalid_argument for what check() of gpu/board/cpu_board.h, the plane fit, and rings that overlap
  /// themselves refuse. Runs a board in every slot, whatever lies there.
  void prepare(const BoardPlan& plan, std::int32_t pitch) override;
  bool prepare_band() override;
  void arrived(SlotFrame frame, std::uint32_t bands) override;
  std::uint32_t measured(SlotFrame frame, std::uint32_t bands, SiteRecord* records) override;
  void settle() override;
  /// After a GpuError another prepare() must come first. `timeout_ms`: of each band that is waited for.
  void measure(SlotFrame frame, SiteRecord* records, int timeout_ms) override;
  std::string describe() const override;

  /// What prepare() chose, and both times where it measured: "gathered: 6.2 MB in 131 us, all rows: 30.5 MB in 560
  /// us".
  std::string transfer() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace datum
