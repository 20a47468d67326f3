// Squares of a region's pixels, and what they tell of its noise.
#pragma once

#include <span>
#include <vector>

#include "daemon/inspection/surface/surface_region_form.h"

namespace datum {

/// Pixels of one square about their own plane.
struct NoiseTile {
  int side = 0;
  std::vector<float> value;  // row by row; not a number where a pixel is none of the region's
  std::size_t pixels = 0;    // that are numbers
  double mean_square = 0;
  /// What it tells of its windows, both of their lowest pixels and, with the other sign, of their highest.
  struct Windows {
    double mean = 0, variance = 0, highest = 0;
    std::size_t count = 0;
  } windows;
};

/// Tiles of one side, 64 at most, evenly taken from all snapshots of a region; of windows so large. Without the form that its cells show,
/// since a bow is no noise, or as they are where that makes tiles quieter: a form that a large dent bends does not.
std::vector<NoiseTile> quietest_tiles(std::span<const CellsOfRegions::OfSnapshot> snapshots, int side,
                                      int window_px, unsigned threads);

/// Mean products of a tile's pixels so far apart, over all tiles. A lag is summed when it is asked for: most noise ends long before the last.
class LagProducts {
 public:
  /// Of tiles of this side.
  LagProducts(int side, std::span<const NoiseTile* const> tiles, unsigned threads);
  /// The most rows and columns between two pixels.
  int most() const { return most_; }
  /// Sums all lags of a ring about no lag, on several threads; later at() has them.
  void find_ring(int ring);
  /// Half of all lags are the same as the others.
  double at(int rows, int cols) const {
    return rows < 0 ? mean_[index(-rows, -cols)] : mean_[index(rows, cols)];
  }

 private:
  static constexpr std::size_t lanes = 8;  // tiles side by side

  std::size_t index(int rows, int cols) const {
    return static_cast<std::size_t>(rows * (2 * most_ + 1) + cols + most_);
  }
  double mean_product(int rows, int cols) const;

  int side_, most_;
  unsigned threads_;
  std::size_t groups_;
  std::vector<float> pixels_;  // of each group's tiles, pixel by pixel; not a number where there is no tile
  std::vector<double> mean_;
};

}  // namespace datum
