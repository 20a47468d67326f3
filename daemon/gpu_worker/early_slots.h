// Frames whose pixels go into a slot of the GPU worker while they are read or received, so that nothing of them is copied when
// they are measured. Only for a plan that several boards in a row had: a placement that is found anew for each board has a plan
// of its own.
//
// A slot belongs to one frame from its begin to its measurement, or to its end where it is not measured. Slot 0 is never given:
// the client copies other frames into it.
//
// The worker is told of each band of a frame (gpu/board/frame_bands.h) whose pixels are all there, and measures it while the
// others arrive. Pixels that come again may have been measured already: the worker is told of no more bands then, and measures
// the frame when it is whole.
//
// What the worker has measured of a frame that arrives is looked at by threads of this object (EarlyWork), so that the host's work
// on most sites is done, too, when the frame is whole.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "daemon/gpu_worker/shared_memory.h"
#include "gpu/core/backend.h"
#include "gpu/core/early_frame.h"
#include "gpu/core/piece_workers.h"

namespace datum {

/// The plan that the worker has prepared: what a frame in a slot needs of it.
struct SlotPlan {
  CountType type = CountType::int16;
  std::int32_t rows = 0, cols = 0;
  std::vector<PixelRun> covered;  // covered_pixels() of the plan
  /// Of frame_bands() of the plan: first pixel, and the one after the last.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> bands;
  std::vector<std::vector<std::uint32_t>> sites_of_bands;
  std::vector<SitePlan> sites;
};
SlotPlan slot_plan(const BoardPlan& plan);

class EarlySlots final : public EarlyPixels, public std::enable_shared_from_this<EarlySlots> {
 public:
  /// `backend`: copies pixels into slots, and has threads for this host's own work.
  explicit EarlySlots(const Backend& backend);

  /// Frames may go into the slots of `memory` for this plan from now on; its first boards still do not. `wake` wakes the worker
  /// where it sleeps; it must not wait.
  void prepared(std::shared_ptr<const SharedMemory> memory, std::shared_ptr<const SlotPlan> plan,
                std::function<void()> wake);
  /// No frame may begin, and nobody is woken when this returns. Frames that began keep the memory and are not measured from it.
  void lost();
  /// A board was measured by the present plan.
  void measured();
  /// Frames of the present plan that begin from now on have work made from `of`.
  void expect(std::shared_ptr<const void> of, EarlyWorkMaker make);
  /// Whether they have that already.
  bool expects(const void* of);

  std::shared_ptr<EarlyFrame> begin(CountType type, std::int32_t rows, std::int32_t cols) override;

  /// A frame's slot.
  struct Taken {
    std::uint32_t slot = 0;
    std::uint32_t frame = 0;  // its number in SlotProgress; 0: pixels came again
    bool fits = false;        // false: a slot can't represent the frame (stage_frame)
  };
  /// The slot that holds all that the present plan needs of the frame; none: it must be copied. The frame keeps the slot until
  /// give_back().
  std::optional<Taken> taken(const FrameView& frame);
  /// The frame is measured: its slot may have another one.
  void give_back(const FrameView& frame);

 private:
  class Frame;
  std::uint32_t free_slot() const;
  void wake(const SharedMemory* memory);
  void release(const SharedMemory* memory, std::uint32_t slot);

  const Isa isa_;
  const unsigned threads_;  // of this host's own work
  std::mutex mutex_;
  // Null before the first board: threads that begin before the program blocks its signals would take them.
  std::shared_ptr<PieceWorkers> lookers_;
  std::shared_ptr<const SharedMemory> memory_;  // null: lost
  std::shared_ptr<const SlotPlan> plan_;
  const SharedMemory* slots_of_ = nullptr;  // the last memory; frames in its slots keep it
  std::vector<std::uint8_t> in_use_;        // of its slots
  int boards_ = 0;                          // measured by plan_
  std::shared_ptr<const void> work_of_;     // null: frames of plan_ have no work
  EarlyWorkMaker make_work_;
  std::function<void()> wake_;  // empty: lost
  std::uint32_t frames_ = 0;    // number of the last frame
};

}  // namespace datum
