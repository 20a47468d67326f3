#include "daemon/inspection/verdict/placement_budget.h"

#include <algorithm>
#include <cmath>

#include "calib/registration/convention.h"
#include "daemon/inspection/recipe/alignment_recipe.h"

namespace datum {
namespace {

/// Covariance along the sensor's x and y, from one along the machine's axes.
Eigen::Matrix2d in_sensor(const Calibration& c, const Eigen::Matrix3d& machine) {
  const Eigen::Matrix3d r = c.machine_from_sensor.rotation();
  return (r.transpose() * machine * r).topLeftCorner<2, 2>();
}

Eigen::Matrix3d turned(const Calibration& c, const Eigen::Vector3d& arm_mm) {
  const Eigen::Matrix3d by = cross_matrix(c.machine_from_sensor.rotation() * arm_mm);
  return by * c.covariance.topLeftCorner<3, 3>() * by.transpose();
}

Eigen::Matrix2d alignment_covariance(const PlacementSources& s) {
  const double cell_mm = alignment_grid(s.recipe).cell_mm;
  const Eigen::Array2d pixel_mm(s.frame.x.scale_mm, s.frame.y.scale_mm);
  return ((pixel_mm.square() + cell_mm * cell_mm) / 12).matrix().asDiagonal();
}

Eigen::Matrix2d registered_covariance(const RegisteredPlace& r, const Eigen::Vector2d& at_mm,
                                      const Eigen::Matrix3d& sensor_from_board) {
  const Eigen::Vector2d arm = at_mm - r.pivot_mm;
  const Eigen::Matrix2d turn = sensor_from_board.topLeftCorner<2, 2>();
  if (r.stretched) {
    const auto by_stretch = stretch_rows(arm);
    return turn * (by_stretch * *r.stretched * by_stretch.transpose()) * turn.transpose();
  }
  Eigen::Matrix<double, 2, 3> by;
  by << 1, 0, -arm.y(), 0, 1, arm.x();
  return turn * (by * r.covariance * by.transpose()) * turn.transpose();
}

void add_pairing(const Pose& pose, std::vector<PlacementTerm>& terms) {
  if (!pose.pairing) return;
  const double u_mm = pose.pairing->u_um * 1e-3;
  terms.push_back({"pairing", Eigen::Matrix2d::Identity() * (u_mm * u_mm)});
}

/// Of a snapshot against the middle of those that were registered together.
void add_way(const PlacementSources& s, const Eigen::Vector3d& middle_q_mm,
             std::vector<PlacementTerm>& terms) {
  const Calibration& c = *s.calibration;
  const SnapshotModel model{{c.machine_from_sensor, c.covariance}, c.stage, c.stage_u};
  const Eigen::Vector3d q_mm(s.pose.q_mm.data());
  terms.push_back({"stage", in_sensor(c, difference_covariance(model, middle_q_mm, q_mm))});
  add_pairing(s.pose, terms);
}

}  // namespace

std::vector<PlacementTerm> placement_terms(const PlacementSources& s, const Component& component) {
  const Htm<Sensor, Board> sensor_from_board = s.board_from_sensor.inverse();
  const Eigen::Vector2d& at = component.body.centre_mm;
  const Eigen::Vector3d p =
      sensor_from_board * Eigen::Vector3d(at.x(), at.y(), component.nominal_height_um * 1e-3);
  std::vector<PlacementTerm> terms;
  if (s.recipe.alignment) {
    const Eigen::Vector2d middle = s.registered ? at : s.recipe.board_size_mm / 2;
    const Eigen::Vector3d arm = p - sensor_from_board * Eigen::Vector3d(middle.x(), middle.y(), 0);
    if (s.calibration)
      terms.push_back({"calibration", in_sensor(*s.calibration, turned(*s.calibration, arm))});
    terms.push_back({"alignment", s.registered
                                      ? registered_covariance(*s.registered, at, sensor_from_board.rotation())
                                      : alignment_covariance(s)});
    if (s.registered && s.registered->middle_q_mm) add_way(s, *s.registered->middle_q_mm, terms);
    return terms;
  }
  if (s.calibration) {
    const Calibration& c = *s.calibration;
    const HtmEstimate<Machine, Sensor> estimate{c.machine_from_sensor, c.covariance};
    terms.push_back({"calibration", in_sensor(c, point_covariance(estimate, p))});
    if (s.pose.used) {
      const Eigen::Vector3d q_mm(s.pose.q_mm.data());
      terms.push_back({"stage", in_sensor(c, motion_covariance(c.stage, c.stage_u, q_mm))});
    }
  }
  if (s.calibration && s.pose.used) add_pairing(s.pose, terms);
  return terms;
}

std::vector<UncertaintyTerm> turn_terms(const PlacementSources& s) {
  if (s.registered) return {{"alignment", std::sqrt(std::max(0.0, s.registered->covariance(2, 2)))}};
  if (s.calibration) return {{"calibration", std::sqrt(std::max(0.0, s.calibration->covariance(2, 2)))}};
  return {};
}

void add_placement(std::vector<UncertaintyTerm>& budget, const std::vector<PlacementTerm>& terms,
                   const Eigen::Vector2d& slope) {
  for (const PlacementTerm& term : terms)
    budget.push_back({term.name, 1e3 * std::sqrt(std::max(0.0, slope.dot(term.covariance_mm2 * slope)))});
}

}  // namespace datum
