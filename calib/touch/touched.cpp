#include "calib/touch/touched.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace datum {

namespace {

template <class... Values>
[[noreturn]] void refuse(const char* format, Values... values) {
  char text[320];
  std::snprintf(text, sizeof text, format, values...);
  throw FitRefused(text);
}

const char* name_of(Surface surface) { return surface == Surface::bore ? "bore" : "boss"; }
double signed_radius(Surface surface, double radius_mm) {
  return surface == Surface::bore ? radius_mm : -radius_mm;
}

/// Inverse of the normal equations of the rows d(residual) / d(parameters), scaled by the noise of a touch.
template <int N, class Row>
Eigen::Matrix<double, N, N> covariance_of(Points points, double sigma_mm, const Probe& probe, Row row) {
  Eigen::Matrix<double, N, N> normal = Eigen::Matrix<double, N, N>::Zero();
  for (const Eigen::Vector3d& p : points) {
    const Eigen::Matrix<double, N, 1> j = row(p);
    normal += j * j.transpose();
  }
  const double noise_mm = std::max(sigma_mm, probe.u_touch_mm);
  Eigen::Matrix<double, N, N> c = normal.inverse() * (noise_mm * noise_mm);
  c(N - 1, N - 1) += probe.u_radius_mm * probe.u_radius_mm;  // the last parameter is along the normal
  return c;
}

/// The surface's radius from the radius of the tips.
double compensated_radius(double tips_mm, Surface surface, const Probe& probe,
                          const std::optional<NominalRadius>& nominal) {
  const double radius = tips_mm + signed_radius(surface, probe.radius_mm);
  if (!(radius > 0)) {
    refuse(
        "a boss whose touches lie %.4g mm about its middle, within the probe's own radius of %.4g mm: it was "
        "a "
        "bore, or the probe's radius is wrong",
        tips_mm, probe.radius_mm);
  }
  if (!nominal) return radius;
  const auto fits = [&](double r) { return std::abs(r - nominal->radius_mm) <= nominal->tolerance_mm; };
  if (fits(radius)) return radius;
  const Surface other = surface == Surface::bore ? Surface::boss : Surface::bore;
  if (fits(tips_mm + signed_radius(other, probe.radius_mm))) {
    refuse(
        "as a %s the radius is %.4g mm, nominal is %.4g +- %.4g mm: as a %s it would fit; correct which it "
        "is",
        name_of(surface), radius, nominal->radius_mm, nominal->tolerance_mm, name_of(other));
  }
  refuse(
      "the radius is %.4g mm, nominal is %.4g +- %.4g mm: another feature was touched, or the probe's radius "
      "of "
      "%.4g mm is wrong",
      radius, nominal->radius_mm, nominal->tolerance_mm, probe.radius_mm);
}

/// `from_mm`: distance of the approach position from the middle.
void refuse_wrong_side(double from_mm, double tips_mm, Surface surface) {
  if ((surface == Surface::bore) == (from_mm < tips_mm)) return;
  refuse("the probe came from %.4g mm off the middle and touched at %.4g mm: that is no %s", from_mm, tips_mm,
         name_of(surface));
}

}  // namespace

void check(const Probe& probe) {
  if (!(probe.radius_mm > 0) || !std::isfinite(probe.radius_mm))
    refuse("probe: radius_mm = %g; allowed: above 0", probe.radius_mm);
  if (!(probe.u_radius_mm >= 0 && probe.u_radius_mm < probe.radius_mm))
    refuse("probe: u_radius_mm = %g; allowed: from 0 to below its radius of %g", probe.u_radius_mm,
           probe.radius_mm);
  if (!(probe.u_touch_mm > 0) || !std::isfinite(probe.u_touch_mm))
    refuse("probe: u_touch_mm = %g; allowed: above 0", probe.u_touch_mm);
}

TouchedPlane plane_of_touches(Points centres_mm, const Eigen::Vector3d& outward, const Probe& probe,
                              const std::optional<Eigen::Vector3d>& came_from) {
  check(probe);
  TouchedPlane touched{fit_plane(centres_mm, outward), {}};
  Plane3& plane = touched.fit.feature;
  const double cosine = plane.normal.dot(outward.normalized());
  if (cosine < 0.5) {
    refuse(
        "the touched plane lies %.0f degrees from where the face should look: another face was touched, or "
        "left "
        "and right are exchanged",
        std::acos(cosine) * 180 / std::acos(-1.0));
  }
  if (came_from && !(plane.normal.dot(*came_from - plane.point_mm) > 0)) {
    refuse("the probe came from %.4g mm behind the plane that it touched: outward points into the material",
           -plane.normal.dot(*came_from - plane.point_mm));
  }
  const Eigen::Matrix<double, 3, 2> t = tangents(plane.normal);
  const Eigen::Vector3d middle = plane.point_mm;
  touched.fit.covariance =
      covariance_of<3>(centres_mm, touched.fit.evidence.sigma_mm, probe, [&](const Eigen::Vector3d& p) {
        const Eigen::Vector2d along = t.transpose() * (p - middle);
        return Eigen::Vector3d(along.x(), along.y(), -1);
      });
  for (const Eigen::Vector3d& p : centres_mm)
    touched.surface_mm.push_back(p - probe.radius_mm * plane.normal);
  plane.point_mm -= probe.radius_mm * plane.normal;
  return touched;
}

Fit<Circle3, 3> circle_of_touches(Points centres_mm, const Eigen::Vector3d& normal, Surface surface,
                                  const Probe& probe, const std::optional<NominalRadius>& nominal,
                                  const std::optional<Eigen::Vector3d>& came_from) {
  check(probe);
  Fit<Circle3, 3> fit = fit_circle(centres_mm, normal);
  Circle3& circle = fit.feature;
  const Eigen::Matrix<double, 3, 2> t = tangents(circle.normal);
  const auto flat = [&](const Eigen::Vector3d& p) -> Eigen::Vector2d {
    return t.transpose() * (p - circle.center_mm);
  };
  if (came_from) refuse_wrong_side(flat(*came_from).norm(), circle.radius_mm, surface);
  fit.covariance = covariance_of<3>(centres_mm, fit.evidence.sigma_mm, probe, [&](const Eigen::Vector3d& p) {
    return Eigen::Vector3d(flat(p).normalized().homogeneous());
  });
  circle.radius_mm = compensated_radius(circle.radius_mm, surface, probe, nominal);
  return fit;
}

Fit<Sphere, 4> sphere_of_touches(Points centres_mm, Surface surface, const Probe& probe,
                                 const std::optional<NominalRadius>& nominal,
                                 const std::optional<Eigen::Vector3d>& came_from) {
  check(probe);
  Fit<Sphere, 4> fit = fit_sphere(centres_mm);
  Sphere& sphere = fit.feature;
  if (came_from) refuse_wrong_side((*came_from - sphere.center_mm).norm(), sphere.radius_mm, surface);
  fit.covariance = covariance_of<4>(centres_mm, fit.evidence.sigma_mm, probe, [&](const Eigen::Vector3d& p) {
    return Eigen::Vector4d((p - sphere.center_mm).normalized().homogeneous());
  });
  sphere.radius_mm = compensated_radius(sphere.radius_mm, surface, probe, nominal);
  return fit;
}

}  // namespace datum
