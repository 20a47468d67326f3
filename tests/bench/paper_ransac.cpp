#include "tests/bench/paper_ransac.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace datum::bench {
namespace {

struct Arrays {
  const float *x, *y, *z;
  Xyz operator[](std::size_t i) const { return {x[i], y[i], z[i]}; }
};

struct Structures {
  const Xyz* p;
  Xyz operator[](std::size_t i) const { return p[i]; }
};

/// Unit normal and distance: a x + b y + c z + d = 0.
struct NormalForm {
  float a = 0, b = 0, c = 0, d = 0;
  bool defined = false;
};

NormalForm plane_through(const Xyz& p, const Xyz& q, const Xyz& r) {
  const float ux = q.x - p.x, uy = q.y - p.y, uz = q.z - p.z, vx = r.x - p.x, vy = r.y - p.y, vz = r.z - p.z;
  const float nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
  const float length = std::sqrt(nx * nx + ny * ny + nz * nz);
  if (!(length > 0)) return {};
  NormalForm f{nx / length, ny / length, nz / length, 0, true};
  f.d = -(f.a * p.x + f.b * p.y + f.c * p.z);
  return f;
}

template <class Points>
int count_inliers(Points points, std::size_t n, const NormalForm f, float t) {
  int count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Xyz p = points[i];
    count += std::fabs(f.a * p.x + f.b * p.y + f.c * p.z + f.d) < t;
  }
  return count;
}

int needed(double w, double p, int limit) {
  const double n = std::log(1 - p) / std::log(1 - w * w * w);
  return n < limit ? std::max(1, static_cast<int>(std::ceil(n))) : limit;
}

/// Step 3: classification, then z = a x + b y + c of the inliers by the normal equations.
template <class Points>
PaperPlane least_squares(Points points, std::size_t n, const NormalForm f, float t) {
  std::vector<unsigned char> inlier(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Xyz p = points[i];
    inlier[i] = std::fabs(f.a * p.x + f.b * p.y + f.c * p.z + f.d) < t;
  }
  double m = 0, x = 0, y = 0, z = 0, xx = 0, xy = 0, yy = 0, xz = 0, yz = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!inlier[i]) continue;
    const Xyz p = points[i];
    m += 1, x += p.x, y += p.y, z += p.z;
    xx += double(p.x) * p.x, xy += double(p.x) * p.y, yy += double(p.y) * p.y;
    xz += double(p.x) * p.z, yz += double(p.y) * p.z;
  }
  xx -= x * x / m, xy -= x * y / m, yy -= y * y / m, xz -= x * z / m, yz -= y * z / m;
  const double det = xx * yy - xy * xy, a = (xz * yy - yz * xy) / det, b = (yz * xx - xz * xy) / det;
  return {a, b, (z - a * x - b * y) / m};
}

template <class Points>
PaperPlane ransac(Points points, std::size_t n, float t, double p, std::uint32_t seed) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<std::size_t> index(0, n - 1);
  NormalForm best;
  int most = 0, limit = 1024;
  for (int i = 0; i < limit; ++i) {
    const NormalForm f = plane_through(points[index(engine)], points[index(engine)], points[index(engine)]);
    if (!f.defined) continue;
    const int count = count_inliers(points, n, f, t);
    if (count > most) {
      most = count;
      best = f;
      limit = std::min(limit, needed(double(count) / double(n), p, limit));
    }
  }
  return least_squares(points, n, best, t);
}

}  // namespace

PaperPlane paper_ransac(const float* x, const float* y, const float* z, std::size_t n, float t, double p,
                        std::uint32_t seed) {
  return ransac(Arrays{x, y, z}, n, t, p, seed);
}

PaperPlane paper_ransac(const Xyz* points, std::size_t n, float t, double p, std::uint32_t seed) {
  return ransac(Structures{points}, n, t, p, seed);
}

}  // namespace datum::bench
