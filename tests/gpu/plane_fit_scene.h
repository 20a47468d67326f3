// Seeded point sets with known truth for the plane tests and the benchmark.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "gpu/plane_fit/plane_fit.h"

namespace datum::testing {

struct Scene {
  std::vector<float> x, y, z;
  std::vector<bool> floor;  // true inliers
  float half_x = 0, half_y = 0;
  std::uint64_t seed = 0;

  void add(double px, double py, double pz, bool on_floor) {
    x.push_back(static_cast<float>(px));
    y.push_back(static_cast<float>(py));
    z.push_back(static_cast<float>(pz));
    floor.push_back(on_floor);
  }
  PlanePoints points() const {
    return PlanePoints{x.data(), y.data(), z.data(), static_cast<std::uint32_t>(x.size()),
                       half_x,   half_y,   seed};
  }
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }  // [0, 1)
  double between(double low, double high) { return low + (high - low) * uniform(); }
  double gauss() {  // Box-Muller gives two at a time
    if (spare_ready_) {
      spare_ready_ = false;
      return spare_;
    }
    const double radius = std::sqrt(-2 * std::log(1 - uniform())), turn = 2 * M_PI * uniform();
    spare_ = radius * std::sin(turn);
    spare_ready_ = true;
    return radius * std::cos(turn);
  }

 private:
  std::mt19937_64 engine_;
  double spare_ = 0;
  bool spare_ready_ = false;
};

struct TruePlane {
  double a, b, c;
};

/// The paper's simulated plane (section IV): 40,000 points at a pitch of 2 within +-200; a share `inliers`
/// lies within 0.7 of the plane, the others 1 to 10 from it, measured perpendicular; t = 1, p = 0.999.
inline Scene paper_scene(const TruePlane& p, double inliers, std::uint64_t seed) {
  Scene s;
  s.half_x = s.half_y = 200;
  s.seed = seed;
  Random random(seed);
  const double slope = std::sqrt(1 + p.a * p.a + p.b * p.b);
  for (int row = 0; row < 200; ++row) {
    for (int col = 0; col < 200; ++col) {
      const double x = -200 + 2 * col, y = -200 + 2 * row;
      const bool in = random.uniform() < inliers;
      const double side = random.uniform() < 0.5 ? -1 : 1,
                   distance = in ? 0.7 * random.uniform() : random.between(1, 10);
      s.add(x, y, p.a * x + p.b * y + p.c + side * distance * slope, in);
    }
  }
  return s;
}

inline PlaneFitSettings paper_settings(FitMode mode) {
  PlaneFitSettings s;
  s.mode = mode;
  s.residual = Residual::perpendicular;
  s.threshold = 1;
  s.confidence = 0.999;
  s.max_hypotheses = 1024;
  return s;
}

/// Least squares over the points that `use` names, in long double.
template <class Use>
TruePlane least_squares(const Scene& s, Use use) {
  long double n = 0, mx = 0, my = 0, mz = 0, xx = 0, xy = 0, yy = 0, xz = 0, yz = 0;
  for (std::size_t i = 0; i < s.x.size(); ++i)
    if (use(i)) n += 1, mx += s.x[i], my += s.y[i], mz += s.z[i];
  mx /= n, my /= n, mz /= n;
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    if (!use(i)) continue;
    const long double x = s.x[i] - mx, y = s.y[i] - my, z = s.z[i] - mz;
    xx += x * x, xy += x * y, yy += y * y, xz += x * z, yz += y * z;
  }
  const long double det = xx * yy - xy * xy, a = (xz * yy - yz * xy) / det, b = (yz * xx - xz * xy) / det;
  return TruePlane{static_cast<double>(a), static_cast<double>(b), static_cast<double>(mz - a * mx - b * my)};
}

/// Largest difference of two planes over the corners of the region.
template <class Plane>
double corner_error(const Plane& p, const TruePlane& q, double half_x, double half_y) {
  return std::fabs(p.a - q.a) * half_x + std::fabs(p.b - q.b) * half_y + std::fabs(p.c - q.c);
}

/// All fields of a result, byte by byte.
inline std::string bytes_of(const PlaneFit& f) {
  std::string bytes;
  const auto put = [&](const auto& v) { bytes.append(reinterpret_cast<const char*>(&v), sizeof v); };
  put(f.a), put(f.b), put(f.c), put(f.rms), put(f.mean_x), put(f.mean_y), put(f.sxx), put(f.sxy), put(f.syy);
  put(f.valid), put(f.inliers), put(f.hypotheses), put(f.refits), put(f.status), put(f.fixed_point);
  return bytes;
}

inline std::vector<PlaneFit> fit_all(const std::vector<Scene>& scenes, const PlaneFitSettings& settings,
                                     const Backend& backend = cpu_backend(1)) {
  std::vector<PlanePoints> points;
  for (const Scene& s : scenes) points.push_back(s.points());
  std::vector<PlaneFit> fits(scenes.size());
  fit_planes(points.data(), points.size(), settings, backend, fits.data());
  return fits;
}

inline PlaneFit fit(const Scene& scene, const PlaneFitSettings& settings) {
  return fit_all({scene}, settings).front();
}

inline double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<long>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

inline double mean(const std::vector<double>& v) {
  double sum = 0;
  for (const double value : v) sum += value;
  return sum / static_cast<double>(v.size());
}

/// Instruction sets that this processor runs.
inline std::vector<Isa> runnable_isas() {
  std::vector<Isa> all{Isa::scalar};
  if (best_isa() == Isa::avx2 || best_isa() == Isa::avx512) all.push_back(Isa::avx2);
  if (best_isa() == Isa::avx512) all.push_back(Isa::avx512);
  if (best_isa() == Isa::neon) all.push_back(Isa::neon);
  return all;
}

}  // namespace datum::testing
