// Models whose distances are known, and points about them.
#pragma once

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "gpu/model_distance/model_distance.h"

namespace datum::testing {

using Place3 = std::array<double, 3>;

/// A grid of u x v cells mapped to space, two facets a cell; normals along d/du x d/dv.
template <class Map>
void add_patch(RawModel& m, int u, int v, const Map& map) {
  const auto first = static_cast<std::uint32_t>(m.vertices.size());
  for (int i = 0; i <= u; ++i)
    for (int k = 0; k <= v; ++k) m.vertices.push_back(map(double(i) / u, double(k) / v));
  const auto at = [&](int i, int k) { return first + static_cast<std::uint32_t>(i * (v + 1) + k); };
  for (int i = 0; i < u; ++i)
    for (int k = 0; k < v; ++k) {
      m.facets.push_back({at(i, k), at(i + 1, k), at(i + 1, k + 1)});
      m.facets.push_back({at(i, k), at(i + 1, k + 1), at(i, k + 1)});
    }
}

/// Axes-parallel, about the origin, n cells along each side, outwards.
inline RawModel box_model(double a, double b, double c, int n) {
  RawModel m;
  const double size[3] = {a, b, c};
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {1.0, -1.0}) {
      const int p = (axis + 1) % 3, q = (axis + 2) % 3;
      add_patch(m, n, n, [&](double u, double v) {
        Place3 at{};
        at[axis] = sign * size[axis] / 2;
        at[p] = size[p] * ((sign > 0 ? u : 1 - u) - 0.5);
        at[q] = size[q] * (v - 0.5);
        return at;
      });
    }
  return m;
}

inline RawModel sphere_model(double radius, int n) {
  RawModel m;
  add_patch(m, n, 2 * n, [&](double u, double v) {
    const double polar = M_PI * u, turn = v == 1 ? 0 : 2 * M_PI * v;
    const double ring = u == 0 || u == 1 ? 0 : radius * std::sin(polar);
    return Place3{ring * std::cos(turn), ring * std::sin(turn), radius * std::cos(polar)};
  });
  return m;
}

/// Tip up at (0, 0, height), without its base: an open rim.
inline RawModel cone_model(double radius, double height, int rings, int sectors) {
  RawModel m;
  add_patch(m, rings, sectors, [&](double u, double v) {
    const double turn = v == 1 ? 0 : 2 * M_PI * v;
    return Place3{radius * u * std::cos(turn), radius * u * std::sin(turn), height * (1 - u)};
  });
  return m;
}

/// Facets anywhere, slivers among them.
inline RawModel soup_model(std::size_t facets, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  RawModel m;
  for (std::size_t i = 0; i < facets; ++i) {
    const double thin = i % 5 == 0 ? 1e-4 : 1;
    const Place3 at{10 * unit(random), 10 * unit(random), 10 * unit(random)};
    Place3 corner[3] = {at, at, at};
    for (int axis = 0; axis < 3; ++axis) {
      corner[1][axis] += unit(random);
      corner[2][axis] += (thin < 1 ? 0.4 : 0) * (corner[1][axis] - at[axis]) + thin * unit(random);
    }
    for (const Place3& c : corner) m.vertices.push_back(c);
    const auto n = static_cast<std::uint32_t>(3 * i);
    m.facets.push_back({n, n + 1, n + 2});
  }
  return m;
}

inline std::vector<ModelPoint> points_in_cube(std::size_t count, double half, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> side(static_cast<float>(-half), static_cast<float>(half));
  std::vector<ModelPoint> points(count);
  for (ModelPoint& p : points) p = {side(random), side(random), side(random)};
  return points;
}

inline std::vector<ModelDistance> find(const TriangleModel& model, const std::vector<ModelPoint>& points,
                                       float search, const Backend& backend = cpu_backend(0)) {
  std::vector<ModelDistance> out(points.size());
  DistanceSettings settings;
  settings.search = search;
  ModelSearch(std::make_shared<TriangleModel>(model))
      .find(points.data(), points.size(), settings, backend, out.data());
  return out;
}

inline std::string bytes_of(const std::vector<ModelDistance>& d) {
  return {reinterpret_cast<const char*>(d.data()), d.size() * sizeof d[0]};
}

}  // namespace datum::testing
