#include "calib/registration/convention.h"

#include "calib/linear/linear_algebra.h"

namespace datum {

namespace {

/// The same scales, with the angles reversed or omitted.
Eigen::Matrix3d with_squareness(const Eigen::Matrix3d& a, double sign) {
  const Eigen::Vector3d scale = a.diagonal();
  const Eigen::Matrix3d shear = a * scale.cwiseInverse().asDiagonal();
  const Eigen::Matrix3d other = Eigen::Matrix3d::Identity() + sign * (shear - Eigen::Matrix3d::Identity());
  return other * scale.asDiagonal();
}

Eigen::Matrix3d motion_of(const Eigen::Matrix3d& a, Convention convention) {
  switch (convention) {
    case Convention::stage_reversed:
      return -a;
    case Convention::stage_not_applied:
      return Eigen::Matrix3d::Zero();
    case Convention::x_reversed:
      return a * Eigen::Vector3d(-1, 1, 1).asDiagonal();
    case Convention::y_reversed:
      return a * Eigen::Vector3d(1, -1, 1).asDiagonal();
    case Convention::z_reversed:
      return a * Eigen::Vector3d(1, 1, -1).asDiagonal();
    case Convention::x_y_exchanged: {
      Eigen::Matrix3d exchange;
      exchange << 0, 1, 0, 1, 0, 0, 0, 0, 1;
      return a * exchange;
    }
    case Convention::squareness_reversed:
      return with_squareness(a, -1);
    case Convention::squareness_ignored:
      return Eigen::Matrix3d::Identity();
    default:
      return a;
  }
}

struct Named {
  const char *name, *remedy;
};

Named named(Convention convention) {
  switch (convention) {
    case Convention::as_stated:
      return {"AS_STATED", ""};
    case Convention::stage_reversed:
      return {
          "STAGE_REVERSED",
          "the stage moves the part, or its axes count the other way: reverse the axes of the CMM settings"};
    case Convention::stage_not_applied:
      return {
          "STAGE_NOT_APPLIED",
          "the sensor did not move with q, or its frames are in machine coordinates already: leave q out"};
    case Convention::x_reversed:
      return {"X_REVERSED", "the stage's X counts the other way: reverse it in the CMM settings"};
    case Convention::y_reversed:
      return {"Y_REVERSED", "the stage's Y counts the other way: reverse it in the CMM settings"};
    case Convention::z_reversed:
      return {"Z_REVERSED", "the stage's Z counts the other way: reverse it in the CMM settings"};
    case Convention::x_y_exchanged:
      return {"X_Y_EXCHANGED", "the stage's X and Y are exchanged: correct the axes of the CMM settings"};
    case Convention::rotation_transposed:
      return {"ROTATION_TRANSPOSED",
              "the calibration holds the rotation transposed or the transform inverted: it must lead from "
              "sensor to "
              "machine, row by row"};
    case Convention::mirrored:
      return {"MIRRORED", "the frames are of the other hand: correct handedness in the sensor's profile"};
    case Convention::squareness_reversed:
      return {
          "SQUARENESS_REVERSED",
          "the stage's squareness has the wrong sign: positive where the angle between the axes is above 90 "
          "degrees"};
    case Convention::squareness_ignored:
      return {"SQUARENESS_IGNORED",
              "the machine corrects its squareness and scale itself: take them out of the "
              "calibration's stage"};
  }
  return {"?", ""};
}

}  // namespace

const std::vector<Convention>& mistakes() {
  static const std::vector<Convention> all{Convention::stage_reversed,      Convention::stage_not_applied,
                                           Convention::x_reversed,          Convention::y_reversed,
                                           Convention::z_reversed,          Convention::x_y_exchanged,
                                           Convention::rotation_transposed, Convention::mirrored,
                                           Convention::squareness_reversed, Convention::squareness_ignored};
  return all;
}

const char* name_of(Convention convention) { return named(convention).name; }
const char* remedy_of(Convention convention) { return named(convention).remedy; }

Eigen::Matrix4d pose_of(const SnapshotModel& model, const Eigen::Vector3d& q_mm, Convention convention) {
  Eigen::Matrix4d pose = model.at_calibration.htm.matrix();
  if (convention == Convention::rotation_transposed)
    pose.topLeftCorner<3, 3>() = model.at_calibration.htm.rotation().transpose();
  if (convention == Convention::mirrored) pose.col(0) *= -1;
  pose.topRightCorner<3, 1>() += motion_of(model.stage.a, convention) * (q_mm - model.stage.q_cal_mm);
  return pose;
}

Eigen::Matrix3d difference_covariance(const SnapshotModel& model, const Eigen::Vector3d& q_a_mm,
                                      const Eigen::Vector3d& q_b_mm) {
  const Eigen::Matrix3d way = cross_matrix(model.stage.a * (q_b_mm - q_a_mm));
  const StageModel from_a{model.stage.a, q_a_mm};
  return covariance_through(way, model.at_calibration.covariance.topLeftCorner<3, 3>()) +
         motion_covariance(from_a, model.u, q_b_mm);
}

}  // namespace datum
