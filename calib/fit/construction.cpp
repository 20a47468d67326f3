#include "calib/fit/construction.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>

#include "calib/fit/point_moments.h"
#include "calib/linear/linear_algebra.h"

namespace datum {
namespace {

// Least sine of an angle, and least volume of three unit normals. Below it a micrometre in a plane's place
// moves the constructed point by more than a millimetre.
constexpr double least_sine = 1e-3;

Eigen::Vector3d unit(const Eigen::Vector3d& v, const char* what) {
  const double length = v.norm();
  if (!std::isfinite(length) || !(length > 0)) refuse_fit(what, "its direction has no length");
  return v / length;
}

/// Point on both planes nearest to `near`: near + N^T (N N^T)^-1 (offsets).
Eigen::Vector3d common_point(const Plane3& first, const Plane3& second, const Eigen::Vector3d& n1,
                             const Eigen::Vector3d& n2, const Eigen::Vector3d& near) {
  const double c = n1.dot(n2), h1 = n1.dot(first.point_mm - near), h2 = n2.dot(second.point_mm - near);
  const double det = n1.cross(n2).squaredNorm();
  return near + ((h1 - c * h2) * n1 + (h2 - c * h1) * n2) / det;
}

}  // namespace

double distance_mm(const Plane3& plane, const Eigen::Vector3d& point_mm) {
  return unit(plane.normal, "plane").dot(point_mm - plane.point_mm);
}

Eigen::Vector3d projection(const Eigen::Vector3d& point_mm, const Plane3& plane) {
  return point_mm - distance_mm(plane, point_mm) * unit(plane.normal, "plane");
}

Eigen::Vector3d projection(const Eigen::Vector3d& point_mm, const Line3& line) {
  const Eigen::Vector3d d = unit(line.direction, "line");
  return line.point_mm + d * d.dot(point_mm - line.point_mm);
}

Line3 projection(const Line3& line, const Plane3& plane) {
  const Eigen::Vector3d d = unit(line.direction, "line"), n = unit(plane.normal, "plane");
  const Eigen::Vector3d along = d - n * n.dot(d);
  if (!(along.norm() > least_sine)) {
    refuse_fit("projection of a line",
               "it stands on the plane (%.2g rad from its normal, needs %.2g): it has no direction in it",
               along.norm(), least_sine);
  }
  return {projection(line.point_mm, plane), along.normalized()};
}

Line3 intersection(const Plane3& first, const Plane3& second) {
  const Eigen::Vector3d n1 = unit(first.normal, "plane"), n2 = unit(second.normal, "plane");
  const Eigen::Vector3d d = n1.cross(n2);
  if (!(d.norm() > least_sine)) {
    refuse_fit("intersection of planes",
               "they are parallel within %.2g rad (needs %.2g): their line is not determined", d.norm(),
               least_sine);
  }
  const Eigen::Vector3d near = (first.point_mm + second.point_mm) / 2;
  return {common_point(first, second, n1, n2, near), d.normalized()};
}

Eigen::Vector3d intersection(const Line3& first, const Line3& second) {
  const Eigen::Vector3d d1 = unit(first.direction, "line"), d2 = unit(second.direction, "line");
  const Eigen::Vector3d across = d1.cross(d2);
  if (!(across.norm() > least_sine)) {
    refuse_fit("intersection of lines",
               "they are parallel within %.2g rad (needs %.2g): their point is not determined", across.norm(),
               least_sine);
  }
  const Eigen::Vector3d between = second.point_mm - first.point_mm;
  const double det = across.squaredNorm();
  const double s = between.cross(d2).dot(across) / det, t = between.cross(d1).dot(across) / det;
  return (first.point_mm + s * d1 + second.point_mm + t * d2) / 2;
}

Eigen::Vector3d apex(const Plane3& first, const Plane3& second, const Plane3& third) {
  Eigen::Matrix3d normals;
  normals << unit(first.normal, "plane").transpose(), unit(second.normal, "plane").transpose(),
      unit(third.normal, "plane").transpose();
  const double volume = normals.determinant();
  if (!(std::abs(volume) > least_sine)) {
    refuse_fit("apex of three planes",
               "two are parallel or all three share a direction (volume of the normals %.2g, needs %.2g)",
               volume, least_sine);
  }
  const Eigen::Vector3d near = (first.point_mm + second.point_mm + third.point_mm) / 3;
  const Eigen::Vector3d heights(distance_mm(first, near), distance_mm(second, near),
                                distance_mm(third, near));
  return near - normals.inverse() * heights;
}

LineEstimate intersection(const Fit<Plane3, 3>& first, const Fit<Plane3, 3>& second) {
  LineEstimate e;
  e.line = intersection(first.feature, second.feature);
  const Eigen::Matrix<double, 3, 2> t = tangents(e.line.direction);
  // A point at s along the line moves across it so that it stays on both planes: n_k . move = h_k(s). h_k(s)
  // = o_k - (tilt_k . (point - centroid_k)) is plane k's movement along its normal there.
  const Fit<Plane3, 3>* planes[2] = {&first, &second};
  Eigen::Matrix2d across;  // n_k in the tangents
  for (int k = 0; k < 2; ++k) across.row(k) = planes[k]->feature.normal.transpose() * t;
  const Eigen::Matrix2d solve = across.inverse();
  e.covariance.setZero();
  for (int k = 0; k < 2; ++k) {
    const Plane3& plane = planes[k]->feature;
    const Eigen::Matrix<double, 3, 2> tilts = tangents(plane.normal);
    const Eigen::Vector3d arm = e.line.point_mm - plane.point_mm;
    Eigen::Matrix<double, 2, 3>
        height;  // rows: change along the line, at its point; columns: plane's parameters
    height.row(0) << -(tilts.transpose() * e.line.direction).transpose(), 0;
    height.row(1) << -(tilts.transpose() * arm).transpose(), 1;
    Eigen::Matrix<double, 4, 3> jacobian;
    jacobian.topRows<2>() = solve.col(k) * height.row(0);
    jacobian.bottomRows<2>() = solve.col(k) * height.row(1);
    e.covariance += covariance_through(jacobian, planes[k]->covariance);
  }
  const double allowed_rad = FitLimits{}.tilt_rad;
  if (!(e.covariance.topLeftCorner<2, 2>().trace() < allowed_rad * allowed_rad)) {
    refuse_fit("intersection of planes", "its direction would be uncertain by %.2g rad (allowed %.2g)",
               std::sqrt(e.covariance.topLeftCorner<2, 2>().trace()), allowed_rad);
  }
  return e;
}

}  // namespace datum
