// Volumes and maps to be diffused, and the scheme as its formula says, in double.
#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "gpu/diffusion/diffusion.h"

namespace datum::testing {

using Field = std::vector<std::int32_t>;

inline std::size_t at(const DiffusionGrid& g, std::size_t x, std::size_t y, std::size_t z) {
  return (z * g.ny + y) * g.nx + x;
}

/// Values up to +-range, of which `holes` in a thousand are missing.
inline Field random_field(const DiffusionGrid& g, std::uint64_t seed, std::int32_t range,
                          unsigned holes = 0) {
  std::mt19937_64 random(seed);
  Field f(g.size());
  for (auto& v : f)
    v = static_cast<std::int32_t>(random() % (2 * static_cast<std::uint64_t>(range) + 1)) - range;
  for (auto& v : f)
    if (random() % 1000 < holes) v = no_count_32;
  return f;
}

inline std::int64_t sum_of(const Field& f) {
  std::int64_t sum = 0;
  for (const std::int32_t v : f) sum += v == no_count_32 ? 0 : v;
  return sum;
}

inline Field diffused(Field f, const DiffusionGrid& g, const DiffusionSettings& s,
                      const Backend& b = cpu_backend(2)) {
  diffuse(f.data(), g, s, b);
  return f;
}

/// visit(i, j) for every face between neighbours i and j = i + 1 along x, y or z.
template <class Visit>
void for_each_face(const DiffusionGrid& g, const Visit& visit) {
  for (std::size_t z = 0; z < g.nz; ++z)
    for (std::size_t y = 0; y < g.ny; ++y)
      for (std::size_t x = 0; x < g.nx; ++x) {
        if (x + 1 < g.nx) visit(at(g, x, y, z), at(g, x + 1, y, z));
        if (y + 1 < g.ny) visit(at(g, x, y, z), at(g, x, y + 1, z));
        if (z + 1 < g.nz) visit(at(g, x, y, z), at(g, x, y, z + 1));
      }
}

/// The formula in double, without rounding; kappa in counts.
inline std::vector<double> in_double(const Field& f, const DiffusionGrid& g, const DiffusionSettings& s,
                                     double kappa) {
  std::vector<double> u(f.begin(), f.end());
  for (std::uint32_t i = 0; i < s.iterations; ++i) {
    std::vector<double> sum(u.size());
    for_each_face(g, [&](std::size_t a, std::size_t b) {
      if (f[a] == no_count_32 || f[b] == no_count_32) return;
      const double d = u[b] - u[a], q = d / kappa * (d / kappa);
      const double flux =
          s.lambda * d * (s.conduction == Conduction::exponential ? std::exp(-q) : 1 / (1 + q));
      sum[a] += flux;
      sum[b] -= flux;
    });
    for (std::size_t k = 0; k < u.size(); ++k) u[k] += sum[k];
  }
  return u;
}

}  // namespace datum::testing
