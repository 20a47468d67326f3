// Single-shot phases of real fringes against the phase of twelve steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "drivers/sensor/raster.h"
#include "tests/gpu/fourier_scenes.h"
#include "tests/real_data.h"

namespace datum::fourier_realdata_test {
namespace {

using namespace testing;

constexpr std::uint32_t width = 640, height = 480, steps = 12;

std::vector<std::uint8_t> image_number(std::uint32_t number) {
  char name[32];
  std::snprintf(name, sizeof name, "fringe/0%03uh.png", 100 + number);
  const auto file = real_data_folder() / name;
  return std::get<std::vector<std::uint8_t>>(read_png(read_bytes(file, 1 << 20), file.string()).samples);
}

struct Truth {
  std::vector<double> phase, modulation;
};
/// theta = atan2(-S, C) of the steps from `first` on.
Truth twelve_steps(std::uint32_t first) {
  std::vector<double> c(std::size_t{width} * height), s(c.size());
  for (std::uint32_t k = 0; k < steps; ++k) {
    const auto image = image_number(first + k);
    for (std::size_t i = 0; i < image.size(); ++i) {
      c[i] += image[i] * std::cos(2 * pi * k / steps);
      s[i] += image[i] * std::sin(2 * pi * k / steps);
    }
  }
  Truth t;
  for (std::size_t i = 0; i < c.size(); ++i) {
    t.phase.push_back(std::atan2(-s[i], c[i]));
    t.modulation.push_back(2.0 / steps * std::hypot(c[i], s[i]));
  }
  return t;
}

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

TEST(RealFringes, ASingleImageFollowsTheTwelveStepsWhereTheSurfaceIsSmooth) {
  DATUM_NEED_REAL_DATA("fringe/0100h.png");
  for (std::uint32_t period = 0; period < 3; ++period) {
    const Truth truth = twelve_steps(period * steps);
    std::vector<double> slopes;
    for (std::size_t i = 1; i < truth.phase.size(); ++i)
      if (i % width != 0 && truth.modulation[i] > 20 && truth.modulation[i - 1] > 20)
        slopes.push_back(std::remainder(truth.phase[i] - truth.phase[i - 1], 2 * pi));
    const double slope = median(slopes), sign = slope > 0 ? 1 : -1;
    const FourierSettings settings = fourier_settings(2 * pi / std::fabs(slope));
    const FourierResult r = demodulated(image_number(period * steps), width, settings, cpu_backend(0));
    std::vector<double> off;
    for (std::size_t i = 0; i < truth.phase.size(); ++i)
      if (r.classes[i] == FourierClass::ok && truth.modulation[i] > 20)
        off.push_back(
            std::fabs(std::remainder(static_cast<double>(r.phase_rad[i]) - sign * truth.phase[i], 2 * pi)));
    const auto within =
        static_cast<double>(std::count_if(off.begin(), off.end(), [](double d) { return d < 0.5; }));
    std::printf("period of %.2f px in the image: %zu px, median %.3f rad, %.1f %% within 0.5 rad\n",
                2 * pi / std::fabs(slope), off.size(), median(off),
                100 * within / static_cast<double>(off.size()));
    // What a window that lets half a period's relief through leaves of the second harmonic and the noise; the rest is edges.
    EXPECT_LT(median(off), 0.02);
    EXPECT_GT(within, 0.97 * static_cast<double>(off.size()));
  }
}

}  // namespace
}  // namespace datum::fourier_realdata_test
