// Real-world effects on a height map beside white noise (daemon/inspection/METROLOGY.md, "What the world does
// to a height map"): correlated noise, offsets of lines, spikes at walls, systematically missing pixels. Off
// by default.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/virtual_cell/twin_scene.h"

namespace datum {

/// White noise through a Gaussian kernel; `um` is the standard deviation of the result.
struct TwinKernelNoise {
  double um = 0;
  double kernel_px = 2;  // standard deviation of the kernel, 0.5 to 200
};

struct TwinWorld {
  std::vector<TwinKernelNoise> smooth;
  double row_um = 0;              // standard deviation of the offset of a row ...
  double column_um = 0;           // ... and of a column
  int line_px = 0;                // number of pixels with one offset; 0: the whole line
  double body_noise = 1;          // factor on white and smooth noise on bodies
  double body_outliers = 1;       // factor on the share of gross outliers on bodies
  double missing_ratio = 0;       // single pixels without a height, at random
  double missing_blob_ratio = 0;  // share hidden by blobs of radius 2 to 10 px
  double spike_ratio = 0;         // share of the pixels within spike_px of a wall with an overshoot ...
  double spike_um = 0;            // ... by 0 to this
  int spike_px = 3;
  std::optional<double> highest_um;             // in sensor coordinates; higher points have no height
  PixelClass above = PixelClass::out_of_range;  // and this class
};

/// A wall is a step larger than this between neighbours.
constexpr double twin_wall_mm = 0.1;

/// Throws std::invalid_argument: ratios outside 0 to 0.5, a standard deviation below 0, a kernel outside 0.5 to 200.
void check(const TwinWorld& world);

/// rows*cols, standard deviation 1 within 1 %. Wide kernels are sampled on a coarser lattice and
/// interpolated.
std::vector<float> kernel_noise(int rows, int cols, double kernel_px, std::uint64_t seed);

/// Adds the errors of `world` to heights in um (except body_noise of the white noise, which the caller adds)
/// and removes missing heights.
void add_world(const TwinWorld& world, const TwinSurface& surface, const TwinView& view, std::uint64_t seed,
               std::vector<double>& um, std::vector<PixelClass>& classes);

}  // namespace datum
