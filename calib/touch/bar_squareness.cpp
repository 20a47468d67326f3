#include "calib/touch/bar_squareness.h"

#include <cmath>
#include <numbers>
#include <string>

namespace datum {
namespace {

using Eigen::Vector3d;

struct Bar {
  double length_mm = 0, u_mm = 0;
  double product = 0;  // of the direction's parts along the two axes
};

Fit<Sphere, 4> ball_of(const std::vector<Vector3d>& touches, const std::string& name) {
  try {
    return fit_sphere(touches);
  } catch (const FitRefused& error) {
    throw FitRefused(name + ": " + error.what());
  }
}

Bar bar_of(const BarTouches& touches, const AxisPair& axes, double u_touch_mm, bool plus) {
  const std::string name = plus ? "bar plus" : "bar minus";
  const auto first = ball_of(touches[0], name + ", ball 1"), second = ball_of(touches[1], name + ", ball 2");
  const Vector3d arm = second.feature.center_mm - first.feature.center_mm;
  Bar bar;
  bar.length_mm = arm.norm();
  if (!(bar.length_mm > first.feature.radius_mm + second.feature.radius_mm))
    throw FitRefused(name + ": both balls are one; touch the bar's two ends as ball 1 and ball 2");
  const Vector3d along = arm / bar.length_mm;
  const double angle_deg = std::atan2(along[axes.second], along[axes.first]) * 180 / std::numbers::pi;
  const double wanted_deg = plus ? 45 : -45;
  const double off_deg = std::fabs(std::remainder(angle_deg - wanted_deg, 180));
  const double lean_deg = std::asin(std::fabs(along[axes.out])) * 180 / std::numbers::pi;
  if (off_deg > 5 || lean_deg > 5)
    throw FitRefused(name + " lies " + std::to_string(off_deg) + " degrees from the diagonal and leans by " +
                     std::to_string(lean_deg) +
                     " degrees out of the plane; at most 5 degrees each, so that the scales' "
                     "errors cancel");
  bar.product = along[axes.first] * along[axes.second];
  double variance = 0;
  for (const auto* ball : {&first, &second}) {
    const double scale = std::max(1.0, u_touch_mm / std::max(1e-12, ball->evidence.sigma_mm));
    variance += scale * scale * along.dot(ball->covariance.topLeftCorner<3, 3>() * along);
  }
  bar.u_mm = std::sqrt(variance);
  return bar;
}

}  // namespace

BarSquareness squareness_of_bars(const BarTouches& plus, const BarTouches& minus, const AxisPair& axes,
                                 double u_touch_mm) {
  const Bar p = bar_of(plus, axes, u_touch_mm, true), m = bar_of(minus, axes, u_touch_mm, false);
  if (std::fabs(p.length_mm - m.length_mm) > 0.01 * p.length_mm)
    throw FitRefused("the bar is " + std::to_string(p.length_mm) + " mm long in one place and " +
                     std::to_string(m.length_mm) + " mm in the other; one bar must lie in both");
  const double arm = p.length_mm * p.product - m.length_mm * m.product;
  return {p.length_mm,
          m.length_mm,
          p.u_mm,
          m.u_mm,
          (p.length_mm - m.length_mm) / arm,
          std::hypot(p.u_mm, m.u_mm) / std::fabs(arm)};
}

}  // namespace datum
