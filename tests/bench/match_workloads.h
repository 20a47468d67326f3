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

/// The side of a truncated cone, both ends open, of about so many facets as long as wide. The thesis' exhaust cone has 1,188,408
/// facets of at most 0.5 mm, so about 60,000 mm^2; its second part 1,147,568 of at most 0.039 inches, four times that.
struct Frustum {
  double small, large, height;  // radii
  double slant() const { return std::hypot(large - small, height); }
};
constexpr Frustum exhaust_cone{50, 90, 130}, second_part{90, 170, 252};

inline RawModel frustum_model(const Frustum& f, std::size_t facets, double turned = 0) {
  const double across = M_PI * (f.small + f.large) / f.slant();  // sectors for each ring
  const int rings = static_cast<int>(std::sqrt(static_cast<double>(facets) / 2 / across));
  RawModel m;
  testing::add_patch(m, rings, static_cast<int>(facets / 2) / rings, [&](double u, double v) {
    const double turn = (v == 1 ? 0 : 2 * M_PI * v) + turned, ring = f.small + u * (f.large - f.small);
    return testing::Place3{ring * std::cos(turn), ring * std::sin(turn), f.height * (1 - u)};
  });
  return m;
}

/// Points on rings as a scanner gives them, evenly dense, 20 um of noise, without the outermost 1 %; shuffled, about the
/// model's origin.
inline std::vector<ModelPoint> frustum_scan(const Frustum& f, std::size_t points) {
  std::vector<ModelPoint> scan;
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.02);
  const double pitch = std::sqrt(M_PI * (f.small + f.large) * f.slant() / static_cast<double>(points));
  const int rings = static_cast<int>(f.slant() / pitch);
  for (int i = 0; i < rings; ++i) {
    const double u = 0.01 + 0.98 * i / rings, ring = f.small + u * (f.large - f.small);
    const int around = static_cast<int>(2 * M_PI * ring / pitch);
    for (int k = 0; k < around; ++k) {
      const double turn = 2 * M_PI * k / around, off = noise(random);
      const double at = ring + off * f.height / f.slant();
      scan.push_back({static_cast<float>(at * std::cos(turn)), static_cast<float>(at * std::sin(turn)),
                      static_cast<float>(f.height * (0.5 - u) + off * (f.large - f.small) / f.slant())});
    }
  }
  std::shuffle(scan.begin(), scan.end(), random);
  return scan;
}

}  // namespace datum::bench
