// What both backends read of one width and one window.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/fft/fft_plan.h"
#include "gpu/fourier_profilometry/fourier_profilometry.h"

namespace datum::fourier {

struct Plan {
  FourierSettings settings;
  std::uint32_t width = 0;
  fft::Plan<float> transform;  // of the row carried on
  /// The window's blocks of points / radix[0] bins, of which the inverse's first pass reads each once: the first one's
  /// number, and how many.
  std::uint32_t block = 0, blocks = 0;
  std::vector<float> gain;  // of each bin of these blocks: H / (2 points), 0 outside the window
  std::vector<fft::Root<float>> first_root;  // root k of radix[0]
  std::vector<float> bridge;  // of each sample carried on: how far from the last to the first, 0 to 1
  std::uint32_t reach_px = 0;
  float least_square = 0;  // of the filtered fringes' amplitude, (min_modulation / 2)^2
  double noise_gain = 0;   // sqrt(2 / points sum of H^2)
};

/// Throws std::invalid_argument.
Plan plan_of(std::uint32_t width, const FourierSettings& settings);
/// Throws std::invalid_argument for another width, or null pointers.
void check_call(const Plan& plan, const FourierImage& image, const FourierMaps& maps);

}  // namespace datum::fourier
