// Raw images of fringes on a surface whose columns are known.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpu/core/philox.h"
#include "gpu/fringe_phase/fringe_phase.h"

namespace datum::testing {

/// 14, 15 and 16 px over a projector of 1280: beats of 210, 240 and 1680.
inline FringePattern three_periods(std::uint32_t steps) {
  FringePattern p;
  p.steps = steps;
  p.periods = 3;
  p.period_px[0] = 14;
  p.period_px[1] = 15;
  p.period_px[2] = 16;
  p.width_px = 1280;
  return p;
}

inline FringeLimits limits_of_bytes() {
  FringeLimits l;
  l.camera_maximum = 255;
  return l;
}

template <class T>
struct RawFringes {
  std::uint32_t width = 0, height = 0;
  std::vector<std::vector<T>> samples;
  std::vector<const void*> pointers;

  RawFringes(std::uint32_t w, std::uint32_t h, std::uint32_t count)
      : width(w), height(h), samples(count, std::vector<T>(std::size_t{w} * h)) {}
  FringeImages images() {
    pointers.clear();
    for (const auto& s : samples) pointers.push_back(s.data());
    return {pointers.data(), sizeof(T) == 1 ? SampleType::u8 : SampleType::u16, width, height};
  }
};

/// u(x, y) in projector px; mean and modulation in grey values. Samples are rounded, not cut off below their type's range.
template <class T>
RawFringes<T> render(const FringePattern& p, std::uint32_t width, std::uint32_t height,
                     const std::function<double(double, double)>& u, double mean, double modulation) {
  RawFringes<T> raw(width, height, p.periods * p.steps);
  for (std::uint32_t i = 0; i < p.periods; ++i)
    for (std::uint32_t k = 0; k < p.steps; ++k)
      for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x) {
          const double turns = u(x, y) / static_cast<double>(p.period_px[i]) +
                               static_cast<double>(p.zero_turns) +
                               static_cast<double>(p.direction) * k / p.steps;
          raw.samples[i * p.steps + k][std::size_t{y} * width + x] =
              static_cast<T>(std::lround(mean + modulation * std::cos(2 * M_PI * turns)));
        }
  return raw;
}

/// Fringes over the whole projector among which every seventh pixel means nothing, and others are flat or saturated.
template <class T>
RawFringes<T> ragged_images(const FringePattern& p, std::uint32_t width, std::uint32_t height,
                            std::uint32_t seed) {
  const double slope = static_cast<double>(p.width_px) / (width + height);
  RawFringes<T> raw = render<T>(
      p, width, height, [&](double x, double y) { return slope * (x + y); }, 120, 100);
  for (std::uint32_t i = 0; i < raw.samples.size(); ++i)
    for (std::uint32_t at = 0; at < raw.samples[i].size(); ++at) {
      const PhiloxBlock r = philox({{i, at, 0, 0}}, seed);
      T& sample = raw.samples[i][at];
      sample = static_cast<T>(sample + r.word[0] % 5);
      if (at % 7 == 3) sample = static_cast<T>(r.word[0] % 255);
      if (at % 11 == 3) sample = 100;
      if (r.word[1] % 97 == 0) sample = 255;
    }
  return raw;
}

/// All maps of a demodulation.
struct FringeResult {
  std::vector<FringeClass> classes;
  std::vector<float> column, sigma, modulation, mean, residual, height_sigma;
  std::vector<std::int32_t> height;
  FringeMaps maps;

  FringeResult(std::size_t n, bool with_residual, bool with_height)
      : classes(n, FringeClass::unwrap), column(n, -1), sigma(n, -1), modulation(n, -1), mean(n, -1) {
    if (with_residual) residual.assign(n, -1);
    if (with_height) height.assign(n, -1), height_sigma.assign(n, -1);
    maps = {classes.data(),
            column.data(),
            sigma.data(),
            modulation.data(),
            mean.data(),
            with_residual ? residual.data() : nullptr,
            with_height ? height.data() : nullptr,
            with_height ? height_sigma.data() : nullptr};
  }
  std::string bytes() const {
    std::string all;
    const auto add = [&](const auto& v) {
      all.append(reinterpret_cast<const char*>(v.data()), v.size() * sizeof v[0]);
    };
    add(classes), add(column), add(sigma), add(modulation), add(mean), add(residual), add(height);
    add(height_sigma);
    return all;
  }
  std::size_t count(FringeClass c) const {
    return static_cast<std::size_t>(std::count(classes.begin(), classes.end(), c));
  }
};

template <class T>
FringeResult demodulated(RawFringes<T>& raw, const FringePattern& pattern, const FringeLimits& limits,
                         const HeightModel* model, const Backend& backend) {
  FringeResult r(std::size_t{raw.width} * raw.height, pattern.steps > 3, model != nullptr);
  demodulate(raw.images(), pattern, limits, model, backend, r.maps);
  return r;
}

/// A model whose coefficients differ from node to node, smoothly.
struct ModelScene {
  std::vector<HeightNode> nodes;
  HeightModel model;

  ModelScene(std::uint32_t width, std::uint32_t height, std::uint32_t cell_px) {
    model.cell_px = cell_px;
    model.columns = nodes_along(width, cell_px);
    model.rows = nodes_along(height, cell_px);
    for (std::uint32_t r = 0; r < model.rows; ++r)
      for (std::uint32_t c = 0; c < model.columns; ++c) {
        const float x = static_cast<float>(c * cell_px), y = static_cast<float>(r * cell_px);
        nodes.push_back({100 + 0.9f * x + 0.01f * y,
                         1 / (60 + 0.01f * y),
                         {10 + 0.1f * x, 3000 - 0.1f * y, 20 + 0.01f * x, 5},
                         0.05f + 1e-5f * x,
                         0});
      }
    model.nodes = nodes.data();
  }
};

}  // namespace datum::testing
