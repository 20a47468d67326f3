// The phase of a single image of fringes, by Fourier-transform profilometry: each row is transformed, a window about the
// carrier keeps one side of the spectrum, and the angle of what comes back is the phase. After M. Takeda and K. Mutoh,
// Applied Optics 22 (1983), 3977. C++17: CUDA sources include this header.
//
//   I(x) = A(x) + B(x) cos(2 pi x / period + phi(x))       result: the wrapped angle 2 pi x / period + phi, and B
//
// Only for surfaces without steps. The fringes' local frequency must stay inside the window, |d phi / dx| < 2 pi width /
// period; and clear of the second harmonic, |d phi / dx| < 2 pi / (3 period), which for a projector at distance L0 and base
// d is Takeda and Mutoh's |d h / dx| < L0 / (3 d). Walls of components break both: use it for the warp of a bare board or
// for paste, and phase shifting (fringe_phase.h) for components.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/core/backend.h"
#include "gpu/fringe_phase/fringe_phase.h"

namespace datum {

struct FourierSettings {
  float period_px = 0;       // of the fringes along a row where the surface is level
  float width = 0.75f;       // half width of the Hann window, as a part of the carrier's frequency; below 1
  float camera_maximum = 0;  // a sample that reaches it is saturated: 255, 4095, ...
  float min_modulation = 8;  // smallest B, grey values
};

enum class FourierClass : std::uint8_t {
  ok,
  saturated,       // a sample that the filter mixes into this pixel reached the camera's maximum
  low_modulation,  // too dark, too shiny or in shadow: no phase
  row_end,         // nearer to the end of the row than the filter reaches
};
const char* name_of(FourierClass c);

/// Samples by rows without gaps.
struct FourierImage {
  const void* samples = nullptr;
  SampleType type = SampleType::u8;
  std::uint32_t width = 0, height = 0;
};

/// Arrays of width * height by rows; modulation may be nullptr: not wanted.
struct FourierMaps {
  FourierClass* classes = nullptr;
  float* phase_rad = nullptr;   // -pi to pi; 0 where the class is not ok
  float* modulation = nullptr;  // B; always there
};

namespace fourier {
struct Plan;
}

/// Images of one width, 16 to 8192 px, made ready. A row that is no power of two is carried on to the next one (at least
/// 256) along the straight line from its last sample to its first, so that it closes without a step. Rows go in pairs, 2i
/// and 2i + 1: bytes are the same for every backend, its lanes and its threads.
class FourierProfilometry {
 public:
  /// Throws std::invalid_argument for settings that mean nothing, a window that leaves 0 to half the sampling rate or holds
  /// less than two bins, a width that is not reached.
  FourierProfilometry(std::uint32_t width, const FourierSettings& settings);
  ~FourierProfilometry();

  /// Throws std::invalid_argument for another width, or null pointers.
  void demodulate(const FourierImage& image, const Backend& backend, const FourierMaps& maps) const;

  /// Pixels that the filter reaches to each side, the first zero of its response: so many at a row's ends are row_end,
  /// and about a saturated one saturated.
  std::uint32_t reach_px() const;
  /// Standard deviation of the phase where samples have the noise sigma and the fringes the modulation B, both in grey values
  /// (white noise, B much larger): sigma / B sqrt(2 / n sum of H^2) over the window H. At most 2 sqrt(width / period) of it.
  double phase_noise_rad(double sigma, double modulation) const;
  /// Largest |d phi / dx| for which the local frequency is in the window and clear of the second harmonic, rad per px.
  double slope_limit_rad_per_px() const;

  const FourierSettings& settings() const;
  /// Throws what demodulate() throws.
  void check(const FourierImage& image, const FourierMaps& maps) const;

  const fourier::Plan& plan() const { return *plan_; }

 private:
  std::unique_ptr<const fourier::Plan> plan_;
};

}  // namespace datum
