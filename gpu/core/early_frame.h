// Pixels of a frame for a measurer while the frame is read or received: it takes what it needs of them while they are in the
// cache. What is taken is the frame's own: a measurer that finds it incomplete, or made for another plan, takes the frame again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "gpu/core/board_plan.h"

namespace datum {

struct SiteRecord;  // gpu/board/site_record.h

/// The host's own work on the sites of a frame that arrives.
class EarlyWork {
 public:
  virtual ~EarlyWork() = default;
  /// A site's record is complete, and its pixels are in the frame. Callable from several threads for different sites; must not call
  /// parallel_for.
  virtual void look(const FrameView& frame, std::size_t site, const SiteRecord& record) = 0;
};
/// Makes the work of one more frame.
using EarlyWorkMaker = std::function<std::shared_ptr<EarlyWork>()>;

/// One frame. It belongs to the counts that `put` was called with: a copy of the frame, or a changed one, has none. Its end ends
/// every access to them.
class EarlyFrame {
 public:
  virtual ~EarlyFrame() = default;
  /// `n` pixels of the frame from `first` on, row-major, are as they will stay, or come again behind withdraw(). Callable from
  /// several threads for different pixels.
  virtual void put(const FrameView& frame, std::uint64_t first, std::uint64_t n) = 0;
  /// Some that were put are about to change. Nobody reads the frame when this returns. Callable from several threads.
  virtual void withdraw() = 0;
  /// What was done on the sites of this frame, whose pixels are all there; null: nothing that holds.
  virtual std::shared_ptr<EarlyWork> work(const FrameView& frame) = 0;
};

/// Who takes pixels of frames early. Callable from any thread.
class EarlyPixels {
 public:
  virtual ~EarlyPixels() = default;
  /// Null: none is wanted of a frame of this size.
  virtual std::shared_ptr<EarlyFrame> begin(CountType type, std::int32_t rows, std::int32_t cols) = 0;
};

}  // namespace datum
