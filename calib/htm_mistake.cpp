#include "calib/htm_mistake.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <cstdio>
#include <functional>

#include "calib/euler_angles.h"
#include "calib/linear/linear_algebra.h"

namespace datum {

namespace {

using Eigen::Matrix3d;
using Eigen::Matrix4d;
using Eigen::Vector3d;

constexpr const char* axes[] = {"x", "y", "z"};

Matrix4d matrix(const Matrix3d& rotation, const Vector3d& translation) {
  Matrix4d m = Matrix4d::Identity();
  m.topLeftCorner<3, 3>() = rotation;
  m.topRightCorner<3, 1>() = translation;
  return m;
}

Matrix4d mirror(int axis) {
  Matrix4d f = Matrix4d::Identity();
  f(axis, axis) = -1;
  return f;
}

std::vector<NamedMistake> undone(const Matrix4d& given) {
  const Matrix3d r = given.topLeftCorner<3, 3>();
  const Vector3d t = given.topRightCorner<3, 1>();
  std::vector<NamedMistake> all{{HtmMistake::rotation_transposed, "", matrix(r.transpose(), t)},
                                {HtmMistake::matrix_transposed, "", given.transpose()},
                                {HtmMistake::inverted, "", given.inverse()},
                                {HtmMistake::translation_negated, "", matrix(r, -t)},
                                {HtmMistake::translation_of_inverse, "", matrix(r, -(r * t))}};
  const Vector3d angles = intrinsic_xyz(r);
  for (int k = 0; k < 3; ++k) {
    Vector3d other = angles;
    other[k] = -other[k];
    all.push_back({HtmMistake::angle_negated, axes[k], matrix(rotation_from_intrinsic_xyz(other), t)});
  }
  all.push_back({HtmMistake::angle_negated, "all", matrix(rotation_from_intrinsic_xyz(-angles), t)});
  // Rz(c) Ry(b) Rx(a) is the transpose of Rx(-a) Ry(-b) Rz(-c): either order may be intended.
  const Matrix3d other_order = rotation_from_intrinsic_xyz(-angles).transpose();
  const Matrix3d this_order = rotation_from_intrinsic_xyz(-intrinsic_xyz(r.transpose()));
  all.push_back({HtmMistake::angle_order, "Rz Ry Rx was meant", matrix(other_order, t)});
  all.push_back({HtmMistake::angle_order, "Rx Ry Rz was meant", matrix(this_order, t)});
  for (int k = 0; k < 3; ++k) {
    const std::string axis = axes[k];
    all.push_back({HtmMistake::mirrored_both_sides, axis, mirror(k) * given * mirror(k)});
    all.push_back({HtmMistake::mirrored_one_side, "input " + axis, given * mirror(k)});
    all.push_back({HtmMistake::mirrored_one_side, "output " + axis, mirror(k) * given});
  }
  all.push_back({HtmMistake::unit, "m", matrix(r, 1000 * t)});
  all.push_back({HtmMistake::unit, "inch", matrix(r, 25.4 * t)});
  return all;
}

const char* remedy(HtmMistake mistake) {
  switch (mistake) {
    case HtmMistake::rotation_transposed:
      return "write the rotation row by row; its columns are the source's axes in the target's coordinates";
    case HtmMistake::matrix_transposed:
      return "the matrix is for column vectors: the translation belongs in the last column";
    case HtmMistake::inverted:
      return "it takes target to source: give its inverse (machine_from_sensor = machine_from_artefact * "
             "inverse(sensor_from_artefact))";
    case HtmMistake::translation_negated:
      return "the translation is the source's origin in the target's coordinates: change its sign";
    case HtmMistake::translation_of_inverse:
      return "the translation is the source's origin in the target's coordinates, not the other way round";
    case HtmMistake::angle_negated:
      return "angles are positive from x to y, y to z, z to x: change the sign";
    case HtmMistake::angle_order:
      return "angles are intrinsic X-Y'-Z'': R = Rx Ry Rz";
    case HtmMistake::mirrored_both_sides:
      return "it was made in left-handed coordinates on both sides: mirror it, F X F, since frames are "
             "mirrored at "
             "ingest";
    case HtmMistake::mirrored_one_side:
      return "one side is left-handed: correct the handedness in the sensor's profile and calibrate again";
    case HtmMistake::unit:
      return "the translation must be in mm";
  }
  return "";
}

std::string as_text(const NamedMistake& m) {
  return std::string(name_of(m.mistake)) + (m.detail.empty() ? "" : " (" + m.detail + ")");
}

/// Within rounding of nine decimals and 1000 mm.
bool same(const Matrix4d& a, const Matrix4d& b) { return (a - b).cwiseAbs().maxCoeff() < 1e-6; }

std::string words_of(const std::vector<NamedMistake>& explained) {
  if (explained.empty()) {
    return "the transform does not fit what was measured, and none of the usual mistakes explains it: "
           "calibrate again";
  }
  if (explained.size() == 1) {
    return "the transform does not fit what was measured: " + as_text(explained[0]) + "; " +
           remedy(explained[0].mistake);
  }
  std::string list;
  bool one = true;
  for (const NamedMistake& m : explained) {
    list += (list.empty() ? "" : ", or ") + as_text(m);
    one = one && same(m.corrected, explained[0].corrected);
  }
  return "the transform does not fit what was measured: ambiguous, " + list +
         (one ? "; they come to the same matrix here" : "; measure places farther apart, or calibrate again");
}

HtmDiagnosis diagnosis(const Matrix4d& given, const std::function<bool(const Matrix4d&)>& fits) {
  if (!given.allFinite()) throw CalibrationError("the matrix has an element that is not finite");
  HtmDiagnosis d;
  d.fits = fits(given);
  if (d.fits) return d;
  for (NamedMistake& m : undone(given)) {
    if (m.corrected.allFinite() && fits(m.corrected)) d.explained.push_back(m);
  }
  d.words = words_of(d.explained);
  return d;
}

/// The 0.999 quantile of chi-square (Wilson and Hilferty 1931; error 0.1 % from 6 degrees of freedom on).
double limit(double freedom) {
  const double v = 2 / (9 * freedom);
  return freedom * std::pow(1 - v + 3.0902 * std::sqrt(v), 3);
}

bool last_row_is_right(const Matrix4d& m) {
  return (m.row(3) - Eigen::RowVector4d(0, 0, 0, 1)).cwiseAbs().maxCoeff() < 1e-9;
}

}  // namespace

const char* name_of(HtmMistake mistake) {
  switch (mistake) {
    case HtmMistake::rotation_transposed:
      return "the rotation is transposed";
    case HtmMistake::matrix_transposed:
      return "the whole matrix is transposed";
    case HtmMistake::inverted:
      return "the transform is inverted";
    case HtmMistake::translation_negated:
      return "the translation has the wrong sign";
    case HtmMistake::translation_of_inverse:
      return "the translation is that of the inverse";
    case HtmMistake::angle_negated:
      return "an angle has the wrong sign";
    case HtmMistake::angle_order:
      return "the angles are applied in the wrong order";
    case HtmMistake::mirrored_both_sides:
      return "both sides are mirrored";
    case HtmMistake::mirrored_one_side:
      return "one side is mirrored";
    case HtmMistake::unit:
      return "the translation is in another unit";
  }
  return "?";
}

HtmDiagnosis diagnose(const Matrix4d& given, std::span<const PointPair> pairs, double sigma_mm) {
  if (pairs.empty()) throw CalibrationError("no pairs of points to judge the transform by");
  if (!(sigma_mm > 0)) throw CalibrationError("the noise of the points must be above 0 mm");
  return diagnosis(given, [&](const Matrix4d& m) {
    double sum = 0;
    for (const PointPair& pair : pairs) {
      const Eigen::Vector4d to = m * pair.from_mm.homogeneous();
      sum += (to.head<3>() - pair.to_mm).squaredNorm() / (sigma_mm * sigma_mm);
    }
    return last_row_is_right(m) && sum <= limit(3 * static_cast<double>(pairs.size()));
  });
}

HtmDiagnosis detail::diagnose(const Matrix4d& given, const Matrix4d& expected, const Matrix6d& covariance) {
  const Vector6d scale = covariance.diagonal().cwiseSqrt().cwiseInverse();
  if (!scale.allFinite()) throw CalibrationError("the expected transform has no uncertainty to judge by");
  const Matrix6d scaled = scale.asDiagonal() * covariance * scale.asDiagonal();
  return diagnosis(given, [&](const Matrix4d& m) {
    const Matrix3d r = m.topLeftCorner<3, 3>();
    if (!last_row_is_right(m) || !(r.determinant() > 0) ||
        (r.transpose() * r - Matrix3d::Identity()).cwiseAbs().maxCoeff() > rigidity_limit) {
      return false;
    }
    const Vector6d d = scale.asDiagonal() * detail::difference(m, expected);
    return d.dot(Vector6d(solve_symmetric(scaled, d))) <= limit(6);
  });
}

}  // namespace datum
