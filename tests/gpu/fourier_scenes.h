// Images of fringes whose phase is known.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "gpu/fourier_profilometry/fourier_profilometry.h"

namespace datum::testing {

constexpr double pi = 3.14159265358979323846;

struct FringeScene {
  std::uint32_t width = 1000, height = 24;
  double period_px = 12.3, mean = 120, modulation = 80, noise = 0;
  double relief_rad = 1.5;  // amplitude of phi, of one wave a row
  double phase(std::uint32_t x, std::uint32_t y) const {
    return 2 * pi * x / period_px + relief_rad * std::sin(2 * pi * (x + 7.0 * y) / width) + 0.1 * y;
  }
};

template <class Sample>
std::vector<Sample> fringes(const FringeScene& s, std::uint64_t seed, double grey = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Sample> v;
  v.reserve(std::size_t{s.width} * s.height);
  for (std::uint32_t y = 0; y < s.height; ++y)
    for (std::uint32_t x = 0; x < s.width; ++x) {
      const double value = s.mean + s.modulation * std::cos(s.phase(x, y)) + s.noise * normal(random);
      v.push_back(static_cast<Sample>(std::lround(std::max(0.0, value * grey))));
    }
  return v;
}

struct FourierResult {
  std::vector<FourierClass> classes;
  std::vector<float> phase_rad, modulation;
  explicit FourierResult(std::size_t size) : classes(size), phase_rad(size), modulation(size) {}
  FourierMaps maps() { return {classes.data(), phase_rad.data(), modulation.data()}; }
  bool operator==(const FourierResult& o) const {
    return classes == o.classes && same(phase_rad, o.phase_rad) && same(modulation, o.modulation);
  }

 private:
  static bool same(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
  }
};

template <class Sample>
FourierImage image_of(const std::vector<Sample>& samples, std::uint32_t width) {
  return {samples.data(), sizeof(Sample) == 1 ? SampleType::u8 : SampleType::u16, width,
          static_cast<std::uint32_t>(samples.size() / width)};
}

template <class Sample>
FourierResult demodulated(const std::vector<Sample>& samples, std::uint32_t width,
                          const FourierSettings& settings, const Backend& backend) {
  FourierResult r(samples.size());
  FourierProfilometry(width, settings).demodulate(image_of(samples, width), backend, r.maps());
  return r;
}

inline FourierSettings fourier_settings(double period_px, float maximum = 255) {
  FourierSettings s;
  s.period_px = static_cast<float>(period_px);
  s.camera_maximum = maximum;
  return s;
}

}  // namespace datum::testing
