// Stacks of parallel planes with noise for the tests of the parallel planes.
#pragma once

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "gpu/parallel_planes/parallel_planes.h"

namespace datum::testing {

struct Stack {
  std::vector<std::vector<WeightedPoint>> points;  // per plane
  std::vector<std::array<float, 3>> centres;
  std::vector<ParallelSet> sets;

  std::vector<PlaneSample> samples() const {
    std::vector<PlaneSample> all;
    for (std::size_t i = 0; i < points.size(); ++i)
      all.push_back({points[i].data(), points[i].size(), {centres[i][0], centres[i][1], centres[i][2]}});
    return all;
  }
};

struct Shape {
  double half_x = 20, half_y = 12, step = 5;  // mm, and from plane to plane
  double slope_x = 0.02, slope_y = -0.013;
  double noise = 0.002;
};

/// One set of planes; sizes as given.
inline void add_set(Stack& stack, const std::vector<std::size_t>& sizes, const Shape& s,
                    std::mt19937_64& random, bool weights) {
  std::uniform_real_distribution<double> unit(-1, 1);
  std::normal_distribution<double> normal;
  stack.sets.push_back(
      {static_cast<std::uint32_t>(stack.points.size()), static_cast<std::uint32_t>(sizes.size())});
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::vector<WeightedPoint> plane(sizes[i]);
    const double z0 = s.step * static_cast<double>(i);
    for (WeightedPoint& p : plane) {
      const double x = s.half_x * unit(random), y = s.half_y * unit(random);
      const double z = z0 + s.slope_x * x + s.slope_y * y + s.noise * normal(random);
      const double w = weights ? 0.5 + 0.5 * unit(random) : 1;
      p = {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z), static_cast<float>(w)};
    }
    stack.points.push_back(plane);
    stack.centres.push_back({0.f, 0.f, static_cast<float>(z0)});
  }
}

struct StackResult {
  std::vector<ParallelPlanes> shared;
  std::vector<ParallelPlane> planes;

  explicit StackResult(const Stack& stack) : shared(stack.sets.size()), planes(stack.points.size()) {}
  std::string bytes() const {
    return std::string(reinterpret_cast<const char*>(shared.data()), shared.size() * sizeof shared[0]) +
           std::string(reinterpret_cast<const char*>(planes.data()), planes.size() * sizeof planes[0]);
  }
};

inline ParallelPlanesSettings stack_settings(float half_range = 32) {
  ParallelPlanesSettings s;
  s.half_range = half_range;
  return s;
}

inline StackResult fit(const Stack& stack, const ParallelPlanesSettings& settings, const Backend& backend) {
  StackResult r(stack);
  const auto samples = stack.samples();
  fit_parallel_planes(samples.data(), samples.size(), stack.sets.data(), stack.sets.size(), settings, backend,
                      r.shared.data(), r.planes.data());
  return r;
}

/// Sizes around every seam of rows, tiles, blocks and chunks; ten sets of one to nine planes.
inline Stack ragged_stack(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::vector<std::size_t> sizes{3,     7,     8,     9,     1023,  1024,  1025, 5000, 4,      16383,
                                       16384, 16385, 65535, 65536, 65537, 40000, 11,   2048, 100000, 64};
  Stack stack;
  for (std::size_t set = 0; set < 10; ++set) {
    std::vector<std::size_t> these;
    for (std::size_t i = 0; i <= set % 9; ++i) these.push_back(sizes[random() % sizes.size()]);
    add_set(stack, these, Shape{}, random, set % 2 == 0);
  }
  return stack;
}

}  // namespace datum::testing
