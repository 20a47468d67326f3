#include "daemon/inspection/board/pipeline_fiducials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/inspection/recipe/alignment_recipe.h"

namespace datum {
namespace {

constexpr double mdeg_per_rad = 57295.77951308232;

std::vector<SoughtFiducial> seek(const AlignmentRecipe& a, const HeightFrame& frame, const BoardView& view,
                                 const PlaneMotion& motion, const MotionFit& fit, unsigned threads) {
  FiducialSearch search{a.fiducial_search_mm, fit.covariance, threads};
  if (a.model != BoardModel::rigid) search.stretched = fit.full;
  return seek_fiducials({*frame.intensity, view}, a.fiducials, motion, search);
}

/// What all parts may be displaced by together: parts_offset_um in each direction, and at the rim by rotation.
template <class Covariance>
Covariance with_parts_offset(Covariance c, const AlignmentRecipe& a, const Eigen::Vector2d& size_mm) {
  const double u = 1e-3 * a.parts_offset_um, rim_mm = size_mm.norm() / 2;
  c.diagonal().template head<3>() += Eigen::Vector3d(u * u, u * u, u * u / (rim_mm * rim_mm));
  return c;
}

std::string missing_text(const std::vector<SoughtFiducial>& sought) {
  std::string text;
  for (const SoughtFiducial& s : sought)
    if (!s.finding.fit)
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", s.mark->name, s.finding.why);
  return text;
}

/// The turn of a board that shows enough of the marks in this place; empty: none.
std::string turned_text(const Recipe& recipe, const HeightFrame& frame, const BoardView& view,
                        const RegisteredMotion& best, std::size_t found, unsigned threads) {
  const AlignmentRecipe& a = *recipe.alignment;
  for (int k = 1; k < board_turns; ++k) {
    PlaneMotion motion = best.motion;
    motion.turn = board_turn(k);
    const std::size_t there = found_of(seek(a, frame, view, motion, best.fit, threads));
    if (there > found && there >= std::size_t(a.min_fiducials))
      return fmt::format(
          "the fiducials lie as those of a board {}: {} of {}; put it in as the recipe describes it",
          name_of(motion.turn), there, a.fiducials.size());
  }
  return "";
}

Refusal refused(std::string detail) { return {Reason::alignment, std::move(detail)}; }

/// The mark with the largest remainder.
template <class Correction>
const SoughtFiducial& worst_of(const std::vector<SoughtFiducial>& sought, const PlaneMotion& motion,
                               const Correction& at) {
  const SoughtFiducial* worst = nullptr;
  for (const SoughtFiducial& s : sought)
    if (s.finding.fit && (!worst || left_over(s, motion, at).norm() > left_over(*worst, motion, at).norm()))
      worst = &s;
  return *worst;
}

template <class Correction>
Refusal marks_disagree(double chi2, int freedom, const FiducialEvidence& evidence, const Correction& at) {
  const SoughtFiducial& worst = worst_of(evidence.sought, evidence.bodies, at);
  return refused(
      fmt::format("the fiducials disagree: chi2 = {:.1f} of {} degrees of freedom, at most {:.1f} is "
                  "allowed; {} lies {:.1f} um from where "
                  "the others put it; a stretched board, a wrong pixel pitch in the sensor's profile, "
                  "places that the recipe states wrongly, "
                  "or something that looks like the mark; state the artwork's u_um, or mend the place",
                  chi2, freedom, chi2_limit(freedom), worst.mark->name,
                  1e3 * left_over(worst, evidence.bodies, at).norm()));
}

/// The same where the recipe has a stretch estimated: marks know it better than parts.
std::optional<Refusal> join_stretched(const Recipe& recipe, BoardRegistration& r,
                                      FiducialEvidence& evidence) {
  const AlignmentRecipe& a = *recipe.alignment;
  MotionFit& fit = r.best->fit;
  evidence.stretched =
      fit_with_stretch(evidence.sought, evidence.bodies, with_parts_offset(fit.full, a, recipe.board_size_mm),
                       a.model == BoardModel::similarity ? 4 : 6);
  const StretchedMotion& m = *evidence.stretched;
  if (m.marks_freedom > 0 && m.marks_chi2 > chi2_limit(m.marks_freedom))
    return marks_disagree(m.marks_chi2, m.marks_freedom, evidence, m.correction);
  if (m.parts_chi2 > chi2_limit(m.parts_freedom))
    return refused(
        fmt::format("fiducials and parts disagree: chi2 = {:.1f} of {} degrees of freedom, at most {:.1f} is "
                    "allowed, with one "
                    "stretch of all; "
                    "parts that all are displaced (state alignment.parts_offset_um), other marks, something "
                    "that looks like "
                    "a mark, or another revision of the board",
                    m.parts_chi2, m.parts_freedom, chi2_limit(m.parts_freedom)));
  r.best->motion = corrected(evidence.bodies, Eigen::Vector3d(m.correction.head<3>()));
  r.best->motion.stretch += m.correction.tail<3>();
  fit.covariance = m.covariance.topLeftCorner<3, 3>();
  fit.full = m.covariance;
  return std::nullopt;
}

}  // namespace

int told_by_fiducials(const Recipe& recipe, const HeightFrame& frame, const BoardView& view,
                      const BoardRegistration& r, unsigned threads) {
  const AlignmentRecipe& a = *recipe.alignment;
  if (a.fiducials.empty() || !frame.intensity || as_designed(r.second->motion.turn)) return 0;
  const auto shows = [&](const RegisteredMotion& m) {
    return found_of(seek(a, frame, view, m.motion, m.fit, threads)) >= std::size_t(a.min_fiducials);
  };
  const bool best = shows(*r.best), second = shows(*r.second);
  return best == second ? 0 : best ? 1 : 2;
}

std::optional<Refusal> join_fiducials(const Recipe& recipe, const HeightFrame& frame, const BoardView& view,
                                      BoardRegistration& r, FiducialEvidence& evidence, unsigned threads) {
  const AlignmentRecipe& a = *recipe.alignment;
  if (!frame.intensity)
    return refused(
        "the recipe lists fiducials and the frame has no intensity image; let the sensor deliver one, or "
        "leave [[alignment.fiducial]] out");
  const PlaneMotion bodies = evidence.bodies = r.best->motion;
  evidence.sought = seek(a, frame, view, bodies, r.best->fit, threads);
  const std::size_t found = found_of(evidence.sought);
  if (found < std::size_t(a.min_fiducials)) {
    if (std::string turned = turned_text(recipe, frame, view, *r.best, found, threads); !turned.empty())
      return refused(std::move(turned));
    return refused(
        fmt::format("{} of {} fiducials are found, at least alignment.min_fiducials = {} are demanded ({})",
                    found, a.fiducials.size(), a.min_fiducials, missing_text(evidence.sought)));
  }
  if (a.model != BoardModel::rigid) return join_stretched(recipe, r, evidence);
  evidence.marks = fit_fiducials(evidence.sought, bodies);
  const FiducialMotion& marks = *evidence.marks;
  evidence.left_at = marks.motion.correction;
  if (marks.chi2 > chi2_limit(marks.freedom))
    return marks_disagree(marks.chi2, marks.freedom, evidence, marks.motion.correction);
  const MotionEstimate parts{Eigen::Vector3d::Zero(),
                             with_parts_offset(r.best->fit.covariance, a, recipe.board_size_mm)};
  evidence.with_parts = combined(marks.motion, parts);
  if (evidence.with_parts->chi2 > chi2_limit(3))
    return refused(fmt::format(
        "fiducials and parts disagree: the parts' place is [{:.1f}, {:.1f}] um and {:.1f} mdeg off that by "
        "{} fiducials, chi2 = {:.1f} "
        "of 3 degrees of freedom, at most {:.1f} is allowed; parts that all are displaced (state "
        "alignment.parts_offset_um), "
        "other marks, or another revision of the board",
        -1e3 * marks.motion.correction.x(), -1e3 * marks.motion.correction.y(),
        -mdeg_per_rad * marks.motion.correction.z(), found, evidence.with_parts->chi2, chi2_limit(3)));
  evidence.left_at = evidence.with_parts->motion.correction;
  r.best->motion = corrected(bodies, evidence.with_parts->motion.correction);
  r.best->fit.covariance = evidence.with_parts->motion.covariance;
  return std::nullopt;
}

void record_fiducials(const AlignmentRecipe& a, const FiducialEvidence& evidence, StepRecord& record) {
  record.version = a.model == BoardModel::rigid ? "2" : "5";
  record.parameters.emplace_back("fiducials", fmt::format("{}", a.fiducials.size()));
  record.parameters.emplace_back("min_fiducials", fmt::format("{}", a.min_fiducials));
  record.parameters.emplace_back("fiducial_search_mm", fmt::format("{}", a.fiducial_search_mm));
  record.parameters.emplace_back("parts_offset_um", fmt::format("{}", a.parts_offset_um));
  if (evidence.sought.empty()) return;
  const auto add = [&](std::string name, double value) {
    record.health.emplace_back(std::move(name), value);
  };
  add("fiducials_found", double(found_of(evidence.sought)));
  if (evidence.marks) {
    const FiducialMotion& m = *evidence.marks;
    add("fiducials_chi2", m.chi2);
    add("fiducials_freedom", m.freedom);
    add("parts_off_x_um", -1e3 * m.motion.correction.x());
    add("parts_off_y_um", -1e3 * m.motion.correction.y());
    add("parts_off_rotation_mdeg", -mdeg_per_rad * m.motion.correction.z());
  }
  if (evidence.with_parts) add("parts_chi2", evidence.with_parts->chi2);
  if (evidence.stretched) {
    add("fiducials_chi2", evidence.stretched->marks_chi2);
    add("fiducials_freedom", evidence.stretched->marks_freedom);
    add("parts_chi2", evidence.stretched->parts_chi2);
    add("parts_freedom", evidence.stretched->parts_freedom);
  }
  for (const SoughtFiducial& s : evidence.sought) {
    const std::string& name = s.mark->name;
    if (!s.finding.fit) {
      record.warnings.push_back("fiducial " + name + " is not found: " + s.finding.why);
      continue;
    }
    const FiducialFit& f = *s.finding.fit;
    const Eigen::Vector2d left = evidence.stretched
                                     ? left_over(s, evidence.bodies, evidence.stretched->correction)
                                 : evidence.marks ? left_over(s, evidence.bodies, evidence.left_at)
                                                  : f.off_mm;
    add(name + "_left_x_um", 1e3 * left.x());
    add(name + "_left_y_um", 1e3 * left.y());
    add(name + "_u_um", 1e3 * std::sqrt(f.covariance.trace() / 2));
    add(name + "_growth_um", 1e3 * f.growth_mm.x());
    add(name + "_contrast", f.contrast);
    add(name + "_noise", f.noise);
    add(name + "_points", double(f.used));
  }
}

}  // namespace datum
