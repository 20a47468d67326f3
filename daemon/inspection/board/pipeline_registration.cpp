// Registration of a board: what its numbers mean for a verdict.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/inspection/board/pipeline_alignment.h"
#include "daemon/inspection/board/pipeline_fiducials.h"
#include "daemon/inspection/board/pipeline_mechanical.h"
#include "daemon/inspection/recipe/alignment_recipe.h"
#include "daemon/inspection/registration/board_registration.h"

namespace datum {
namespace {

constexpr double rad_from_mdeg = 1.7453292519943296e-5;

Refusal not_placed(std::string detail) { return {Reason::alignment, std::move(detail)}; }

/// Of two matches; 100 where nothing else matches at all.
double ratio_of(const BoardRegistration& r) {
  return r.second && r.second->match > 0.01 * r.best->match ? r.best->match / r.second->match : 100;
}

std::string place_text(const PlaneMotion& m) {
  return fmt::format("shifted by [{:.3f}, {:.3f}] mm and rotated by {:.3f} degrees", m.shift_mm.x(),
                     m.shift_mm.y(), m.rotation_deg);
}

/// Where a board turned by a quarter lies at a corner of its place.
std::string corner_text(const PlaneMotion& m, const AlignmentRecipe& a) {
  if (m.shift_mm.cwiseAbs().maxCoeff() <= 2 * a.max_shift_mm) return "";
  return fmt::format(", with another corner in its fixture's (its middle is [{:.3f}, {:.3f}] mm off)",
                     m.shift_mm.x(), m.shift_mm.y());
}

bool has_stretch(const AlignmentRecipe& a) { return a.model != BoardModel::rigid; }

/// Largest standard uncertainty of a corner's place, in mm.
double corner_u_mm(const MotionFit& fit, const Eigen::Vector2d& size_mm, bool stretch) {
  double largest = 0;
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5}) {
      const Eigen::Matrix<double, 2, 6> rows = stretch_rows({x * size_mm.x(), y * size_mm.y()});
      const Eigen::Matrix<double, 2, 3> by = rows.leftCols<3>();
      const double u2 = stretch ? (rows * fit.full * rows.transpose()).trace()
                                : (by * fit.covariance * by.transpose()).trace();
      largest = std::max(largest, std::sqrt(u2));
    }
  return largest;
}

/// One estimated number of a stretch, its standard uncertainty and its limit, in ppm or urad.
struct StretchValue {
  const char* name;
  const char* words;
  const char* unit;
  const char* key;
  double value, u, most;
};

std::vector<StretchValue> stretch_values(const AlignmentRecipe& a, const RegisteredMotion& m) {
  const Eigen::Matrix3d c = m.fit.full.bottomRightCorner<3, 3>();
  const auto of = [&](const char* name, const char* words, const Eigen::Vector3d& by) {
    const bool scale = by[2] == 0;
    return StretchValue{name,
                        words,
                        scale ? "ppm" : "urad",
                        scale ? "alignment.max_scale_ppm" : "alignment.max_shear_urad",
                        1e6 * by.dot(m.motion.stretch),
                        1e6 * std::sqrt(std::max(0.0, by.dot(c * by))),
                        scale ? a.max_scale_ppm : a.max_shear_urad};
  };
  if (a.model == BoardModel::similarity) return {of("scale_ppm", "a scale of", {1, 0, 0})};
  return {of("scale_x_ppm", "a scale along x of", {1, 1, 0}),
          of("scale_y_ppm", "a scale along y of", {1, -1, 0}), of("shear_urad", "a shear of", {0, 0, 2})};
}

constexpr const char* scale_causes =
    "a wrong pixel pitch or unit in the sensor's profile or the frame's sidecar, another revision of the "
    "board, "
    "or a stretched one";

std::optional<Refusal> stretch_refusal(const RegisteredMotion& m, const AlignmentRecipe& a) {
  const char* const who = has_mechanical(a)     ? "parts, with fiducials, holes and outline,"
                          : a.fiducials.empty() ? "parts"
                                                : "parts and fiducials";
  for (const StretchValue& v : stretch_values(a, m)) {
    if (std::abs(v.value) > v.most)
      return not_placed(
          fmt::format("the {} show {} {:.0f} {} (U = {:.0f}, k = 2), at most {} = {:g} is allowed; {}", who,
                      v.words, v.value, v.unit, 2 * v.u, v.key, v.most, scale_causes));
    if (2 * v.u > v.most)
      return not_placed(
          fmt::format("the {} show {} {:.0f} {} with U = {:.0f} (k = 2), wider than {} = {:g}: too few "
                      "parts, or parts on one "
                      "line; list more parts, or state alignment.model = \"rigid\"",
                      who, v.words, v.value, v.unit, 2 * v.u, v.key, v.most));
  }
  return std::nullopt;
}

double least_match(const AlignmentRecipe& a) { return a.min_share / 2; }

/// `told`: the fiducials tell the best place from the second.
std::optional<Refusal> search_refusal(const BoardRegistration& r, const AlignmentRecipe& a, bool told) {
  if (!r.best)
    return not_placed("no part of the board is seen where the recipe looks for it; is there a board?");
  const double least = least_match(a);
  if (r.best->match < least)
    return not_placed(
        fmt::format("another board, none, or one that lies farther off: within {:g} mm and {:g} degrees, "
                    "{}the best "
                    "place shows a share of {:.2f} of the parts' edges, at least {:.2f} (half of "
                    "alignment.min_share) is demanded",
                    a.max_shift_mm, *a.max_rotation_deg, a.search_turned ? "turned or mirrored either, " : "",
                    r.best->match, least));
  const double ratio = ratio_of(r);
  if (ratio < a.min_ratio && !told)
    return not_placed(fmt::format(
        "the board's place is not known: its parts' edges match {:.2f} times as well as those of "
        "a board that lies {}, {}; at "
        "least alignment.min_ratio = {:g} is demanded; parts that repeat, or a layout that looks "
        "alike when turned: list a part "
        "that tells, or {}",
        ratio, name_of(r.second->motion.turn), place_text(r.second->motion), a.min_ratio,
        as_designed(r.second->motion.turn)
            ? "allow less by max_shift_mm and max_rotation_deg"
            : "state alignment.search_turned = false where the fixture takes it in one way alone"));
  if (!as_designed(r.best->motion.turn))
    return not_placed(fmt::format("the board lies {}{}; put it in as the recipe describes it",
                                  name_of(r.best->motion.turn), corner_text(r.best->motion, a)));
  return std::nullopt;
}

std::optional<Refusal> fit_refusal(const BoardRegistration& r, const AlignmentRecipe& a) {
  const MotionFit& fit = r.best->fit;
  if (static_cast<double>(r.seen) < a.min_share * static_cast<double>(r.expected))
    return not_placed(
        fmt::format("{} of {} parts are at their places, at least a share of alignment.min_share = {:g} is "
                    "demanded; another board, or parts "
                    "that are missing",
                    r.seen, r.expected, a.min_share));
  if (has_stretch(a) && !fit.solved && fit.pairs >= 2 * static_cast<std::size_t>(a.min_parts))
    return not_placed(
        fmt::format("{} pairs of edges leave alignment.model = \"{}\" open: too few parts, or parts on one "
                    "line; list more "
                    "parts, or state \"rigid\"",
                    fit.pairs, name_of(a.model)));
  if (!fit.solved || fit.used < 2 * static_cast<std::size_t>(a.min_parts))
    return not_placed(
        fmt::format("{} pairs of edges show where the board lies, at least 2 of each of alignment.min_parts "
                    "= {} parts are demanded; parts "
                    "with free edges and heights beside them are needed",
                    fit.used, a.min_parts));
  if (has_stretch(a) && a.fiducials.empty() && !has_mechanical(a))
    if (auto why = stretch_refusal(*r.best, a)) return why;
  if (1e3 * fit.residual_mm > a.max_residual_um)
    return not_placed(fmt::format(
        "the parts deviate from one board by {:.1f} um, at most alignment.max_residual_um = {:g} is allowed; "
        "parts that are "
        "displaced, another revision of the board, or a wrong pixel pitch in the sensor's profile",
        1e3 * fit.residual_mm, a.max_residual_um));
  return std::nullopt;
}

std::optional<Refusal> place_refusal(const BoardRegistration& r, const Recipe& recipe) {
  const AlignmentRecipe& a = *recipe.alignment;
  const PlaneMotion& motion = r.best->motion;
  const double u_mm = corner_u_mm(r.best->fit, recipe.board_size_mm, has_stretch(a));
  if (2 * u_mm > recipe.floor.inner_margin_mm)
    return not_placed(
        fmt::format("a corner of the board is known to {:.3f} mm (k = 2), the rings begin {:g} mm "
                    "(floor.inner_margin_mm) beside the "
                    "bodies; list more parts, or widen the margin",
                    2 * u_mm, recipe.floor.inner_margin_mm));
  if (motion.shift_mm.cwiseAbs().maxCoeff() > a.max_shift_mm ||
      std::abs(motion.rotation_deg) > *a.max_rotation_deg)
    return not_placed(
        fmt::format("the board lies {}; at most {:.3f} mm and {:.3f} degrees are allowed; check its fixture",
                    place_text(motion), a.max_shift_mm, *a.max_rotation_deg));
  return std::nullopt;
}

StepRecord record_of(const BoardRegistration& r, const AlignmentRecipe& a, double height_um) {
  StepRecord s;
  s.name = registration_step;
  s.version = "1";
  s.parameters = {{"max_shift_mm", fmt::format("{}", a.max_shift_mm)},
                  {"max_rotation_deg", fmt::format("{}", *a.max_rotation_deg)},
                  {"min_ratio", fmt::format("{}", a.min_ratio)},
                  {"min_share", fmt::format("{}", a.min_share)},
                  {"min_parts", fmt::format("{}", a.min_parts)},
                  {"max_residual_um", fmt::format("{}", a.max_residual_um)},
                  {"min_height_um", fmt::format("{}", height_um)},
                  {"board", r.best ? name_of(r.best->motion.turn) : "not seen"},
                  {"second", r.second ? name_of(r.second->motion.turn) : "none"}};
  if (!a.search_turned) s.parameters.emplace_back("search_turned", "false");
  if (!r.best) return s;
  const PlaneMotion& motion = r.best->motion;
  const MotionFit& fit = r.best->fit;
  const Eigen::Matrix3d& c = fit.covariance;
  const auto u = [&](int i) { return std::sqrt(c(i, i)); };
  const auto correlation = [&](int i, int k) { return c(i, i) * c(k, k) > 0 ? c(i, k) / (u(i) * u(k)) : 0; };
  s.health = {{"pivot_x_mm", motion.pivot_mm.x()},
              {"pivot_y_mm", motion.pivot_mm.y()},
              {"shift_x_um", motion.shift_mm.x() * 1e3},
              {"shift_y_um", motion.shift_mm.y() * 1e3},
              {"rotation_mdeg", motion.rotation_deg * 1e3},
              {"u_shift_x_um", u(0) * 1e3},
              {"u_shift_y_um", u(1) * 1e3},
              {"u_rotation_mdeg", u(2) / rad_from_mdeg},
              {"correlation_x_y", correlation(0, 1)},
              {"correlation_x_rotation", correlation(0, 2)},
              {"correlation_y_rotation", correlation(1, 2)},
              {"residual_um", fit.residual_mm * 1e3},
              {"size_off_x_um", fit.size_off_mm.x() * 1e3},
              {"size_off_y_um", fit.size_off_mm.y() * 1e3},
              {"edge_pairs", static_cast<double>(fit.pairs)},
              {"edge_pairs_used", static_cast<double>(fit.used)},
              {"parts_expected", static_cast<double>(r.expected)},
              {"parts_seen", static_cast<double>(r.seen)},
              {"match", r.best->match},
              {"ratio", ratio_of(r)}};
  if (!has_stretch(a)) return s;
  s.version = "4";
  s.parameters.emplace_back("model", name_of(a.model));
  s.parameters.emplace_back("max_scale_ppm", fmt::format("{}", a.max_scale_ppm));
  if (a.model == BoardModel::affine)
    s.parameters.emplace_back("max_shear_urad", fmt::format("{}", a.max_shear_urad));
  if (!fit.solved) return s;
  for (const StretchValue& v : stretch_values(a, *r.best)) {
    s.health.emplace_back(v.name, v.value);
    s.health.emplace_back(std::string("u_") + v.name, v.u);
  }
  return s;
}

/// A board that is not found as it is: whether another scale of the frame explains that.
void name_scale(Refusal& why, const Recipe& recipe, std::span<const BoardLookAt> looks,
                const BoardRegistration& r, unsigned threads) {
  const AlignmentRecipe& a = *recipe.alignment;
  if (r.best && !as_designed(r.best->motion.turn) && r.best->match >= least_match(a)) return;
  const double least = std::max(least_match(a), r.best ? a.min_ratio * r.best->match : 0);
  const auto scale = explaining_scale(recipe, looks, registration_settings(recipe), least, threads);
  if (scale && std::abs(*scale - 1) > 1e-6 * a.max_scale_ppm)
    why.detail += fmt::format("; the parts match at a scale of {:.4f}: {}", *scale, scale_causes);
}

}  // namespace

RegistrationSettings registration_settings(const Recipe& recipe) {
  const AlignmentRecipe& a = *recipe.alignment;
  return {a.max_shift_mm, *a.max_rotation_deg, alignment_height_um(recipe) * 1e-3, a.search_turned, a.model};
}

BoardShift registered_board(const Recipe& recipe, std::span<const BoardLookAt> looks, unsigned threads) {
  const AlignmentRecipe& a = *recipe.alignment;
  const double height_um = alignment_height_um(recipe);
  const RegistrationSettings settings = registration_settings(recipe);
  const auto& [frame, view] = looks.front();
  BoardRegistration r = register_board(recipe, looks, settings, threads);
  if (a.search_turned && (!r.best || r.best->match < least_match(a)))
    if (auto turned = turned_at_a_corner(recipe, looks, settings, least_match(a), threads))
      r = {std::move(turned), {}, 0, 0};
  bool told = false;
  if (r.second && ratio_of(r) < a.min_ratio) {
    int by_marks = told_by_fiducials(recipe, frame, view, r, threads);
    if (by_marks == 0) by_marks = told_by_holes(recipe, frame, view, r, threads);
    told = by_marks != 0;
    if (by_marks == 2) std::swap(*r.best, *r.second);
  }
  std::optional<Refusal> why = search_refusal(r, a, told);
  if (!why) why = fit_refusal(r, a);
  if (why && has_stretch(a) && why->detail.find(scale_causes) == std::string::npos)
    name_scale(*why, recipe, looks, r, threads);
  FiducialEvidence evidence;
  if (!why && !a.fiducials.empty()) why = join_fiducials(recipe, frame, view, r, evidence, threads);
  MechanicalEvidence mechanical;
  if (!why && has_mechanical(a)) why = join_mechanical(recipe, frame, view, r, mechanical, threads);
  if (!why && has_stretch(a) && (!a.fiducials.empty() || has_mechanical(a)))
    why = stretch_refusal(*r.best, a);
  if (!why) why = place_refusal(r, recipe);
  BoardShift found{std::move(why), record_of(r, a, height_um), {}, r.best};
  if (!a.fiducials.empty()) record_fiducials(a, evidence, found.stage);
  if (has_mechanical(a)) record_mechanical(a, mechanical, found.stage);
  if (r.best) {
    found.registered = RegisteredPlace{r.best->motion.pivot_mm, r.best->fit.covariance, {}};
    if (has_stretch(a)) found.registered->stretched = r.best->fit.full;
  }
  return found;
}

}  // namespace datum
