#include "gpu/fringe_phase/fringe_check.h"

#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace datum::fringe {

void refuse(const std::string& what) { throw std::invalid_argument("fringes: " + what); }

std::string short_number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", v);
  return text;
}

void check(const FringePattern& pattern) {
  if (pattern.steps < fewest_steps || pattern.steps > most_steps)
    refuse(std::to_string(pattern.steps) + " steps; 3 to " + std::to_string(most_steps) + " are wanted");
  if (pattern.periods < 1 || pattern.periods > most_periods)
    refuse(std::to_string(pattern.periods) + " periods; 1 to " + std::to_string(most_periods) +
           " are wanted");
  if (!(pattern.width_px >= 1 && pattern.width_px <= 100000))
    refuse("width_px " + short_number(pattern.width_px) + "; 1 to 100000 is wanted");
  for (std::uint32_t i = 0; i < pattern.periods; ++i) {
    if (!(pattern.period_px[i] >= 2 && pattern.period_px[i] <= 100000))
      refuse("period_px " + short_number(pattern.period_px[i]) + "; 2 to 100000 is wanted");
    for (std::uint32_t j = 0; j < i; ++j)
      if (pattern.period_px[i] == pattern.period_px[j])
        refuse("period_px " + short_number(pattern.period_px[i]) + " stands twice; periods differ");
  }
  if (pattern.direction != 1 && pattern.direction != -1)
    refuse("direction " + short_number(pattern.direction) + "; 1 or -1 is wanted");
  if (!(std::fabs(pattern.zero_turns) <= 1))
    refuse("zero_turns " + short_number(pattern.zero_turns) + "; -1 to 1 is wanted");
}

void check(const FringeLimits& limits, SampleType type) {
  const float most = type == SampleType::u8 ? 255 : 65535;
  if (!(limits.camera_maximum >= 1 && limits.camera_maximum <= most))
    refuse("camera_maximum " + short_number(limits.camera_maximum) + "; 1 to " + short_number(most) +
           " is what the samples can hold");
  if (!(limits.min_modulation > 0 && limits.min_modulation < limits.camera_maximum))
    refuse("min_modulation " + short_number(limits.min_modulation) +
           "; above 0 and below camera_maximum is wanted");
  if (!(limits.agreement_px > 0 && limits.agreement_px <= 1000))
    refuse("agreement_px " + short_number(limits.agreement_px) + "; above 0 and up to 1000 is wanted");
  constexpr float least = 1e-6f;  // its square is far from the smallest float
  const auto is_noise = [&](float v) { return v == 0 || (v >= least && v <= most); };
  if (!is_noise(limits.noise_grey) || !is_noise(limits.noise_per_grey))
    refuse("noise_grey and noise_per_grey are 0, or 1e-6 to " + short_number(most));
}

namespace {
void check_size(const FringeImages& images) {
  constexpr std::uint64_t most_pixels = std::uint64_t{1} << 28;
  if (images.width == 0 || images.height == 0 || std::uint64_t{images.width} * images.height > most_pixels)
    refuse(std::to_string(images.width) + " x " + std::to_string(images.height) +
           " pixels; 1 to 2^28 are wanted");
}
}  // namespace

void check_images(const FringeImages& images, const FringePattern& pattern) {
  check_size(images);
  if (!images.images) refuse("no images");
  for (std::uint32_t i = 0; i < pattern.periods * pattern.steps; ++i)
    if (!images.images[i]) refuse("image " + std::to_string(i) + " is missing");
}

void check_maps(const FringeImages& images, const FringePattern& pattern, const HeightModel* model,
                const FringeMaps& maps) {
  check_size(images);
  if (!maps.classes || !maps.column_px) refuse("classes and column_px have no place to go");
  if (maps.residual && pattern.steps == 3)
    refuse("3 steps fit any sine and leave no residual; take 4 or more");
  if ((maps.height || maps.height_sigma_um) && !model) refuse("heights without a height model");
  if (model) datum::check(*model, images.width, images.height);
}

}  // namespace datum::fringe
