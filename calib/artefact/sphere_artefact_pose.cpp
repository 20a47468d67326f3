#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <cmath>

#include "calib/artefact/sphere_artefact.h"
#include "calib/fit/point_moments.h"
#include "calib/linear/linear_algebra.h"

namespace datum {
namespace {

constexpr const char* alignment_name = "alignment of points";
using Pairs = std::span<const PointPair>;

struct Means {
  Eigen::Vector3d to = Eigen::Vector3d::Zero(), from = Eigen::Vector3d::Zero();
};

Means means_of(Pairs pairs) {
  Means m;
  for (const PointPair& p : pairs) {
    m.to += p.to_mm / static_cast<double>(pairs.size());
    m.from += p.from_mm / static_cast<double>(pairs.size());
  }
  return m;
}

void refuse_bad(Pairs pairs) {
  if (pairs.size() < 3) {
    refuse_fit(alignment_name, "%zu points, needs at least 3 that are not on a line", pairs.size());
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const PointPair& p = pairs[i];
    const Eigen::Matrix3d sum = p.to_covariance + p.from_covariance;
    if (!p.to_mm.allFinite() || !p.from_mm.allFinite() || !sum.allFinite()) {
      refuse_fit(alignment_name, "point %zu has a number that is not finite", i);
    }
    if (Eigen::LLT<Eigen::Matrix3d>(sum).info() != Eigen::Success) {
      refuse_fit(alignment_name,
                 "point %zu has a covariance that is not positive: state how well it is known", i);
    }
  }
}

double squares_after(Pairs pairs, const Means& m, const Eigen::Matrix3d& rotation) {
  double sum = 0;
  for (const PointPair& p : pairs) sum += (p.to_mm - m.to - rotation * (p.from_mm - m.from)).squaredNorm();
  return sum;
}

/// Upper 1e-6 quantile of chi-square (Wilson and Hilferty 1931) for n pairs.
double allowed_chi_square(std::size_t pairs) {
  const double freedom = 3 * static_cast<double>(pairs) - 6;
  const double cube_root = 1 - 2 / (9 * freedom) + 4.753 * std::sqrt(2 / (9 * freedom));
  return freedom * cube_root * cube_root * cube_root;
}

double largest_variance(Pairs pairs) {
  double largest = 0;
  for (const PointPair& p : pairs) {
    largest = std::max(largest, (p.to_covariance + p.from_covariance).trace());
  }
  return largest;
}

/// Rotation of the closed, unweighted solution.
Eigen::Matrix3d closed_rotation(Pairs pairs, const Means& m) {
  Eigen::Matrix3d h = Eigen::Matrix3d::Zero();
  for (const PointPair& p : pairs) h += (p.to_mm - m.to) * (p.from_mm - m.from).transpose();
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(h, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::Vector3d& s = svd.singularValues();
  // Squared ratio of width to length, on both sides: at 1:100 the rotation about the line is 100 times more
  // uncertain.
  if (!(s[1] > 1e-4 * s[0])) {
    refuse_fit(alignment_name,
               "the %zu points lie on a line: nothing holds the turn about it; place one beside it",
               pairs.size());
  }
  Eigen::Vector3d sign(1, 1, svd.matrixU().determinant() * svd.matrixV().determinant() < 0 ? -1 : 1);
  const Eigen::Matrix3d proper = svd.matrixU() * sign.asDiagonal() * svd.matrixV().transpose();
  sign[2] = -sign[2];
  const Eigen::Matrix3d mirrored = svd.matrixU() * sign.asDiagonal() * svd.matrixV().transpose();
  // Coplanar pairs (always with three points) fit equally mirrored. Only pairs that fit mirrored and clearly
  // not otherwise are refused.
  const double reversed = squares_after(pairs, m, mirrored);
  if (reversed < allowed_chi_square(pairs.size()) * largest_variance(pairs) &&
      4 * reversed < squares_after(pairs, m, proper)) {
    refuse_fit(alignment_name,
               "mirrored: with one axis reversed the points fit to %.3g mm instead of %.3g mm; correct the "
               "sensor's handedness, or the machine's axes",
               std::sqrt(reversed / static_cast<double>(pairs.size())),
               std::sqrt(squares_after(pairs, m, proper) / static_cast<double>(pairs.size())));
  }
  return proper;
}

struct Pose {
  Eigen::Matrix3d r;
  Eigen::Vector3d t;
};

struct Step {
  Matrix6d information = Matrix6d::Zero();
  Vector6d gradient = Vector6d::Zero();
  double chi_square = 0, squares = 0;
};

/// Linearisation about a pose, in HtmEstimate's parameters.
Step linearised(Pairs pairs, const Pose& pose) {
  Step step;
  for (const PointPair& p : pairs) {
    const Eigen::Vector3d turned = pose.r * p.from_mm, e = p.to_mm - turned - pose.t;
    const Eigen::Matrix3d covariance = p.to_covariance + pose.r * p.from_covariance * pose.r.transpose();
    const Eigen::Matrix3d weight = covariance.inverse();
    Eigen::Matrix<double, 3, 6> j;
    j << -cross_matrix(turned), Eigen::Matrix3d::Identity();
    step.information += j.transpose() * weight * j;
    step.gradient += j.transpose() * weight * e;
    step.chi_square += e.dot(weight * e);
    step.squares += e.squaredNorm();
  }
  return step;
}

void refuse_contradiction(const PairAlignment& a, std::size_t pairs) {
  const double allowed = allowed_chi_square(pairs);
  if (a.chi_square <= allowed) return;
  refuse_fit(
      alignment_name,
      "the points do not fit each other: %.3g mm rms, chi-square %.3g (allowed %.3g); one moved between "
      "the measurements, they are paired in the wrong order, or a scale differs",
      a.rms_mm, a.chi_square, allowed);
}

}  // namespace

PairAlignment align_pairs(Pairs pairs) {
  refuse_bad(pairs);
  const Means m = means_of(pairs);
  const Eigen::Matrix3d closed = closed_rotation(pairs, m);
  Pose pose{closed, m.to - closed * m.from};
  Step step = linearised(pairs, pose);
  // Convergence is quadratic except for the slow change of the weights; 20 iterations are ample.
  for (int iteration = 0; iteration < 20; ++iteration) {
    const Vector6d x = solve_symmetric(step.information, step.gradient);
    pose.r = rotation_from_vector(x.head<3>()) * pose.r;
    pose.t += x.tail<3>();
    step = linearised(pairs, pose);
    if (x.dot(step.information * x) < 1e-12) break;  // a millionth of the standard uncertainties
  }
  PairAlignment a;
  a.matrix.setIdentity();
  a.matrix.topLeftCorner<3, 3>() = Eigen::Quaterniond(pose.r).normalized().toRotationMatrix();
  a.matrix.topRightCorner<3, 1>() = pose.t;
  a.covariance = solve_symmetric(step.information, Matrix6d::Identity());
  a.chi_square = step.chi_square;
  a.rms_mm = std::sqrt(step.squares / static_cast<double>(pairs.size()));
  refuse_contradiction(a, pairs.size());
  return a;
}

}  // namespace datum
