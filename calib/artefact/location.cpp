#include "calib/artefact/location.h"

#include <cmath>
#include <cstdio>
#include <numbers>

#include "calib/angle_units.h"
#include "calib/artefact/pose_estimators.h"
#include "calib/linear/linear_algebra.h"
#include "calib/printed.h"

namespace datum {

namespace {

/// Quadratic form e^T C^-1 e in the directions in which C is not singular, and the number of these
/// directions.
struct ChiSquare {
  double value = 0;
  int freedom = 0;
};

template <class Vector, class Matrix>
ChiSquare chi_square(const Vector& e, const Matrix& covariance) {
  // Scaled to a unit diagonal, which makes rad and mm comparable.
  const Vector scale = covariance.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const EigenSystem solver = eigen_system(scale.asDiagonal() * covariance * scale.asDiagonal());
  const Vector along = solver.vectors.transpose() * (scale.asDiagonal() * e);
  ChiSquare chi;
  // Gains are accurate to 1e-9, so singular directions have eigenvalues of its square.
  const double floor = 1e-12 * solver.values.maxCoeff();
  for (Eigen::Index i = 0; i < along.size(); ++i) {
    if (solver.values[i] <= floor) continue;
    chi.value += along[i] * along[i] / solver.values[i];
    ++chi.freedom;
  }
  return chi;
}

/// The 0.999 quantile of chi-square by Wilson and Hilferty's cube root (1931); error 0.5 % at one degree of
/// freedom, less above.
double limit(int freedom) {
  constexpr double z = 3.0902;
  const double v = 2.0 / (9 * freedom);
  return freedom * std::pow(1 - v + z * std::sqrt(v), 3);
}

/// The face with the largest residual in units of its own uncertainty.
std::string worst_face(const FaceErrors& residuals, const FaceData& faces) {
  std::size_t worst = 0;
  double most = -1;
  for (std::size_t i = 0; i < face_count; ++i) {
    const Eigen::Vector3d r = residuals.segment<3>(static_cast<Eigen::Index>(3 * i));
    const double chi = chi_square(r, faces[i].covariance).value;
    if (chi > most) most = chi, worst = i;
  }
  const Eigen::Vector3d r = residuals.segment<3>(static_cast<Eigen::Index>(3 * worst));
  return printed("the most by face %s, which is off by %.1f um and %.4f deg", name_of(all_faces[worst]),
                 -1e3 * r.z(), r.head<2>().norm() * deg_per_rad);
}

std::string finding_of(const Vector6d& disagreement, const Matrix6d& covariance, const FaceErrors& residuals,
                       const FaceData& faces) {
  std::string finding;
  const ChiSquare between = chi_square(disagreement, covariance);
  if (between.freedom > 0 && between.value > limit(between.freedom)) {
    finding = printed(
        "the two estimators disagree beyond the noise of their data: by %.4f deg and %.1f um (chi-square "
        "%.0f, "
        "allowed %.0f)",
        disagreement.head<3>().norm() * deg_per_rad, 1e3 * disagreement.tail<3>().norm(), between.value,
        limit(between.freedom));
  }
  constexpr int freedom = 3 * face_count - 6;
  double chi = 0;
  for (std::size_t i = 0; i < face_count; ++i) {
    const Eigen::Vector3d r = residuals.segment<3>(static_cast<Eigen::Index>(3 * i));
    chi += chi_square(r, faces[i].covariance).value;
  }
  if (chi > limit(freedom)) {
    finding +=
        (finding.empty() ? "" : "; ") +
        printed("the faces do not lie as drawn (chi-square %.0f, allowed %.0f), ", chi, limit(freedom)) +
        worst_face(residuals, faces) +
        ": enter the artefact's certified values, state its form_um, or clean and measure again";
  }
  return finding;
}

std::array<FaceResidual, face_count> report(const FaceErrors& residuals, const FaceData& faces) {
  std::array<FaceResidual, face_count> all;
  for (std::size_t i = 0; i < face_count; ++i) {
    const Eigen::Vector3d r = residuals.segment<3>(static_cast<Eigen::Index>(3 * i));
    const FitEvidence& e = faces[i].fit.evidence;
    all[i] = {-1e3 * r.z(), 1e3 * std::sqrt(faces[i].covariance(2, 2)),
              1e3 * deg_per_rad * r.head<2>().norm(), 1e3 * e.sigma_mm, e.used};
  }
  return all;
}

/// Rms of all points about the drawn planes: scatter about the own plane, and the difference of the two
/// planes.
double rms_um(const FaceErrors& residuals, const FaceData& faces) {
  double sum = 0, n = 0;
  for (std::size_t i = 0; i < face_count; ++i) {
    const FitEvidence& e = faces[i].fit.evidence;
    const Eigen::Vector3d r = residuals.segment<3>(static_cast<Eigen::Index>(3 * i));
    const Eigen::Vector3d slope = tangents(faces[i].fit.feature.normal) * r.head<2>();
    const double used = static_cast<double>(e.used);
    sum += used * e.rms_mm * e.rms_mm + used * r.z() * r.z() + slope.dot(faces[i].scatter * slope);
    n += used;
  }
  return 1e3 * std::sqrt(sum / n);
}

}  // namespace

template <class To>
ArtefactLocation<To> locate(const FacePoints& points, const ArtefactDrawing& drawing,
                            const Eigen::Vector3d& outwards, FaceNoise noise) {
  FaceData faces = face_data(points, drawing, outwards, noise, 1);
  ArtefactLocation<To> location;
  if (noise == FaceNoise::each_face) {
    location.correlation = residual_correlation(points, faces, drawing);
    if (location.correlation > 1) faces = face_data(points, drawing, outwards, noise, location.correlation);
  }
  const PoseEstimate constructed = constructed_pose(faces, drawing);
  const PoseEstimate joint = joint_pose(faces, drawing, constructed.matrix);
  const auto c = covariance_of(faces);
  location.constructed = {Htm<To, Artefact>(constructed.matrix), covariance_through(constructed.gain, c)};
  location.joint = {Htm<To, Artefact>(joint.matrix), covariance_through(joint.gain, c)};
  const PoseByFaces between = constructed.gain - joint.gain;
  location.disagreement = difference(location.constructed, location.joint);
  location.disagreement_covariance = covariance_through(between, c);
  const FaceErrors residuals = face_residuals(faces, drawing, joint.matrix);
  location.faces = report(residuals, faces);
  location.rms_um = rms_um(residuals, faces);
  location.finding = finding_of(location.disagreement, location.disagreement_covariance, residuals, faces);
  return location;
}

template ArtefactLocation<Sensor> locate(const FacePoints&, const ArtefactDrawing&, const Eigen::Vector3d&,
                                         FaceNoise);
template ArtefactLocation<Machine> locate(const FacePoints&, const ArtefactDrawing&, const Eigen::Vector3d&,
                                          FaceNoise);

}  // namespace datum
