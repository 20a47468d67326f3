#include "calib/artefact/face_data.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "calib/fit/construction.h"
#include "calib/fit/point_moments.h"

namespace datum {

namespace {

// Points without noise still have coordinates of 1000 mm that are rounded: no weight is infinite.
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

/// Covariance of the fit's parameters where the points' variance is 1.
Eigen::Matrix3d unit_covariance(const FaceDatum& face) {
  const Eigen::Matrix<double, 3, 2> t = tangents(face.fit.feature.normal);
  Eigen::Matrix3d unit = Eigen::Matrix3d::Zero();
  unit.topLeftCorner<2, 2>() = Eigen::Matrix2d(t.transpose() * face.scatter * t).inverse();
  unit(2, 2) = 1 / static_cast<double>(face.fit.evidence.used);
  return unit;
}

/// Means over squares of the face's own plane.
struct Squares {
  double sum = 0;  // of n * mean^2 over the filled squares, mm^2
  double count = 0;
};

Squares squares(Points points, const Plane3& plane, double edge_mm, double spacing_mm) {
  struct Sum {
    double residual = 0;
    int n = 0;
  };
  const Eigen::Matrix<double, 3, 2> t = tangents(plane.normal);
  std::unordered_map<std::uint64_t, Sum> sums;
  for (const Eigen::Vector3d& p : points) {
    const Eigen::Vector2d at = t.transpose() * (p - plane.point_mm) / edge_mm;
    const auto u = static_cast<std::int32_t>(std::floor(at.x())),
               v = static_cast<std::int32_t>(std::floor(at.y()));
    Sum& sum = sums[(static_cast<std::uint64_t>(static_cast<std::uint32_t>(u)) << 32) |
                    static_cast<std::uint32_t>(v)];
    sum.residual += distance_mm(plane, p);
    ++sum.n;
  }
  Squares all;
  const double full = edge_mm * edge_mm / (spacing_mm * spacing_mm);
  for (const auto& [key, s] : sums) {
    if (s.n < full / 2) continue;  // cut by the border
    all.sum += s.residual * s.residual / s.n;
    all.count += 1;
  }
  return all;
}

}  // namespace

FaceData face_data(const FacePoints& points, const ArtefactDrawing& drawing, const Eigen::Vector3d& outwards,
                   FaceNoise noise, double correlation) {
  FaceData faces;
  for (Face f : all_faces) {
    FaceDatum& face = faces[index_of(f)];
    face.fit = fit_face(points[index_of(f)], f, outwards);
    face.scatter = moments_of(points[index_of(f)], name_of(f), 4).scatter;
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
  Squares small{0, 0}, large{0, 0};
  for (Face f : all_faces) {
    const FaceDatum& face = faces[index_of(f)];
    const double variance = face.fit.evidence.sigma_mm * face.fit.evidence.sigma_mm;
    if (!(variance > 0)) continue;
    const double spacing =
        std::sqrt(drawing.face(f).area_mm2() / static_cast<double>(points[index_of(f)].size()));
    for (auto [all, edge] : {std::pair{&small, 8 * spacing}, std::pair{&large, 16 * spacing}}) {
      const Squares of_face = squares(points[index_of(f)], face.fit.feature, edge, spacing);
      all->sum += of_face.sum / variance;
      all->count += of_face.count;
    }
  }
  if (small.count < 50 || large.count < 10) return 1;
  // A square's n mean^2 / s^2 is a chi-square of one degree: variance 2.
  if (small.sum / small.count < 1 + 2 * std::sqrt(2 / small.count)) return 1;
  // Along each axis a square of b spacings misses a share of about 1/b: two sizes give the limit.
  const double root = 2 * std::sqrt(large.sum / large.count) - std::sqrt(small.sum / small.count);
  return std::max({1.0, small.sum / small.count, root * root});
}

}  // namespace datum
