#include "daemon/inspection/registration/mechanical_motion.h"

#include <algorithm>
#include <cmath>

#include "calib/linear/linear_algebra.h"
#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

constexpr double mechanical_sigmas = 4, mechanical_reach_px = 2, most_reach_mm = 3;
constexpr double vague_mm = 10, vague_rad = 0.1, vague_stretch = 0.1;  // beyond what any alignment allows
constexpr double rank_pivot = 1e-6;

/// Standard uncertainty of a place by the motion alone.
double place_u_mm(const Eigen::Vector2d& at_mm, const PlaneMotion& motion, const MotionKnown& known) {
  const Eigen::Matrix<double, 2, 6> by = place_rows(at_mm, motion);
  return std::sqrt(std::max(0.0, covariance_through(by, known.covariance).trace()));
}

double mechanical_reach_mm(double place_mm, double u_um, const SurfaceScene& scene,
                           const MechanicalSearch& search) {
  const double drawn = 1e-3 * std::hypot(u_um, search.offset_um) * std::sqrt(2.0);
  return std::min(most_reach_mm,
                  mechanical_sigmas * std::hypot(place_mm, drawn) + mechanical_reach_px * scene.pixel_mm());
}

/// Covariance of what all features are displaced by together, along their own directions.
Eigen::MatrixXd common_offsets(const MechanicalOffsets& o, const MechanicalSearch& search) {
  const double u = 1e-3 * search.offset_um, rim_mm = search.board_size_mm.norm() / 2;
  const Eigen::Vector3d squares(u * u, u * u, u * u / (rim_mm * rim_mm));
  return covariance_through(o.rows.leftCols<3>(), squares.asDiagonal().toDenseMatrix());
}

MechanicalOffsets empty_offsets(std::size_t found) {
  const auto n = static_cast<Eigen::Index>(2 * found);
  return {Eigen::Matrix<double, Eigen::Dynamic, 6>::Zero(n, 6),
          Eigen::VectorXd::Zero(n),
          Eigen::MatrixXd::Zero(n, n),
          {}};
}

/// Two lines of one feature.
void put_two(MechanicalOffsets& o, std::size_t feature, const Eigen::Matrix<double, 2, 6>& rows,
             const Eigen::Vector2d& off_mm, const Eigen::Matrix2d& covariance, double u_um) {
  const auto k = static_cast<Eigen::Index>(o.feature.size());
  o.rows.middleRows<2>(k) = rows;
  o.off_mm.segment<2>(k) = off_mm;
  o.covariance.block<2, 2>(k, k) = covariance + 1e-6 * u_um * u_um * Eigen::Matrix2d::Identity();
  o.feature.insert(o.feature.end(), 2, feature);
}

/// Standard deviations of the unknowns that the model estimates, as if nothing was known of them.
Matrix6d vague_covariance(const Matrix6d& known) {
  Eigen::Matrix<double, 6, 1> v;
  v << vague_mm, vague_mm, vague_rad, vague_stretch, vague_stretch, vague_stretch;
  for (int i = 0; i < 6; ++i) v[i] = known(i, i) > 0 ? v[i] * v[i] : 0;
  return v.asDiagonal();
}

/// Directions of the motion that the offsets tell.
int directions_told(const MechanicalOffsets& o, const Matrix6d& known) {
  Eigen::MatrixXd a = o.rows;
  for (int i = 0; i < 6; ++i) {
    const double size = a.col(i).norm();
    a.col(i) *= known(i, i) > 0 && size > 0 ? 1 / size : 0;
  }
  return rank_of(a, rank_pivot);
}

/// Covariance of the offsets by the motion and their own.
Eigen::MatrixXd offsets_covariance(const MechanicalOffsets& o, const Matrix6d& known, double widened) {
  return o.rows * known * o.rows.transpose() + widened * o.covariance;
}

double offsets_chi2(const MechanicalOffsets& o, const Eigen::VectorXd& off, const Matrix6d& known,
                    double widened) {
  return off.dot(solve_symmetric_vector(offsets_covariance(o, known, widened), off));
}

}  // namespace

std::vector<SoughtHole> seek_holes(const SurfaceScene& scene, const std::vector<AlignmentHole>& holes,
                                   const PlaneMotion& motion, const MotionKnown& known,
                                   const MechanicalSearch& search) {
  std::vector<SoughtHole> all(holes.size());
  parallel_for(search.threads, holes.size(), [&](std::size_t i, unsigned) {
    const AlignmentHole& hole = holes[i];
    const double reach =
        mechanical_reach_mm(place_u_mm(hole.centre_mm, motion, known), hole.u_um, scene, search);
    all[i] = {&hole, find_drilled_hole(scene, hole, motion, reach)};
  });
  return all;
}

std::vector<SoughtEdge> seek_edges(const SurfaceScene& scene, const std::vector<OutlineEdge>& edges,
                                   const PlaneMotion& motion, const MotionKnown& known,
                                   const MechanicalSearch& search) {
  std::vector<SoughtEdge> all(edges.size());
  parallel_for(search.threads, edges.size(), [&](std::size_t i, unsigned) {
    const OutlineEdge& edge = edges[i];
    const double u_mm =
        std::max(place_u_mm(edge.from_mm, motion, known), place_u_mm(edge.to_mm, motion, known));
    all[i] = {&edge,
              find_outline_edge(scene, edge, motion, mechanical_reach_mm(u_mm, edge.u_um, scene, search))};
  });
  return all;
}

MechanicalOffsets offsets_of(const std::vector<SoughtHole>& holes, const PlaneMotion& motion,
                             const MechanicalSearch& search) {
  MechanicalOffsets o = empty_offsets(found_of(holes));
  for (std::size_t i = 0; i < holes.size(); ++i) {
    const auto& fit = holes[i].finding.fit;
    if (fit)
      put_two(o, i, place_rows(holes[i].hole->centre_mm, motion), fit->off_mm, fit->covariance,
              holes[i].hole->u_um);
  }
  o.covariance += common_offsets(o, search);
  return o;
}

MechanicalOffsets offsets_of(const std::vector<SoughtEdge>& edges, const PlaneMotion& motion,
                             const MechanicalSearch& search) {
  MechanicalOffsets o = empty_offsets(found_of(edges));
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto& fit = edges[i].finding.fit;
    if (!fit) continue;
    Eigen::Matrix<double, 2, 6> rows;
    rows << fit->outward.transpose() * place_rows(fit->first_mm, motion),
        fit->outward.transpose() * place_rows(fit->last_mm, motion);
    put_two(o, i, rows, fit->off_mm, fit->covariance, edges[i].edge->u_um);
  }
  o.covariance += common_offsets(o, search);
  return o;
}

MechanicalJoin join_offsets(const MotionKnown& before, const MechanicalOffsets& offsets) {
  const Matrix6d& known = before.covariance;
  const Eigen::VectorXd off = offsets.off_mm - offsets.rows * before.correction;
  MechanicalJoin j;
  j.against_freedom = directions_told(offsets, known);
  j.own_freedom = static_cast<int>(off.size()) - j.against_freedom;
  double widened = 1;
  if (j.own_freedom > 0) {
    j.own_chi2 = offsets_chi2(offsets, off, vague_covariance(known), 1);
    widened = std::max(1.0, j.own_chi2 / j.own_freedom);
  }
  j.against_chi2 = std::max(0.0, offsets_chi2(offsets, off, known, widened) -
                                     offsets_chi2(offsets, off, vague_covariance(known), widened));
  const Eigen::MatrixXd a = offsets.rows, all = known;
  const Eigen::MatrixXd s = offsets_covariance(offsets, known, widened);
  const Eigen::MatrixXd gain = solve_symmetric(s, a.lazyProduct(all)).transpose();
  j.known.correction = before.correction + gain * off;
  const Matrix6d rest = known - (gain * a).eval().lazyProduct(all);
  j.known.covariance = (rest + rest.transpose()) / 2;
  return j;
}

double left_of(const MechanicalOffsets& offsets, std::size_t feature,
               const Eigen::Matrix<double, 6, 1>& correction) {
  double largest = 0;
  for (std::size_t k = 0; k < offsets.feature.size(); ++k) {
    if (offsets.feature[k] != feature) continue;
    const auto row = static_cast<Eigen::Index>(k);
    largest = std::max(largest, std::abs(offsets.off_mm[row] - offsets.rows.row(row).dot(correction)));
  }
  return largest;
}

}  // namespace datum
