// Pixels of a frame for a measurer while the frame is read or received: it takes what it needs of them while they are in the
// cache. What is taken is the frame's own: a measurer that finds it incomplete, or made for another plan, takes the frame again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpu/core/board_plan.h"

namespace datum {

/// One frame. It belongs to the counts that `put` was called with: a copy of the frame, or a changed one, has none.
class EarlyFrame {
 public:
  virtual ~EarlyFrame() = default;
  /// `n` pixels of the frame from `first` on, row-major, are as they will stay, or come again. Callable from several threads
  /// for different pixels.
  virtual void put(const FrameView& frame, std::uint64_t first, std::uint64_t n) = 0;
};

/// Who takes pixels of frames early. Callable from any thread.
class EarlyPixels {
 public:
  virtual ~EarlyPixels() = default;
  /// Null: none is wanted of a frame of this size.
  virtual std::shared_ptr<EarlyFrame> begin(CountType type, std::int32_t rows, std::int32_t cols) = 0;
};

}  // namespace datum
