#include <algorithm>
#include <cmath>

#include "tests/bench/diffusion_peers.h"

namespace datum::bench {

void plain_iteration(const float* from, float* to, const DiffusionGrid& g, std::size_t z0, std::size_t z1,
                     float kappa, float lambda) {
  const std::size_t nx = g.nx, plane = nx * g.ny;
  const float c = -1 / (kappa * kappa);
  for (std::size_t z = z0; z < z1; ++z)
    for (std::size_t y = 0; y < g.ny; ++y) {
      const float* u = from + z * plane + y * nx;
      const float* up = y > 0 ? u - nx : u;
      const float* down = y + 1 < g.ny ? u + nx : u;
      const float* before = z > 0 ? u - plane : u;
      const float* behind = z + 1 < g.nz ? u + plane : u;
      float* out = to + z * plane + y * nx;
      const auto flux = [c](float d) { return d * std::exp(c * d * d); };
      const auto at = [&](std::size_t x, float left, float right) {
        return u[x] + lambda * (flux(left - u[x]) + flux(right - u[x]) + flux(up[x] - u[x]) +
                                flux(down[x] - u[x]) + flux(before[x] - u[x]) + flux(behind[x] - u[x]));
      };
      out[0] = at(0, u[0], u[std::min<std::size_t>(1, nx - 1)]);
      for (std::size_t x = 1; x + 1 < nx; ++x) out[x] = at(x, u[x - 1], u[x + 1]);
      out[nx - 1] = at(nx - 1, u[nx > 1 ? nx - 2 : 0], u[nx - 1]);
    }
}

}  // namespace datum::bench
