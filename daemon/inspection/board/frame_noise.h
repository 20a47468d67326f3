// How the noise of one frame averages out, as its rings show it: the variance of a mean over blocks of pixels.
//
// White noise averages by the number of pixels. Noise of optics, rows, columns, drift or stitching averages less, and a
// small body can't show that: its own scale is the largest it has. The rings of all components together can.
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

/// Variance of something in um^2 with its degrees of freedom.
struct ShownVariance {
  double um2 = 0;
  double freedom = 0;
  /// Standard uncertainty that keeps k = 2 at 95.45 %: Student's t of that coverage over 2 (GUM G.3).
  double u() const;
};

/// Student's t of 95.45 % (two-sided) over 2, at least 1; Cornish and Fisher's series, 1.5 degrees at least.
double student_ratio(double freedom);

class NoiseScan;

/// Where there was no ring to look at, pixels() is 0 and every variance too.
class FrameNoise {
 public:
  FrameNoise() = default;

  /// Variance of the mean over `rows` x `cols` pixels about the local plane; sides between two scales by linear
  /// interpolation of correlation_over().
  ShownVariance mean_over(double rows, double cols) const;
  /// The same as multiples of what independent pixels have: S, so that the variance is s^2 S / (rows cols).
  double correlation_over(double rows, double cols) const { return at(rows, cols).sum; }
  double pixel_um2() const { return um2_; }  // variance of a pixel about its ring's floor
  std::size_t pixels() const { return pixels_; }

 private:
  friend class NoiseScan;
  static constexpr std::size_t levels = 9;  // blocks of 1 to 256 pixels
  struct Scale {
    double sum = 1;      // S of blocks of 2^a x 2^b pixels, not below that of the blocks within
    double freedom = 0;  // of that
    bool seen = false;
  };
  using Scales = std::array<std::array<Scale, levels>, levels>;
  Scale at(double rows, double cols) const;
  Scales scales_{};
  double um2_ = 0;
  std::size_t pixels_ = 0;
};

/// Means over blocks of 2^a x 2^b pixels of the rings' residuals tell S of each scale. A scale is believed where S exceeds
/// that of the blocks within by its own standard deviation, or where those were believed to grow by a quarter: what has not
/// ended goes on. Blocks wider than a ring both ways are reckoned as if rows and columns correlate each for itself:
/// S(A, B) = S(A, b) S(a, B) / S(a, b).
///
/// Looks at the rings of floors that were accepted, in the order of the plan, until `most_pixels` were seen: about 1 ns a
/// pixel of theirs.
class FrameNoiseScan {
 public:
  explicit FrameNoiseScan(const BoardPlan& plan, std::size_t most_pixels = 65536);
  ~FrameNoiseScan();
  FrameNoiseScan(const FrameNoiseScan&) = delete;
  FrameNoiseScan& operator=(const FrameNoiseScan&) = delete;

  /// A ring while its pixels are at hand (SiteHeights::ring): looked at where it is one of the first. From several threads,
  /// each site once.
  void look(std::size_t site, const Floor& floor, const float* ring_z);
  /// Of all floors; looks at those rings that became first because others were refused.
  FrameNoise noise(const FrameView& frame, const std::vector<Floor>& floors, unsigned threads);

 private:
  bool counts(std::size_t site, const Floor& floor) const;

  const BoardPlan plan_;
  const std::size_t most_pixels_;
  std::vector<std::unique_ptr<NoiseScan>> scans_;  // of each site; null where it was not looked at
  std::size_t first_ = 0;  // sites that are enough where all pixels lie on their floors
};

}  // namespace datum
