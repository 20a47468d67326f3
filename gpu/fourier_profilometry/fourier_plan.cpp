#include "gpu/fourier_profilometry/fourier_plan.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace datum::fourier {
namespace {

constexpr std::uint32_t fewest_points = 256, most_points = 8192;
constexpr double pi = 3.14159265358979323846;

[[noreturn]] void refuse(const std::string& what) {
  throw std::invalid_argument("Fourier profilometry: " + what);
}

void check(std::uint32_t width, const FourierSettings& s) {
  if (width < 16 || width > most_points)
    refuse("an image is 16 to " + std::to_string(most_points) + " px wide, not " + std::to_string(width));
  if (!(s.width > 0 && s.width < 1))
    refuse("the window's width is a part of the carrier's frequency, 0 to 1");
  if (!std::isfinite(s.period_px) || !(s.period_px > 2 * (1 + s.width)))
    refuse("a period of " + std::to_string(s.period_px) + " px is too short: the window ends at " +
           std::to_string(1 + s.width) +
           " times the carrier's frequency, which must stay below half the sampling rate");
  if (!(s.camera_maximum > 0 && s.camera_maximum <= 65535)) refuse("the camera's maximum is 1 to 65535");
  if (!(s.min_modulation > 0) || !std::isfinite(s.min_modulation))
    refuse("the smallest modulation is above 0");
}

}  // namespace

Plan plan_of(std::uint32_t width, const FourierSettings& settings) {
  check(width, settings);
  Plan plan;
  plan.settings = settings;
  plan.width = width;
  std::uint32_t points = fewest_points;
  while (points < width) points *= 2;
  plan.transform = fft::plan_of<float>(points);
  const auto radix = static_cast<std::uint32_t>(plan.transform.radix[0]);
  const double carrier = points / static_cast<double>(settings.period_px), half = carrier * settings.width;
  if (half < 2)
    refuse("a window of " + std::to_string(half) +
           " bins to each side holds no phase: the row is too short for a period of " +
           std::to_string(settings.period_px) + " px");
  const auto from = static_cast<std::uint32_t>(std::floor(carrier - half)) + 1;
  const auto to = std::min(static_cast<std::uint32_t>(std::ceil(carrier + half)), points / 2);  // one beyond
  const std::uint32_t step = points / radix;
  plan.block = from / step;
  plan.blocks = (to - 1) / step - plan.block + 1;
  plan.gain.assign(std::size_t{plan.blocks} * step, 0);
  double squares = 0;
  for (std::uint32_t k = from; k < to; ++k) {
    const double h = 0.5 + 0.5 * std::cos(pi * (k - carrier) / half);
    squares += h * h;
    plan.gain[k - plan.block * step] = static_cast<float>(h / 2 / points);
  }
  for (std::uint32_t k = 0; k < radix; ++k) plan.first_root.push_back(fft::root_of<float>(k, radix));
  for (std::uint32_t i = width; i < points; ++i)
    plan.bridge.push_back(static_cast<float>(i - width + 1) / static_cast<float>(points - width + 1));
  plan.reach_px = static_cast<std::uint32_t>(std::ceil(settings.period_px / settings.width));
  if (2 * plan.reach_px >= width)
    refuse("the filter reaches " + std::to_string(plan.reach_px) + " px to each side: no pixel of a row of " +
           std::to_string(width) + " px is left");
  plan.least_square = settings.min_modulation * settings.min_modulation / 4;
  plan.noise_gain = std::sqrt(2 * squares / points);
  return plan;
}

void check_call(const Plan& plan, const FourierImage& image, const FourierMaps& maps) {
  if (image.width != plan.width)
    refuse("an image " + std::to_string(image.width) + " px wide, made ready for " +
           std::to_string(plan.width));
  if (!image.samples || !maps.classes || !maps.phase_rad) refuse("samples, classes and phases must be given");
}

}  // namespace datum::fourier
