#include "calib/registration/model_fit_step.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "calib/linear/linear_algebra.h"

namespace datum::model_fit {
namespace {

// Least information of a determined direction, over that of wrong normals.
constexpr double normals_information = 4;

Vector6d row_of(const Eigen::Vector3d& p, const Eigen::Vector3d& n, const Lever& lever) {
  Vector6d j;
  j << (p - lever.center_mm).cross(n) / lever.arm_mm, n;
  return j;
}

/// The two directions perpendicular to a normal.
std::array<Eigen::Vector3d, 2> across(const Eigen::Vector3d& n) {
  const Eigen::Vector3d u = n.unitOrthogonal();
  return {u, n.cross(u)};
}

std::string triple(const Eigen::Vector3d& v, int decimals) {
  const auto tidy = [&](double x) {  // no "-0.00"
    const double unit = std::pow(10, decimals);
    return std::round(x * unit) / unit + 0.0;
  };
  char text[96];
  std::snprintf(text, sizeof text, "(%.*f, %.*f, %.*f)", decimals, tidy(v.x()), decimals, tidy(v.y()),
                decimals, tidy(v.z()));
  return text;
}

}  // namespace

Lever lever_of(const std::vector<ModelSample>& samples) {
  Lever lever;
  if (samples.empty()) return lever;
  const auto n = static_cast<double>(samples.size());
  for (const ModelSample& s : samples) lever.center_mm += s.point_mm / n;
  double sum = 0;
  for (const ModelSample& s : samples) sum += (s.point_mm - lever.center_mm).squaredNorm() / n;
  lever.arm_mm = std::max(1e-6, std::sqrt(sum));
  return lever;
}

Equations equations_of(const std::vector<ModelSample>& samples, const Lever& lever) {
  Equations e;
  std::map<std::uint32_t, Vector6d> pulls;
  double weights = 0, squares = 0;
  for (const ModelSample& s : samples) {
    const Vector6d j = row_of(s.point_mm, s.normal, lever);
    const Vector6d pull = s.weight * s.distance_mm * j;
    e.normal += s.weight * j * j.transpose();
    e.pull += pull;
    for (const Eigen::Vector3d& t : across(s.normal)) {
      const Vector6d k = row_of(s.point_mm, t, lever);
      e.slopes += s.weight * k * k.transpose();
    }
    pulls.try_emplace(s.group, Vector6d::Zero()).first->second += pull;
    weights += s.weight;
    squares += s.weight * s.distance_mm * s.distance_mm;
  }
  e.samples = samples.size();
  e.groups = pulls.size();
  if (e.samples == 0) return e;
  for (const auto& [group, pull] : pulls) e.scatter += pull * pull.transpose() / (weights * weights);
  // residuals are smaller than errors by the fitted parameters, up to six
  const auto groups = static_cast<double>(e.groups);
  e.scatter *= groups / std::max(1.0, groups - 6);
  e.normal /= weights;
  e.pull /= weights;
  e.slopes /= weights;
  e.rms_mm = std::sqrt(squares / weights);
  return e;
}

Told told_by(const Equations& e, const Eigen::Matrix<double, 6, Eigen::Dynamic>& free, double slope_rad) {
  Told told;
  const Eigen::MatrixXd normal = free.transpose() * e.normal * free;
  const EigenSystem eigen = eigen_system(normal);
  const Eigen::Matrix<double, 6, Eigen::Dynamic> directions = free * eigen.vectors;
  std::vector<Eigen::Index> yes, no;
  for (Eigen::Index k = 0; k < directions.cols(); ++k) {
    const Vector6d u = directions.col(k);
    const double feigned = slope_rad * slope_rad * u.dot(e.slopes * u);
    (eigen.values[k] > normals_information * feigned ? yes : no).push_back(k);
  }
  told.directions = directions(Eigen::all, yes);
  told.left = directions(Eigen::all, no);
  for (const Eigen::Index k : yes)
    told.inverse += directions.col(k) * directions.col(k).transpose() / eigen.values[k];
  if (!yes.empty()) told.condition = eigen.values[yes.front()] / eigen.values[yes.back()];
  return told;
}

Eigen::Matrix4d motion_of(const Lever& lever, const Vector6d& movement_mm) {
  const Eigen::Matrix3d r = rotation_from_vector(movement_mm.head<3>() / lever.arm_mm);
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topLeftCorner<3, 3>() = r;
  m.topRightCorner<3, 1>() = lever.center_mm - r * lever.center_mm + movement_mm.tail<3>();
  return m;
}

Matrix6d as_estimate(const Lever& lever, const Eigen::Vector3d& translation_mm) {
  Matrix6d j = Matrix6d::Zero();
  j.topLeftCorner<3, 3>() = Eigen::Matrix3d::Identity() / lever.arm_mm;
  j.bottomLeftCorner<3, 3>() = cross_matrix(lever.center_mm - translation_mm) / lever.arm_mm;
  j.bottomRightCorner<3, 3>().setIdentity();
  return j;
}

std::string words_of(const Lever& lever, const Vector6d& movement_mm) {
  Eigen::Vector3d w = movement_mm.head<3>() / lever.arm_mm;
  const Eigen::Vector3d d = movement_mm.tail<3>();
  if (movement_mm.head<3>().norm() < 0.1 * movement_mm.norm()) {
    Eigen::Index most = 0;
    d.cwiseAbs().maxCoeff(&most);
    return "shift along " + triple(d.normalized() * (d[most] < 0 ? -1 : 1), 2);
  }
  Eigen::Index most = 0;
  w.cwiseAbs().maxCoeff(&most);
  const Eigen::Vector3d axis = w.normalized() * (w[most] < 0 ? -1 : 1);
  // the axis lies where w x (p - center) cancels the perpendicular shift
  const Eigen::Vector3d through = lever.center_mm + w.cross(d) / w.squaredNorm();
  return "turn about " + triple(axis, 2) + " through " + triple(through, 1) + " mm";
}

}  // namespace datum::model_fit
