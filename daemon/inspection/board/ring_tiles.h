// A ring divided into tiles. A deviation of one standard deviation of the noise is ten standard errors of a
// tile of 100 pixels, so tiles show levels, ramps and bow that are hidden in the noise of pixels
// (daemon/inspection/METROLOGY.md, "What the world does to a height map").
//
// Lengths in um, x and y from the site's centre, z from the nominal board there. Computed on the host in a
// fixed order, so every backend gives the same bytes.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/board/site_pixels.h"
#include "gpu/core/board_plan.h"
#include "gpu/plane_fit/plane_fit.h"

namespace datum {

/// A ring's pixels in the order of its runs; z = NaN without a height.
struct RingHeights {
  const PixelRun* runs = nullptr;
  const float *x = nullptr, *y = nullptr, *z = nullptr;
};

/// Residual along z of pixel i; NaN without a height.
inline double residual_of(const RingHeights& ring, std::size_t i, const PlaneFit& plane) {
  return ring.z[i] - (plane.a * ring.x[i] + plane.b * ring.y[i] + plane.c);
}

/// Squares of the pixel grid that hold a ring's pixels: about 48, at least 4 x 4 pixels each. Part of a plan,
/// independent of the frame.
class RingTiles {
 public:
  RingTiles() = default;
  explicit RingTiles(const std::vector<PixelRun>& ring);

  std::uint32_t count() const { return count_; }
  /// Side of a tile in pixels.
  std::int32_t side_px() const { return side_px_; }
  /// Tile of each pixel, in the order of the ring's runs.
  std::vector<std::uint16_t> of_pixel(const PixelRun* runs) const;

 private:
  friend class TileMeans;
  static constexpr std::uint16_t none = 0xFFFF;
  std::uint16_t& at(std::int32_t row, std::int32_t col) {
    return tile_at_[static_cast<std::size_t>((row - first_row_) / side_px_) *
                        static_cast<std::size_t>(across_) +
                    static_cast<std::size_t>((col - first_col_) / side_px_)];
  }

  std::uint32_t run_count_ = 0, pixels_ = 0, count_ = 0;
  std::int32_t side_px_ = 0, first_row_ = 0, first_col_ = 0, across_ = 0;
  std::vector<std::uint16_t> tile_at_;  // of the squares, row by row; none where the ring has no pixel
};

/// One tile of a ring about a plane.
struct TileLevel {
  std::uint32_t heights = 0;  // pixels with a height
  std::uint32_t inliers = 0;  // pixels near the plane, or near the tile's own level
  double x = 0, y = 0;        // centroid of the inliers
  double level = 0;           // their mean residual
  double squares = 0;         // sum of squares about the tile's own plane
  double error = 0;           // of a mode: standard error, including the expected form
};

/// Means of the pixels whose residual is at most `reach_um`. `z` of the ring's pixels in the order of its
/// runs, NaN without a height, followed by pixel_padding more. Sums over columns of a tile are floats in a
/// fixed order: the same bits on every `isa`.
std::vector<TileLevel> tile_means(const RingTiles& tiles, const SitePlan& site, const PixelRun* runs,
                                  const float* z, const PlaneFit& plane, double reach_um, Isa isa);

/// The floor among several levels: the tiles on one plane.
struct TileFloor {
  bool found = false;
  std::vector<bool> on_floor;  // of each tile
  double noise_um = 0;         // of a pixel within its tile
  double scatter_um = 0;       // of the levels of tiles on the floor about their plane
  double second_level = 0;     // pixels of tiles on the fullest other level, over the floor's
};

/// Levels of tiles are modes (mean shift to a fixed point, 2.5 standard deviations wide), searched at any
/// height. Start planes pass through three tiles and minimise the 40 % quantile of all tiles' deviations
/// (least quantile of squares; Rousseeuw and Leroy 1987). Where one to three parallel levels hold 90 % of the
/// ring, the fullest is the floor. Otherwise the ring has form, and the floor is the least-squares plane of
/// all tiles within 3 of their own scale, repeated to an unchanged set. Tiles crossed by another level's edge
/// are excluded. `lsb_um`: noise is at least that of rounding.
TileFloor floor_among_tiles(const RingTiles& tiles, const RingHeights& ring, const PlaneFit& plane,
                            int parameters, double lsb_um, double expected_form_um, std::uint64_t seed);

}  // namespace datum
