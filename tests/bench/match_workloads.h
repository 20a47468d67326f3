// The thesis' matching workloads: a cone's scan of 424,307 points against models of 0.1 to 1.19 million facets.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/gpu/model_scenes.h"

namespace datum::bench {

struct MatchWorkload {
  RawModel model;
  std::vector<ModelPoint> scan, shuffled;  // about the model's origin
};

/// A cone of 40 mm radius and height; points on rings as a scanner gives them, 20 um of noise, without the outermost 2 %.
inline MatchWorkload match_workload(std::size_t facets, std::size_t points) {
  MatchWorkload w;
  const int rings = static_cast<int>(std::sqrt(static_cast<double>(facets) / 12));
  w.model = testing::cone_model(40, 40, rings, static_cast<int>(facets / 2) / rings);
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.02);
  const auto lines = static_cast<std::size_t>(std::sqrt(static_cast<double>(points) / 6));
  for (std::size_t i = 0; i < points; ++i) {
    const double u = 0.01 + 0.97 * static_cast<double>(i * lines / points) / static_cast<double>(lines);
    const double turn = 2 * M_PI * static_cast<double>((i * lines) % points) / static_cast<double>(points);
    const double off = noise(random) * std::sqrt(0.5), ring = 40 * u + off;
    w.scan.push_back({static_cast<float>(ring * std::cos(turn)), static_cast<float>(ring * std::sin(turn)),
                      static_cast<float>(40 * (1 - u) + off - 20)});
  }
  w.shuffled = w.scan;
  std::shuffle(w.shuffled.begin(), w.shuffled.end(), random);
  return w;
}

}  // namespace datum::bench
