#include "daemon/inspection/registration/fiducial_motion.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "calib/linear/linear_algebra.h"
#include "daemon/inspection/registration/fiducial_shape.h"
#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

constexpr double least_px = 5;  // across the finest part of a mark
constexpr double near_sigmas = 5, near_size = 0.25;
constexpr double least_pivot = 1e-6;  // of unit rows: places on a line within a thousandth of their spread
constexpr double glare_limits[] = {1, 0.5, 0.25, 0.125};  // the next where none is near its place

Eigen::Matrix<double, 2, 3> motion_rows(const Eigen::Vector2d& arm) {
  Eigen::Matrix<double, 2, 3> a;
  a << 1, 0, -arm.y(), 0, 1, arm.x();
  return a;
}

Eigen::Vector2d mark_arm(const Fiducial& mark, const PlaneMotion& motion) {
  return MovedPlane(motion).linear() * (mark.centre_mm - motion.pivot_mm);
}

/// Variance of the mark's place by the motion, over both directions.
double place_variance(const Fiducial& mark, const PlaneMotion& motion, const FiducialSearch& search) {
  if (search.stretched)
    return covariance_through(place_rows(mark.centre_mm, motion), *search.stretched).trace();
  return covariance_through(motion_rows(mark_arm(mark, motion)), search.covariance).trace();
}

Eigen::Matrix2d weight_of(const SoughtFiducial& s) {
  const double u = 1e-3 * s.mark->u_um;
  return (s.finding.fit->covariance + u * u * Eigen::Matrix2d::Identity()).inverse();
}

FiducialFinding seek(const GreyScene& scene, const Fiducial& mark, const PlaneMotion& motion,
                     const FiducialSearch& search) {
  const double pixel_mm = std::max(scene.view.per_col().norm(), scene.view.per_row().norm());
  if (finest_mm(mark) < least_px * pixel_mm)
    return {std::nullopt,
            fmt::format("its finest part of {:g} mm covers {:.1f} pixels, at least {:g} are needed",
                        finest_mm(mark), finest_mm(mark) / pixel_mm, least_px)};
  const double near_mm =
      std::max(near_size * mark.size_mm, near_sigmas * std::sqrt(place_variance(mark, motion, search)));
  FiducialFinding best;
  std::size_t near = 0;
  bool complete = true;
  for (const double glare_limit : glare_limits) {
    if (near > 0) break;
    const FiducialCandidates candidates =
        fiducial_candidates(scene, mark, motion, search.reach_mm, glare_limit);
    complete = complete && candidates.complete;
    for (const Eigen::Vector2d& start : candidates.off_mm) {
      FiducialFinding f = fit_fiducial(scene, mark, motion, start);
      if (!f.fit) {
        if (!best.fit && best.why.empty())
          best.why =
              fmt::format("what is most like it, [{:.3f}, {:.3f}] mm off: {}", start.x(), start.y(), f.why);
        continue;
      }
      if (f.fit->off_mm.norm() > search.reach_mm) continue;
      if (best.fit && (best.fit->off_mm - f.fit->off_mm).norm() < near_size * mark.size_mm) continue;
      near += f.fit->off_mm.norm() <= near_mm;
      if (!best.fit || f.fit->off_mm.norm() < best.fit->off_mm.norm()) best = std::move(f);
    }
  }
  if (near > 1)
    return {std::nullopt,
            fmt::format("{} marks that look like it lie within {:.3f} mm of its place", near, near_mm)};
  if (!best.fit && best.why.empty())
    best.why = fmt::format("nothing like it within {:g} mm of its place", search.reach_mm);
  if (!best.fit && !complete) best.why += "; a part of the range is not in the frame";
  return best;
}

}  // namespace

std::vector<SoughtFiducial> seek_fiducials(const GreyScene& scene, const std::vector<Fiducial>& marks,
                                           const PlaneMotion& motion, const FiducialSearch& search) {
  std::vector<SoughtFiducial> all(marks.size());
  parallel_for(search.threads, marks.size(), [&](std::size_t i, unsigned) {
    all[i] = {&marks[i], seek(scene, marks[i], motion, search)};
  });
  return all;
}

std::size_t found_of(const std::vector<SoughtFiducial>& sought) {
  return std::size_t(std::count_if(sought.begin(), sought.end(),
                                   [](const SoughtFiducial& s) { return s.finding.fit.has_value(); }));
}

FiducialMotion fit_fiducials(const std::vector<SoughtFiducial>& sought, const PlaneMotion& motion) {
  FiducialMotion m;
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
  Eigen::Vector3d v = Eigen::Vector3d::Zero();
  m.freedom = 2 * int(found_of(sought)) - 3;
  for (const SoughtFiducial& s : sought) {
    if (!s.finding.fit) continue;
    const auto a = motion_rows(mark_arm(*s.mark, motion));
    normal += covariance_through(a.transpose(), weight_of(s));
    v += a.transpose() * weight_of(s) * s.finding.fit->off_mm;
  }
  m.motion.covariance = normal.inverse();
  m.motion.correction = m.motion.covariance * v;
  for (const SoughtFiducial& s : sought) {
    if (!s.finding.fit) continue;
    const Eigen::Vector2d r = left_over(s, motion, m.motion.correction);
    m.chi2 += r.dot(weight_of(s) * r);
  }
  if (m.freedom > 0) m.motion.covariance *= std::max(1.0, m.chi2 / m.freedom);
  return m;
}

CombinedMotion combined(const MotionEstimate& a, const MotionEstimate& b) {
  const Eigen::Matrix3d of_a = a.covariance.inverse(), of_b = b.covariance.inverse();
  CombinedMotion c;
  c.motion.covariance = (of_a + of_b).inverse();
  c.motion.correction = c.motion.covariance * (of_a * a.correction + of_b * b.correction);
  const Eigen::Vector3d d = a.correction - b.correction;
  c.chi2 = d.dot((a.covariance + b.covariance).inverse() * d);
  return c;
}

Eigen::Vector2d left_over(const SoughtFiducial& sought, const PlaneMotion& motion,
                          const Eigen::Vector3d& correction) {
  return sought.finding.fit->off_mm - motion_rows(mark_arm(*sought.mark, motion)) * correction;
}

Eigen::Vector2d left_over(const SoughtFiducial& sought, const PlaneMotion& motion,
                          const Vector6d& correction) {
  return sought.finding.fit->off_mm - place_rows(sought.mark->centre_mm, motion) * correction;
}

StretchedMotion fit_with_stretch(const std::vector<SoughtFiducial>& sought, const PlaneMotion& motion,
                                 const Matrix6d& bodies, int unknowns) {
  Matrix6d all = Matrix6d::Zero();
  Vector6d v = Vector6d::Zero();
  for (const SoughtFiducial& s : sought) {
    if (!s.finding.fit) continue;
    const auto a = place_rows(s.mark->centre_mm, motion);
    all += covariance_through(a.transpose(), weight_of(s));
    v += a.transpose() * weight_of(s) * s.finding.fit->off_mm;
  }
  const auto chi2_of = [&](const Vector6d& correction) {
    double sum = 0;
    for (const SoughtFiducial& s : sought) {
      if (!s.finding.fit) continue;
      const Eigen::Vector2d r = left_over(s, motion, correction);
      sum += r.dot(weight_of(s) * r);
    }
    return sum;
  };
  const Eigen::MatrixXd marks = all.topLeftCorner(unknowns, unknowns);
  const Eigen::VectorXd right = v.head(unknowns);
  StretchedMotion m;
  const int found = int(found_of(sought));
  // Unknowns of different units: by their own sizes.
  const Eigen::VectorXd by = marks.diagonal().cwiseSqrt().cwiseInverse();
  const PivotedSolution alone =
      solve_pivoted(by.asDiagonal() * marks * by.asDiagonal(), by.cwiseProduct(right));
  double apart = 1;
  if (2 * found > unknowns && alone.last_pivot > least_pivot) {
    Vector6d x = Vector6d::Zero();
    x.head(unknowns) = by.cwiseProduct(alone.x);
    m.marks_freedom = 2 * found - unknowns;
    m.marks_chi2 = chi2_of(x);
    apart = std::max(1.0, m.marks_chi2 / m.marks_freedom);
  }
  const Eigen::MatrixXd known = inverse_matrix(bodies.topLeftCorner(unknowns, unknowns));
  const Eigen::MatrixXd covariance = inverse_matrix(marks / apart + known);
  m.covariance.topLeftCorner(unknowns, unknowns) = covariance;
  m.correction.head(unknowns) = covariance * right / apart;
  const auto x = m.correction.head(unknowns);
  m.parts_freedom = m.marks_freedom > 0 ? unknowns : 2 * found;
  m.parts_chi2 = x.dot(known * x) + (chi2_of(m.correction) - m.marks_chi2) / apart;
  if (m.marks_freedom == 0) m.covariance *= std::max(1.0, m.parts_chi2 / m.parts_freedom);
  return m;
}

double chi2_limit(int freedom) {
  constexpr double normal = 3.090232306167813;  // quantile of 0.999
  const double part = 2.0 / (9.0 * freedom), root = 1 - part + normal * std::sqrt(part);
  return freedom * root * root * root;
}

}  // namespace datum
