#include "daemon/cell/self_test.h"

#include <cmath>
#include <cstring>

#include "gpu/plane_fit/plane_fit.h"

namespace datum {

namespace {

constexpr std::uint32_t map_side = 64;

/// A plane of slope 1/64 and -1/128 with every fifth point 100 units above it: all numbers are exact in
/// float.
struct KnownPlane {
  std::vector<float> x, y, z;
  KnownPlane() {
    for (std::uint32_t i = 0; i < map_side * map_side; ++i) {
      const std::uint32_t row = i / map_side, col = i % map_side;
      const float u = static_cast<float>(col) - 31.5f, v = static_cast<float>(row) - 31.5f;
      x.push_back(u * 64);
      y.push_back(v * 128);
      z.push_back(u - v + (i % 5 == 0 ? 100.f : 0.f));
    }
  }
  PlaneFit fit(const Backend& backend, FitMode mode) const {
    PlanePoints points;
    points.x = x.data();
    points.y = y.data();
    points.z = z.data();
    points.size = map_side * map_side;
    points.half_x = 32 * 64;
    points.half_y = 32 * 128;
    points.seed = 1;
    PlaneFitSettings settings;
    settings.mode = mode;
    settings.threshold = 0.5f;
    PlaneFit fit;
    fit_planes(&points, 1, settings, backend, &fit);
    return fit;
  }
};

bool same_bytes(const PlaneFit& p, const PlaneFit& q) {
  return std::memcmp(&p.a, &q.a, sizeof p.a) == 0 && std::memcmp(&p.b, &q.b, sizeof p.b) == 0 &&
         std::memcmp(&p.c, &q.c, sizeof p.c) == 0 && p.inliers == q.inliers && p.hypotheses == q.hypotheses;
}

}  // namespace

std::vector<std::string> kernel_self_test(const Backend& backend) {
  const KnownPlane known;
  Backend scalar = backend;
  scalar.kind = BackendKind::cpu;
  scalar.isa = Isa::scalar;
  std::vector<std::string> failures;
  for (const FitMode mode : {FitMode::exact, FitMode::screened}) {
    const std::string name = mode == FitMode::exact ? "exact" : "screened";
    const PlaneFit fit = known.fit(backend, mode);
    const std::uint32_t floor_points = map_side * map_side - (map_side * map_side + 4) / 5;
    // The data are exact, so the plane is too, but for the 14-bit rounding of x and y in the sums (below 1e-9
    // here).
    const bool right = fit.status == FitStatus::ok && fit.inliers == floor_points &&
                       std::fabs(fit.a - 1.0 / 64) < 1e-9 && std::fabs(fit.b + 1.0 / 128) < 1e-9 &&
                       std::fabs(fit.c) < 1e-6;
    if (!right) failures.push_back("plane fit, " + name + ": not the known plane");
    if (!same_bytes(fit, known.fit(scalar, mode)))
      failures.push_back("plane fit, " + name + ": other bytes than the scalar code");
  }
  return failures;
}

}  // namespace datum
