#include "calib/drift.h"

#include <cmath>
#include <cstdio>
#include <numbers>

namespace datum {

namespace {

/// Standard uncertainty of |v| along v: sqrt(n^T C n); the largest one for v = 0.
double along(const Eigen::Vector3d& v, const Eigen::Matrix3d& covariance) {
  const double length = v.norm();
  if (length == 0) return std::sqrt(covariance.trace());
  const Eigen::Vector3d n = v / length;
  return std::sqrt(n.dot(covariance * n));
}

std::string words_of(const Drift& d, const DriftLimits& limits) {
  char text[256];
  std::snprintf(text, sizeof text,
                "shift %.1f um (%+.1f, %+.1f, %+.1f), U %.1f, allowed %.1f; turn %.2f mdeg (%+.2f, %+.2f, "
                "%+.2f), U %.2f, allowed %.2f",
                d.shift_um.norm(), d.shift_um[0], d.shift_um[1], d.shift_um[2], 2 * d.u_shift_um,
                limits.shift_um, d.turn_mdeg.norm(), d.turn_mdeg[0], d.turn_mdeg[1], d.turn_mdeg[2],
                2 * d.u_turn_mdeg, limits.turn_mdeg);
  return text;
}

}  // namespace

Drift drift_of(const HtmEstimate<Machine, Sensor>& again, const HtmEstimate<Machine, Sensor>& current,
               const Eigen::Vector3d& artefact_mm, const DriftLimits& limits) {
  constexpr double um = 1e3, mdeg = 180e3 / std::numbers::pi;
  Drift d;
  d.shift_um = (again.htm * artefact_mm - current.htm * artefact_mm) * um;
  const Eigen::Matrix3d shift_covariance =
      point_covariance(again, artefact_mm) + point_covariance(current, artefact_mm);
  d.u_shift_um = along(d.shift_um, shift_covariance) * um;
  d.turn_mdeg = difference(again, current).head<3>() * mdeg;
  const Eigen::Matrix3d turn_covariance =
      again.covariance.topLeftCorner<3, 3>() + current.covariance.topLeftCorner<3, 3>();
  d.u_turn_mdeg = along(d.turn_mdeg, turn_covariance) * mdeg;
  const auto beyond = [](double value, double u, double limit) { return value > 2 * u && value > limit; };
  d.drifted = beyond(d.shift_um.norm(), d.u_shift_um, limits.shift_um) ||
              beyond(d.turn_mdeg.norm(), d.u_turn_mdeg, limits.turn_mdeg);
  d.untold = !d.drifted && (2 * d.u_shift_um > limits.shift_um || 2 * d.u_turn_mdeg > limits.turn_mdeg);
  d.words = words_of(d, limits);
  return d;
}

}  // namespace datum
