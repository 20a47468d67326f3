// Reproducible random poses of the sample artefact before a sensor.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <numbers>

#include "calib/artefact/drawing_file.h"
#include "calib/htm_estimate.h"
#include "tests/virtual_cell/twin_random.h"

namespace datum::testing {

inline ArtefactDrawing sample_drawing() {
  return load_artefact_drawing(std::filesystem::path(DATUM_SOURCE_DIR) /
                               "config/artefacts/angled-slot-120.toml");
}

/// The sample's geometry without form error, for tests in which only the points are noisy.
inline ArtefactDrawing ideal_drawing() {
  ArtefactDrawing d = sample_drawing();
  d.tolerance.form_um = 0;
  return d;
}

template <class To>
Htm<To, Artefact> pose(const Eigen::Vector3d& w_rad, const Eigen::Vector3d& t_mm) {
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topLeftCorner<3, 3>() = rotation_from_vector(w_rad);
  m.topRightCorner<3, 1>() = t_mm;
  return Htm<To, Artefact>(m);
}

/// A mounting: each rotation component within +-limit_deg, a shift of up to 5 mm in x and y and 0.5 mm in z.
template <class To>
Htm<To, Artefact> mounting(std::uint64_t number, double limit_deg = 5) {
  const TwinRandom random(number, TwinStream::place);
  const auto within = [&](std::uint64_t i, double limit) { return limit * (2 * random.uniform(i) - 1); };
  const double rad = limit_deg * std::numbers::pi / 180;
  return pose<To>({within(0, rad), within(1, rad), within(2, rad)},
                  {within(3, 5), within(4, 5), within(5, 0.5)});
}

/// Counts how often each of six errors lies within U (k = 2).
struct Inside {
  Vector6d share = Vector6d::Zero();
  int trials = 0;
  void add(const Vector6d& error, const Matrix6d& covariance) {
    ++trials;
    const auto inside = error.array().abs() <= 2 * covariance.diagonal().array().sqrt();
    share += (inside.template cast<double>().matrix() - share) / trials;
  }
};

}  // namespace datum::testing
