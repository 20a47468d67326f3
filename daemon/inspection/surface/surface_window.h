// Extremes that a single bad pixel can't cause: a value counts where a whole window of pixels has it. The
// highest of all windows' lowest pixels is the maximum of a grey-scale opening, as for a component's
// "maximum" (daemon/inspection/METROLOGY.md, S6).
#pragma once

#include <vector>

#include "daemon/inspection/surface/surface_compare.h"

namespace datum {

struct WindowExtremes {
  std::uint64_t windows = 0;  // complete ones
  float lowest = 0, highest = 0;
  std::uint32_t lowest_at = no_point, highest_at = no_point;  // points at the centre of the windows
};

/// For each of `regions` the extremes of `value` (one per point) over all windows of window_px x window_px
/// pixels of one snapshot that lie completely in that region by `region_of_point`. Of equal ones the first in
/// the order of points.
std::vector<WindowExtremes> window_extremes(const std::vector<SnapshotGrid>& grids,
                                            const std::vector<std::uint16_t>& region_of_point,
                                            const std::vector<float>& value, std::size_t regions,
                                            int window_px, unsigned threads = 1);

/// The same in bands of rows, for a loop that does more. Borrows the lists.
class WindowSearch {
 public:
  WindowSearch(const std::vector<SnapshotGrid>& grids, const std::vector<std::uint16_t>& region_of_point,
               const std::vector<float>& value, std::size_t regions, int window_px);
  std::size_t bands() const { return bands_.size(); }
  /// Each once, on any thread.
  void look_at(std::size_t band);
  /// When all were looked at.
  std::vector<WindowExtremes> extremes() const;

 private:
  struct Band {
    const SnapshotGrid* grid;
    std::size_t from, to;  // rows of windows
    std::vector<WindowExtremes> extremes;
  };
  const std::vector<std::uint16_t>& region_of_point_;
  const std::vector<float>& value_;
  std::size_t regions_;
  int window_px_;
  std::vector<Band> bands_;
};

}  // namespace datum
