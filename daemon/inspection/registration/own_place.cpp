#include "daemon/inspection/registration/own_place.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "daemon/inspection/registration/search_pairs.h"

namespace datum {
namespace {

constexpr std::size_t own_bodies = 48, own_pairs = 6;  // of three bodies
constexpr int own_reach_px = 8, own_profiles = 3, own_rows_in_all = 6000, own_least_rows = 12,
              own_most_rows = 200;
constexpr double own_near_px = 1.5;

/// The largest ones that stand up and lie wholly in the frame.
std::vector<std::size_t> bodies_in(const Recipe& recipe, const BoardLookAt& look, const PlaneMotion& motion,
                                   double lowest_mm) {
  const MovedPlane moved(motion);
  std::vector<std::size_t> in;
  for (std::size_t i = 0; i < recipe.components.size(); ++i)
    if (stands_up(recipe.components[i], lowest_mm) &&
        depth_px(look, recipe.components[i], moved) >= own_reach_px)
      in.push_back(i);
  std::stable_sort(in.begin(), in.end(), [&](std::size_t a, std::size_t b) {
    return recipe.components[a].body.size_mm.minCoeff() > recipe.components[b].body.size_mm.minCoeff();
  });
  if (in.size() > own_bodies) in.resize(own_bodies);
  std::sort(in.begin(), in.end());
  return in;
}

Eigen::Vector2d middle_of(const std::vector<EdgePair>& pairs) {
  Eigen::Vector2d sum = Eigen::Vector2d::Zero();
  for (const EdgePair& p : pairs) sum += p.at_mm;
  return sum / double(pairs.size());
}

/// The same motion, stated for another point.
PlaneMotion about(const PlaneMotion& m, const Eigen::Vector2d& pivot_mm) {
  return {pivot_mm, MovedPlane(m)(pivot_mm) - pivot_mm, m.rotation_deg, m.turn};
}

/// Covariance of least squares on pairs of scatter 1; none: they leave a direction open.
std::optional<Eigen::Matrix3d> covariance_of(const std::vector<EdgePair>& pairs, const PlaneMotion& motion) {
  const Eigen::Matrix2d linear = MovedPlane(motion).linear();
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero(), inverse;
  for (const EdgePair& p : pairs) {
    const Eigen::Vector2d arm = linear * (p.at_mm - motion.pivot_mm);
    const Eigen::Vector3d a(p.axis.x(), p.axis.y(), p.axis.y() * arm.x() - p.axis.x() * arm.y());
    normal += a * a.transpose();
  }
  bool regular = false;
  normal.computeInverseWithCheck(inverse, regular, 1e-9);
  if (!regular) return std::nullopt;
  return inverse;
}

}  // namespace

OwnPlace own_place(const Recipe& recipe, const BoardLookAt& look, const RegisteredMotion& common,
                   const RegistrationSettings& settings, unsigned threads) {
  OwnPlace own;
  LatticeSettings sampled;
  sampled.lowest_mm = settings.lowest_mm;
  sampled.cell_mm = search_cell_mm(recipe, settings.lowest_mm, searched_bodies);
  const auto lattice = sample_heights(look.frame, look.view, recipe.board_size_mm, sampled, threads);
  if (!lattice) return own;
  const EdgeScene scene{recipe, look.frame, look.view, lattice->form};
  const std::vector<std::size_t> bodies = bodies_in(recipe, look, common.motion, settings.lowest_mm);
  const MovedPlane moved(common.motion);
  for (const std::size_t i : bodies) {
    const int there = seen_at(scene, i, moved);
    own.expected += there != 0;
    own.seen += there > 0;
  }
  const double pixel_mm = std::max(look.view.per_col().norm(), look.view.per_row().norm());
  const int rows = std::clamp(own_rows_in_all / int(4 * bodies.size() + 1), own_least_rows, own_most_rows);
  const BodyEdges edges =
      body_edges(scene, bodies, common.motion,
                 {own_reach_px * pixel_mm, own_near_px * pixel_mm, own_profiles, rows}, threads);
  own.pairs = edges.pairs.size();
  if (own.pairs < own_pairs) return own;
  own.at_mm = middle_of(edges.pairs);
  const PlaneMotion here = about(common.motion, own.at_mm);
  const MotionFit fit =
      fit_motion(edges.pairs, here, own_reach_px * pixel_mm / 2, pixel_mm / std::sqrt(12.0));
  const auto per_mm2 = covariance_of(edges.pairs, here);
  if (!fit.solved || fit.used < own_pairs || !per_mm2) return own;
  own.off = fit.correction;
  own.scatter_mm = fit.residual_mm;
  own.per_mm2 = *per_mm2;
  own.hidden_mm = fit.size_off_mm.cwiseAbs() / std::sqrt(12.0);
  return own;
}

LooksScatter scatter_within(const std::vector<OwnPlace>& places, double pixel_mm) {
  LooksScatter all;
  double sum = 0;
  for (const OwnPlace& own : places) {
    if (!own.off) continue;
    const double freedom = double(own.pairs) - 3;
    sum += freedom * own.scatter_mm * own.scatter_mm;
    all.freedom += freedom;
  }
  const double quantised_mm = pixel_mm / std::sqrt(12.0);
  all.mm = all.freedom > 0 ? std::max(quantised_mm, std::sqrt(sum / all.freedom)) : quantised_mm;
  return all;
}

double chi2_of(const OwnPlace& own, const LooksScatter& scatter, const Eigen::Matrix2d& way_mm2) {
  Eigen::Matrix3d covariance = scatter.mm * scatter.mm * own.per_mm2;
  covariance.topLeftCorner<2, 2>() += way_mm2;
  for (int i = 0; i < 2; ++i) covariance(i, i) += own.hidden_mm[i] * own.hidden_mm[i];
  return own.off->dot(covariance.inverse() * *own.off);
}

double chi2_of_limit(double z, double freedom) {
  constexpr double directions = 3;
  if (freedom < 4) return std::numeric_limits<double>::infinity();
  const double a = 2 / (9 * directions), b = 2 / (9 * freedom);
  const double square = (1 - b) * (1 - b) - z * z * b, half = (1 - a) * (1 - b),
               rest = (1 - a) * (1 - a) - z * z * a;
  if (square <= 0) return std::numeric_limits<double>::infinity();
  const double root = (half + std::sqrt(half * half - square * rest)) / square;
  return directions * root * root * root;
}

Recipe shown_alone(const Recipe& recipe, const BoardLookAt& look, const RegistrationSettings& settings) {
  Recipe alone = recipe;
  const double pixel_mm = std::max(look.view.per_col().norm(), look.view.per_row().norm());
  const double shift_px = settings.max_shift_mm / pixel_mm;
  const MovedPlane as_stated{PlaneMotion{}};
  std::erase_if(alone.components,
                [&](const Component& c) { return depth_px(look, c, as_stated) < shift_px; });
  return alone;
}

}  // namespace datum
