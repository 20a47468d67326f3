#include "daemon/inspection/board/snapshot_registration.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "calib/linear/linear_algebra.h"
#include "calib/registration/convention.h"
#include "daemon/inspection/recipe/alignment_recipe.h"
#include "daemon/inspection/registration/own_place.h"
#include "daemon/inspection/verdict/normal.h"

namespace datum {
namespace {

constexpr double mdeg_of_rad = 57295.77951308232;
constexpr double chance = 0.003;  // of a board
constexpr double least_apart_px = 2;

Eigen::Vector3d position_of(const StatedSnapshot& s) { return Eigen::Vector3d(s.hand.in.pose.q_mm.data()); }

Eigen::Vector3d middle_position(const std::vector<StatedSnapshot>& snapshots) {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (const StatedSnapshot& s : snapshots) sum += position_of(s);
  return sum / double(snapshots.size());
}

/// What the stage moves a snapshot by against `from_mm`, along the board's x and y, mm^2.
Eigen::Matrix2d way_covariance(const StatedSnapshot& s, const Eigen::Vector3d& from_mm) {
  const InspectionInputs& in = s.hand.in;
  const Calibration& c = *in.calibration;
  const SnapshotModel model{{c.machine_from_sensor, c.covariance}, c.stage, c.stage_u};
  const Eigen::Matrix3d turn = in.recipe->machine_from_board.rotation();
  Eigen::Matrix2d covariance =
      (turn.transpose() * difference_covariance(model, from_mm, position_of(s)) * turn).topLeftCorner<2, 2>();
  if (in.pose.pairing) {
    const double u_mm = in.pose.pairing->u_um * 1e-3;
    covariance += Eigen::Matrix2d::Identity() * (u_mm * u_mm);
  }
  return covariance;
}

Refusal other_board(const std::string& what) {
  return {Reason::snapshots,
          what +
              "; it shows another board, the board or the stage moved between the snapshots, or the stage's "
              "errors are larger than the calibration states"};
}

struct Looks {
  const std::vector<StatedSnapshot>& snapshots;
  const InspectionInputs& in;
  RegistrationSettings settings;
  unsigned threads;

  const Recipe& recipe() const { return *in.recipe; }
  BoardLookAt at(std::size_t k) const { return {snapshots[k].frame, snapshots[k].hand.view}; }
  double pixel_mm() const {
    const BoardView& v = snapshots.front().hand.view;
    return std::max(v.per_col().norm(), v.per_row().norm());
  }
};

/// A place that one snapshot finds by itself: to name what it shows, never to measure.
struct FoundAlone {
  std::size_t look = 0;
  RegisteredMotion motion;
  Eigen::Vector2d middle_mm = Eigen::Vector2d::Zero();  // of its parts, nominal board coordinates
};

std::optional<FoundAlone> found_alone(const Looks& looks, std::size_t k) {
  const AlignmentRecipe& a = *looks.recipe().alignment;
  const BoardLookAt look = looks.at(k);
  const Recipe alone = shown_alone(looks.recipe(), look, looks.settings);
  const auto least = static_cast<std::size_t>(std::max(3, a.min_parts));
  if (alone.components.size() < least) return std::nullopt;
  RegistrationSettings settings = looks.settings;
  settings.search_turned = false;
  const BoardRegistration r = register_board(alone, {&look, 1}, settings, looks.threads);
  if (!r.best || !r.best->fit.solved || r.best->fit.used < 2 * least) return std::nullopt;
  if (double(r.seen) < a.min_share * double(r.expected) || r.best->match < a.min_share / 2)
    return std::nullopt;
  if (r.second && r.best->match < a.min_ratio * r.second->match) return std::nullopt;
  FoundAlone found{k, *r.best, Eigen::Vector2d::Zero()};
  for (const Component& c : alone.components) found.middle_mm += c.body.centre_mm;
  found.middle_mm /= double(alone.components.size());
  return found;
}

/// Of a point moved by a motion, mm^2.
Eigen::Matrix2d covariance_at(const RegisteredMotion& m, const Eigen::Vector2d& at_mm) {
  const Eigen::Vector2d arm = MovedPlane(m.motion).linear() * (at_mm - m.motion.pivot_mm);
  Eigen::Matrix<double, 2, 3> by;
  by << 1, 0, -arm.y(), 0, 1, arm.x();
  return by * m.fit.covariance * by.transpose();
}

/// Text of how far `found` lies from where `common` puts it; none: no farther than chance, the stage and two pixels explain.
std::optional<std::string> apart(const Looks& looks, const FoundAlone& found, const RegisteredMotion& common,
                                 const Eigen::Vector3d& from_mm) {
  const StatedSnapshot& s = looks.snapshots[found.look];
  const Eigen::Vector2d off =
      MovedPlane(found.motion.motion)(found.middle_mm) - MovedPlane(common.motion)(found.middle_mm);
  const Eigen::Matrix2d covariance = covariance_at(found.motion, found.middle_mm) +
                                     covariance_at(common, found.middle_mm) + way_covariance(s, from_mm);
  const Eigen::Vector2d scaled = solve_symmetric_vector(covariance, off);
  const double chi2 = off.dot(scaled);
  if (chi2 <= -2 * std::log(chance / double(looks.snapshots.size())) ||  // quantile of chi2 of 2
      off.norm() <= least_apart_px * looks.pixel_mm())
    return std::nullopt;
  return fmt::format("[{:.3f}, {:.3f}] mm", off.x(), off.y());
}

/// The common search failed: do snapshots find the board at places that differ?
std::optional<Refusal> different_places(const Looks& looks) {
  std::optional<FoundAlone> first;
  for (std::size_t k = 0; k < looks.snapshots.size(); ++k) {
    auto found = found_alone(looks, k);
    if (!found) continue;
    if (!first) {
      first = std::move(found);
      continue;
    }
    const StatedSnapshot &a = looks.snapshots[first->look], &b = looks.snapshots[k];
    if (const auto off = apart(looks, *found, first->motion, position_of(a)))
      return other_board(
          fmt::format("{} shows its parts {} from where those of {} put the board", b.words, *off, a.words));
  }
  return std::nullopt;
}

/// A snapshot whose parts do not test it: does it find the board elsewhere? Notes that it is not tested.
std::optional<Refusal> untested(const Looks& looks, std::size_t k, const OwnPlace& own,
                                const RegisteredMotion& common, const Eigen::Vector3d& middle_mm,
                                StepRecord& record) {
  const StatedSnapshot& s = looks.snapshots[k];
  const auto found = found_alone(looks, k);
  if (const auto off = found ? apart(looks, *found, common, middle_mm) : std::nullopt)
    return other_board(
        fmt::format("{} shows its parts {} from where all snapshots put the board", s.words, *off));
  record.warnings.push_back(
      fmt::format("{}: {} of {} parts are at their places, too few to test whose board it shows", s.words,
                  own.seen, own.expected));
  return std::nullopt;
}

/// Tests each snapshot against the common motion and notes what it says.
std::optional<Refusal> contradiction(const Looks& looks, const RegisteredMotion& common,
                                     const Eigen::Vector3d& middle_mm, StepRecord& record,
                                     std::size_t& tested) {
  const std::size_t n = looks.snapshots.size();
  std::vector<OwnPlace> own;
  for (std::size_t k = 0; k < n; ++k)
    own.push_back(own_place(looks.recipe(), looks.at(k), common, looks.settings, looks.threads));
  const LooksScatter scatter = scatter_within(own, looks.pixel_mm());
  const double limit = chi2_of_limit(normal_quantile(1 - chance / double(n)), scatter.freedom);
  std::optional<Refusal> why;
  for (std::size_t k = 0; k < n; ++k) {
    const StatedSnapshot& s = looks.snapshots[k];
    const bool missed = double(own[k].seen) < looks.recipe().alignment->min_share * double(own[k].expected);
    if (missed || !own[k].off || !std::isfinite(limit)) {
      auto other = untested(looks, k, own[k], common, middle_mm, record);
      if (!why) why = std::move(other);
      continue;
    }
    ++tested;
    const Eigen::Vector3d& off = *own[k].off;
    const double chi2 = chi2_of(own[k], scatter, way_covariance(s, middle_mm));
    const double x_um = 1e3 * off.x(), y_um = 1e3 * off.y(), turn_mdeg = mdeg_of_rad * off.z();
    record.health.insert(record.health.end(), {{s.name + "_off_x_um", x_um},
                                               {s.name + "_off_y_um", y_um},
                                               {s.name + "_off_rotation_mdeg", turn_mdeg},
                                               {s.name + "_chi2", chi2}});
    if (chi2 > limit && !why)
      why = other_board(fmt::format(
          "{} shows its parts [{:.1f}, {:.1f}] um and {:.1f} mdeg from where all snapshots put the board, "
          "chi2 = {:.1f} of 3 degrees of freedom, at most {:.1f} is allowed",
          s.words, x_um, y_um, turn_mdeg, chi2, limit));
  }
  record.health.emplace_back("snapshots_tested", double(tested));
  record.health.emplace_back("snapshots_scatter_um", 1e3 * scatter.mm);
  return why;
}

}  // namespace

BoardShift registered_snapshots(const std::vector<StatedSnapshot>& snapshots, const InspectionInputs& in) {
  const Recipe& recipe = *in.recipe;
  const unsigned threads = in.threads > 0 ? in.threads : cpu_backend().threads;
  const Looks looks{snapshots, in, registration_settings(recipe), threads};
  std::vector<BoardLookAt> at;
  for (std::size_t k = 0; k < snapshots.size(); ++k) at.push_back(looks.at(k));
  BoardShift shift = registered_board(recipe, at, threads);
  shift.stage.version = "3";
  shift.stage.health.emplace_back("snapshots", double(snapshots.size()));
  const bool is_turned = shift.motion && !as_designed(shift.motion->motion.turn) &&
                         shift.motion->match >= recipe.alignment->min_share / 2;
  std::size_t tested = 0;
  if (!shift.why) {
    const Eigen::Vector3d middle_mm = middle_position(snapshots);
    shift.registered->middle_q_mm = middle_mm;
    shift.why = contradiction(looks, *shift.motion, middle_mm, shift.stage, tested);
  } else if (!is_turned) {
    if (const auto why = different_places(looks)) shift.why = why;
  }
  const bool is_common = is_turned || 2 * tested > snapshots.size();
  shift.stage.parameters.emplace_back(common_place_parameter, is_common ? "true" : "false");
  return shift;
}

}  // namespace datum
