#include "calib/artefact/face_data.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "calib/artefact/square_means.h"
#include "calib/fit/point_moments.h"

namespace datum {

namespace {

// Rounding of coordinates of 1000 mm: a smaller standard deviation is not significant and must not give
// infinite weights.
constexpr double rounding_mm = 1e-12;

Fit<Plane3, 3> fit_face(const std::vector<Eigen::Vector3d>& points, Face face,
                        const Eigen::Vector3d& outwards) {
  try {
    return fit_plane(points, outwards);
  } catch (const FitRefused& refused) {
    throw FitRefused(std::string("face ") + name_of(face) + ": " + refused.what());
  }
}

/// Variance of one point along the normal, over all faces.
double pooled_variance_mm2(const FaceData& faces) {
  double sum = 0, freedom = 0;
  for (const FaceDatum& face : faces) {
    const auto& e = face.fit.evidence;
    const double dof = static_cast<double>(e.used) - 3;
    sum += e.sigma_mm * e.sigma_mm * dof;
    freedom += dof;
  }
  return sum / freedom;
}

/// Covariance of the fit's parameters for a variance of 1 per point.
Eigen::Matrix3d unit_covariance(const FaceDatum& face) {
  const Eigen::Matrix<double, 3, 2> t = tangents(face.fit.feature.normal);
  Eigen::Matrix3d unit = Eigen::Matrix3d::Zero();
  unit.topLeftCorner<2, 2>() = Eigen::Matrix2d(t.transpose() * face.scatter * t).inverse();
  unit(2, 2) = 1 / static_cast<double>(face.fit.evidence.used);
  return unit;
}

/// Sum of n * mean^2 / variance over a face's squares, and their number.
struct Squares {
  double sum = 0, count = 0;
  void add(Points points, const FaceDatum& face, double spacing_mm, double spacings) {
    const double variance = face.fit.evidence.sigma_mm * face.fit.evidence.sigma_mm;
    // A square that is less than half full is cut by the border.
    const auto least = static_cast<std::size_t>(spacings * spacings / 2);
    for (const SquareMean& s : square_means(points, face.fit.feature, spacings * spacing_mm, least)) {
      sum += static_cast<double>(s.points) * s.mean_mm * s.mean_mm / variance;
      count += 1;
    }
  }
  double mean() const { return sum / count; }
};

/// Second moments from the fit: in the plane the inverse of the tilts' covariance, across it the residuals.
Eigen::Matrix3d scatter_of(const Fit<Plane3, 3>& fit) {
  const double variance = fit.evidence.sigma_mm * fit.evidence.sigma_mm;
  const Eigen::Matrix<double, 3, 2> t = tangents(fit.feature.normal);
  const Eigen::Matrix2d in_plane = variance * Eigen::Matrix2d(fit.covariance.topLeftCorner<2, 2>()).inverse();
  const double across = static_cast<double>(fit.evidence.used) * fit.evidence.rms_mm * fit.evidence.rms_mm;
  return t * in_plane * t.transpose() + across * fit.feature.normal * fit.feature.normal.transpose();
}

}  // namespace

FaceData face_data(const FacePoints& points, const ArtefactDrawing& drawing, const Eigen::Vector3d& outwards,
                   FaceNoise noise, double correlation) {
  FaceData faces;
  for (Face f : all_faces) {
    FaceDatum& face = faces[index_of(f)];
    face.fit = fit_face(points[index_of(f)], f, outwards);
    // Points without scatter have no covariance from which to take it.
    face.scatter = face.fit.evidence.sigma_mm > rounding_mm
                       ? scatter_of(face.fit)
                       : moments_of(points[index_of(f)], name_of(f), 4).scatter;
  }
  const double pooled = noise == FaceNoise::pooled ? pooled_variance_mm2(faces) : 0;
  const double form_mm = drawing.tolerance.form_um * 1e-3;
  for (Face f : all_faces) {
    FaceDatum& face = faces[index_of(f)];
    const double own = face.fit.evidence.sigma_mm * face.fit.evidence.sigma_mm;
    const double variance = std::max(noise == FaceNoise::pooled ? pooled : own, rounding_mm * rounding_mm);
    face.covariance = correlation * variance * unit_covariance(face);
    const double form_rad = form_mm / drawing.face(f).reach_mm();
    face.covariance.diagonal() +=
        Eigen::Vector3d(form_rad * form_rad, form_rad * form_rad, form_mm * form_mm);
  }
  return faces;
}

double residual_correlation(const FacePoints& points, const FaceData& faces, const ArtefactDrawing& drawing) {
  Squares small, large;
  for (Face f : all_faces) {
    const FaceDatum& face = faces[index_of(f)];
    const auto& on_face = points[index_of(f)];
    if (face.fit.evidence.sigma_mm < rounding_mm) continue;
    const double spacing_mm = std::sqrt(drawing.face(f).area_mm2() / static_cast<double>(on_face.size()));
    small.add(on_face, face, spacing_mm, 8);
    large.add(on_face, face, spacing_mm, 16);
  }
  if (small.count < 50 || large.count < 10) return 1;
  // A square's n mean^2 / s^2 is chi-square of one degree of freedom, variance 2.
  if (small.mean() < 1 + 2 * std::sqrt(2 / small.count)) return 1;
  // Along each axis a square of b spacings misses a share of about 1/b: two sizes give the limit for large b.
  const double root = 2 * std::sqrt(large.mean()) - std::sqrt(small.mean());
  return std::max({1.0, small.mean(), root * root});
}

}  // namespace datum
