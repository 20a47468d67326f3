// Bands: parts of a board that can be measured before its frame is whole. C++17.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/core/board_plan.h"

namespace datum {

/// Sites that can be measured once all pixels of some rows are there.
struct FrameBand {
  std::vector<std::uint32_t> sites;         // ascending
  std::int32_t first_row = 0, end_row = 0;  // of their pixels, half open; equal: they have none
};

constexpr std::uint32_t max_frame_bands = 12;

/// Divides the sites of a plan that check() accepts by their last rows, into bands of about equally many pixels. Every
/// site lies in one band. A record depends on its own site's pixels alone, so that bands give the bytes of the board.
std::vector<FrameBand> frame_bands(const BoardPlan& plan);

/// Bit k of a set of bands is band k.
constexpr std::uint32_t all_bands(std::size_t count) { return (std::uint32_t{1} << count) - 1; }

/// Which bands of the frames in their slots a measurer has begun. A slot has one frame after the other; each has a
/// number of its own.
class BandProgress {
 public:
  explicit BandProgress(int slots) : slots_(static_cast<std::size_t>(slots)) {}
  /// Those of `there` that are to be begun now. Another frame than before begins anew.
  std::uint32_t begin(int slot, std::uint32_t frame, std::uint32_t there);
  /// Those of this frame that were begun.
  std::uint32_t begun(int slot, std::uint32_t frame) const;
  /// No band of any frame was begun.
  void reset();

 private:
  struct Slot {
    std::uint32_t frame = 0, begun = 0;
  };
  std::vector<Slot> slots_;
};

}  // namespace datum
