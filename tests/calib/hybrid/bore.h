// A hole with a wall, and a probe driven into it: executes HybridProbe's moves and reports the result.
#pragma once

#include <cmath>
#include <functional>
#include <optional>

#include "calib/hybrid/hybrid_log.h"

namespace datum::testing {

struct Bore {
  Eigen::Vector3d center_mm;
  double radius_mm = 0;
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();

  /// Centre of a tip on its path from `from` to `to` at contact with the wall; none without contact.
  std::optional<Eigen::Vector3d> contact(const Eigen::Vector3d& from, const Eigen::Vector3d& to,
                                         double probe_radius_mm) const {
    const auto flat = [&](const Eigen::Vector3d& v) -> Eigen::Vector3d { return v - v.dot(normal) * normal; };
    const Eigen::Vector3d start = flat(from - center_mm), way = flat(to - from);
    const double r = radius_mm - probe_radius_mm;
    const double a = way.squaredNorm(), b = start.dot(way), c = start.squaredNorm() - r * r;
    const double t = (-b + std::sqrt(b * b - a * c)) / a;
    if (!(t >= 0 && t <= 1)) return std::nullopt;
    return from + t * (to - from);
  }
};

/// Executes the moves until the machine stops. `disturb` changes each contact before it is reported.
inline void drive(HybridRun& run, const Bore& bore, double probe_radius_mm, MonotonicNs& now,
                  const std::function<Eigen::Vector3d(Eigen::Vector3d)>& disturb = {}) {
  while (!run.probe().finished()) {
    now += 1'000'000'000;
    const auto moves = run.probe().moves();
    const Eigen::Vector3d middle = moves.back().to_mm;
    if (run.probe().state() == HybridProbe::State::approach) {
      run.entered(middle, now);
      continue;
    }
    const auto contact = bore.contact(middle, moves.front().to_mm, probe_radius_mm);
    if (contact)
      run.touched(disturb ? disturb(*contact) : *contact, now);
    else
      run.touch_failed("the probe met nothing", now);
  }
}

}  // namespace datum::testing
