// The projector's column at each pixel of a camera, and with a calibrated model the height, from raw images of fringes:
// N-step phase shifting, unwrapped over up to three periods. One fused pass from the raw samples to the result.
//
//   phase       C = sum I_k cos(2 pi k / N), S = sum I_k sin(2 pi k / N), theta = atan2(-S, C)
//   modulation  B = 2 / N hypot(C, S)
//   mean        A = sum I_k / N
//   noise       sigma_theta = sqrt(2 / N) sigma_I / B
//
// (D. Malacara, Optical Shop Testing, 3rd ed., ch. 14: least squares on N equal steps.) Harmonics of the projector's and
// camera's response up to N - 2 cancel; at N = 3 not even the second does: tell the user.
//
// C++17: CUDA sources include this header. Bytes are the same for every backend, its lanes and its threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/core/backend.h"
#include "gpu/fringe_phase/height_model.h"

namespace datum {

constexpr std::uint32_t most_periods = 3, fewest_steps = 3, most_steps = 32;

/// What the projector shows. At its column u in px, image k of period i has the grey value
/// A + B cos(2 pi (u / period_px[i] + zero_turns) + direction 2 pi k / steps).
struct FringePattern {
  std::uint32_t steps = 0;    // N of each period
  std::uint32_t periods = 0;  // how many, of different lengths
  float period_px[most_periods] = {0, 0, 0};
  float width_px = 0;    // columns that fringes may come from: 0 <= u < width_px
  float direction = 1;   // 1, or -1: the steps move the fringes the other way
  float zero_turns = 0;  // 0 for a cosine, -0.25 for a sine
};

/// What a pixel must keep to, and the camera's noise, all in grey values as the camera counts.
struct FringeLimits {
  float camera_maximum = 0;  // a sample that reaches it is saturated: 255, 4095, ...
  float min_modulation = 8;  // smallest B in every period
  float agreement_px =
      0.25f;  // between the columns that the shortest and each other period say, in projector px at the
              // shortest period; longer ones are allowed more in proportion: their noise grows so
  float noise_grey = 1;      // standard deviation of a dark sample
  float noise_per_grey = 0;  // and variance that each grey value of the mean adds (photons)
};

enum class FringeClass : std::uint8_t {
  ok,
  saturated,       // a sample reached the camera's maximum
  low_modulation,  // too dark, too shiny or in shadow: no phase
  unwrap,          // the periods disagree, or the column is not the projector's
  out_of_range,    // the column is good, but the height model does not reach there
};
const char* name_of(FringeClass c);

enum class SampleType : std::uint8_t { u8, u16 };

/// periods x steps images, images[period * steps + step], each of width * height samples by rows without gaps.
struct FringeImages {
  const void* const* images = nullptr;
  SampleType type = SampleType::u8;
  std::uint32_t width = 0, height = 0;
};

/// Where results go: arrays of width * height by rows; nullptr: not wanted. classes and column_px are always written.
struct FringeMaps {
  FringeClass* classes = nullptr;
  float* column_px = nullptr;   // u; 0 where saturated, low_modulation or unwrap
  float* sigma_px = nullptr;    // standard deviation of u from the camera's noise; 0 where u is
  float* modulation = nullptr;  // smallest B of the periods; always there
  float* mean = nullptr;        // A of the first period; always there
  float* residual =
      nullptr;  // largest rms of the samples about the sine among the periods, N - 3 degrees of freedom;
                // always there; N > 3
  std::int32_t* height = nullptr;    // counts of the model's lsb_um; no_count_32 where not ok. Needs a model
  float* height_sigma_um = nullptr;  // sigma_px times the model's slope; 0 where not ok. Needs a model
};

/// Demodulates one set of images. `model` may be null. Throws std::invalid_argument for settings that mean nothing, a
/// pattern whose periods leave the column ambiguous (unwrap_plan.h), null images, maps that are missing or need what is
/// not there.
void demodulate(const FringeImages& images, const FringePattern& pattern, const FringeLimits& limits,
                const HeightModel* model, const Backend& backend, const FringeMaps& maps);

}  // namespace datum
