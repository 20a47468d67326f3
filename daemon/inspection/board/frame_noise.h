// Averaging behaviour of one frame's noise, from its rings: the variance of a mean over blocks of pixels.
//
// White noise averages with the number of pixels; noise of optics, rows, columns, drift or stitching averages
// less. A small body can't show this, because its own size limits the scale. The rings of all components
// together can.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "daemon/inspection/board/floor.h"
#include "daemon/inspection/board/site_map.h"
#include "drivers/frame/height_frame.h"
#include "gpu/core/board_plan.h"

namespace datum {

/// A variance in um^2 with its degrees of freedom.
struct ShownVariance {
  double um2 = 0;
  double freedom = 0;
  /// Standard uncertainty for which k = 2 covers 95.45 %: Student's t of that coverage divided by 2 (GUM
  /// G.3).
  double u() const;
};

/// Student's t of 95.45 % (two-sided) over 2, at least 1; series of Cornish and Fisher (1937), at least 1.5
/// degrees of freedom.
double student_ratio(double freedom);

class NoiseScan;

/// Without a ring, pixels() and all variances are 0.
class FrameNoise {
 public:
  FrameNoise() = default;

  /// Variance of the mean over `rows` x `cols` pixels about the local plane, by linear interpolation of
  /// correlation_over() between scales.
  ShownVariance mean_over(double rows, double cols) const;
  /// The same in multiples of independent pixels: S, so that the variance is s^2 S / (rows cols).
  double correlation_over(double rows, double cols) const { return at(rows, cols).sum; }
  double pixel_um2() const { return um2_; }  // variance of a pixel about its ring's floor
  std::size_t pixels() const { return pixels_; }

 private:
  friend class NoiseScan;
  static constexpr std::size_t levels = 9;  // blocks of 1 to 256 pixels
  struct Scale {
    double sum = 1;      // S of blocks of 2^a x 2^b pixels, at least that of the blocks within
    double freedom = 0;  // of that
    bool seen = false;
  };
  using Scales = std::array<std::array<Scale, levels>, levels>;
  Scale at(double rows, double cols) const;
  Scales scales_{};
  double um2_ = 0;
  std::size_t pixels_ = 0;
};

/// S of each scale from means over blocks of 2^a x 2^b pixels of the rings' residuals. A scale is accepted
/// where S exceeds that of the blocks within by its own standard deviation, or where those grew by a quarter,
/// since correlation has not ended then. Blocks wider than a ring in both directions are computed as if rows
/// and columns correlate separately: S(A, B) = S(A, b) S(a, B) / S(a, b).
///
/// Uses the rings of accepted floors in the order of the plan, up to `most_pixels`; about 1 ns per pixel.
class FrameNoiseScan {
 public:
  explicit FrameNoiseScan(const BoardPlan& plan, std::size_t most_pixels = 65536);
  ~FrameNoiseScan();
  FrameNoiseScan(const FrameNoiseScan&) = delete;
  FrameNoiseScan& operator=(const FrameNoiseScan&) = delete;

  /// Scans a ring while its pixels are in cache (SiteHeights::ring), if it is one of the first. Thread-safe;
  /// once per site.
  void look(std::size_t site, const Floor& floor, const float* ring_z);
  /// Result over all floors; scans those rings that became first because others were refused.
  FrameNoise noise(const FrameView& frame, const std::vector<Floor>& floors, unsigned threads);

 private:
  bool counts(std::size_t site, const Floor& floor) const;

  const BoardPlan plan_;
  const std::size_t most_pixels_;
  std::vector<std::unique_ptr<NoiseScan>> scans_;  // of each site; null where not scanned
  std::size_t first_ = 0;  // number of sites that suffice if all pixels lie on their floors
};

}  // namespace datum
