#include "calib/artefact/lines_pose.h"

#include <Eigen/Geometry>
#include <cmath>

namespace datum {

namespace {

double square(double v) { return v * v; }

/// The line rotated and shifted about its mean: the fit's uncorrelated errors.
ScanLine moved(const FittedLine& fit, double offset_mm, double slope) {
  return {fit.line.at_mm + offset_mm - slope * fit.v_mean_mm, fit.line.slope + slope};
}

Eigen::Matrix4d construct(const Plane3& plane, const ScanLine& along, const ScanLine& across) {
  const Eigen::Vector2d origin = meeting(along, across);
  const Eigen::Vector3d o = lifted(origin, plane);
  const Eigen::Vector3d y = (lifted(origin + 100 * Eigen::Vector2d(along.slope, 1), plane) - o).normalized();
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.block<3, 1>(0, 0) = y.cross(plane.normal);
  m.block<3, 1>(0, 1) = y;
  m.block<3, 1>(0, 2) = plane.normal;
  m.block<3, 1>(0, 3) = o;
  return m;
}

}  // namespace

Eigen::Vector2d meeting(const ScanLine& along, const ScanLine& across) {
  const double y = (across.at_mm + across.slope * along.at_mm) / (1 - across.slope * along.slope);
  return {along.u(y), y};
}

Eigen::Vector3d lifted(const Eigen::Vector2d& at_mm, const Plane3& plane) {
  const Eigen::Vector2d d = at_mm - plane.point_mm.head<2>();
  return {at_mm.x(), at_mm.y(), plane.point_mm.z() - plane.normal.head<2>().dot(d) / plane.normal.z()};
}

HtmEstimate<Sensor, Artefact> lines_pose(const Fit<Plane3, 3>& plane, const ImageLines& lines,
                                         const LinesDrawing& drawing) {
  using Errors = Eigen::Matrix<double, 7, 1>;
  Eigen::Matrix<double, 7, 7> c = Eigen::Matrix<double, 7, 7>::Zero();
  const double reach_mm = std::hypot(drawing.plate.x_max_mm - drawing.plate.x_min_mm,
                                     drawing.plate.y_max_mm - drawing.plate.y_min_mm) /
                          2;
  const double form_mm = 1e-3 * drawing.form_um, edge_mm = 1e-3 * drawing.edge_um;
  c.topLeftCorner<3, 3>() = plane.covariance;
  c.topLeftCorner<3, 3>().diagonal() +=
      Eigen::Vector3d(square(form_mm / reach_mm), square(form_mm / reach_mm), square(form_mm));
  const auto line = [&](int at, const FittedLine& fit, const DrawnLine& drawn) {
    c(at, at) = square(fit.u_offset_mm) + square(edge_mm);
    c(at + 1, at + 1) = square(fit.u_slope) + square(edge_mm / ((drawn.to_mm - drawn.from_mm) / 2));
  };
  line(3, lines.along, drawing.long_line);
  line(5, lines.across, drawing.short_line);
  const Eigen::Matrix<double, 3, 2> t = tangents(plane.feature.normal);
  const auto with = [&](const Errors& e) {
    const Plane3 tilted{plane.feature.point_mm + e[2] * plane.feature.normal,
                        (plane.feature.normal + t * e.head<2>()).normalized()};
    return construct(tilted, moved(lines.along, e[3], e[4]), moved(lines.across, e[5], e[6]));
  };
  const Eigen::Matrix4d middle = with(Errors::Zero());
  constexpr double step = 1e-5;  // as in constructed_pose.cpp
  Eigen::Matrix<double, 6, 7> gain;
  for (int k = 0; k < 7; ++k) {
    gain.col(k) = (detail::difference(with(step * Errors::Unit(k)), middle) -
                   detail::difference(with(-step * Errors::Unit(k)), middle)) /
                  (2 * step);
  }
  return {Htm<Sensor, Artefact>(middle), gain * c * gain.transpose()};
}

}  // namespace datum
