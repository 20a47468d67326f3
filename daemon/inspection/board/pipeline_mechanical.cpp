#include "daemon/inspection/board/pipeline_mechanical.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/inspection/recipe/alignment_recipe.h"
#include "daemon/inspection/registration/fiducial_motion.h"

namespace datum {
namespace {

Refusal not_placed_by(std::string detail) { return {Reason::alignment, std::move(detail)}; }

MotionKnown known_of(const MotionFit& fit, const AlignmentRecipe& a) {
  MotionKnown known;
  known.covariance.topLeftCorner<3, 3>() = fit.covariance;
  if (a.model != BoardModel::rigid) known.covariance = fit.full;
  return known;
}

/// Where no fiducials did it: what all parts may be displaced by together against the artwork, to which drills and routers are set.
void add_parts_offset(MotionKnown& known, const AlignmentRecipe& a, const Eigen::Vector2d& size_mm) {
  if (!a.fiducials.empty()) return;
  const double u = 1e-3 * a.parts_offset_um, rim_mm = size_mm.norm() / 2;
  known.covariance.diagonal().head<3>() += Eigen::Vector3d(u * u, u * u, u * u / (rim_mm * rim_mm));
}

struct MechanicalSeeker {
  const Recipe& recipe;
  SurfaceScene scene;
  unsigned threads;
  const AlignmentRecipe& a() const { return *recipe.alignment; }
  MechanicalSearch by(double offset_um) const { return {offset_um, recipe.board_size_mm, threads}; }
  std::vector<SoughtHole> holes(const PlaneMotion& motion, const MotionKnown& known) const {
    return seek_holes(scene, a().holes, motion, known, by(a().holes_offset_um));
  }
};

template <class SoughtFeature, class Name>
std::string missing_features_text(const std::vector<SoughtFeature>& sought, const Name& name) {
  std::string text;
  for (const SoughtFeature& s : sought)
    if (!s.finding.fit) text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", name(s), s.finding.why);
  return text;
}

const std::string& name_of_hole(const SoughtHole& s) { return s.hole->name; }
const std::string& name_of_edge(const SoughtEdge& s) { return s.edge->name; }

/// The turn of a board that shows more of the holes in this place; empty: none.
std::string turned_holes_text(const MechanicalSeeker& sought, const RegisteredMotion& best,
                              const MotionKnown& known, std::size_t found) {
  for (int k = 1; k < board_turns; ++k) {
    PlaneMotion motion = best.motion;
    motion.turn = board_turn(k);
    const std::size_t there = found_of(sought.holes(motion, known));
    if (there > found && there >= static_cast<std::size_t>(sought.a().min_holes))
      return fmt::format(
          "the holes lie as those of a board {}: {} of {}; put it in as the recipe describes it",
          name_of(motion.turn), there, sought.a().holes.size());
  }
  return "";
}

/// The words and keys of one kind of feature.
struct FeatureKind {
  const char *plural, *list, *least_key, *offset_key, *causes;
};
constexpr FeatureKind hole_kind{
    "holes", "[[alignment.hole]]", "alignment.min_holes", "alignment.holes_offset_um",
    "another drill, a place that the recipe states wrongly, something that looks like the "
    "hole, another revision of the board"};
constexpr FeatureKind edge_kind{
    "edges", "outline", "alignment.min_edges", "alignment.edges_offset_um",
    "a board that is routed otherwise, tabs, a place that the recipe states wrongly, another "
    "revision of the board"};

/// Joins one kind, or says why it contradicts itself or what was known.
template <class SoughtFeature, class Name>
std::optional<Refusal> join_kind(const FeatureKind& kind, const std::vector<SoughtFeature>& sought,
                                 const Name& name, const MechanicalOffsets& offsets,
                                 const MotionKnown& before, bool by_marks,
                                 std::optional<MechanicalJoin>& join) {
  join = join_offsets(before, offsets);
  const auto worst = [&](const Eigen::Matrix<double, 6, 1>& at) {
    std::size_t which = offsets.feature.front();
    for (const std::size_t f : offsets.feature)
      if (left_of(offsets, f, at) > left_of(offsets, which, at)) which = f;
    return fmt::format("{} lies {:.1f} um from its place", name(sought[which]),
                       1e3 * left_of(offsets, which, at));
  };
  if (join->own_freedom > 0 && join->own_chi2 > chi2_limit(join->own_freedom))
    return not_placed_by(
        fmt::format("the {} disagree: chi2 = {:.1f} of {} degrees of freedom, at most {:.1f} is allowed; {}; "
                    "{}; state u_um, "
                    "or mend the place",
                    kind.plural, join->own_chi2, join->own_freedom, chi2_limit(join->own_freedom),
                    worst(join->known.correction), kind.causes));
  if (join->against_chi2 > chi2_limit(join->against_freedom))
    return not_placed_by(
        fmt::format("{} and {} disagree: chi2 = {:.1f} of {} degrees of freedom, at most {:.1f} is allowed; "
                    "{} by the {}; {}, or "
                    "parts that all are displaced: state {}",
                    kind.plural, by_marks ? "parts with fiducials" : "parts", join->against_chi2,
                    join->against_freedom, chi2_limit(join->against_freedom), worst(before.correction),
                    by_marks ? "parts and fiducials" : "parts", kind.causes, kind.offset_key));
  return std::nullopt;
}

template <class SoughtFeature, class Name>
std::string too_few(const FeatureKind& kind, const std::vector<SoughtFeature>& sought, const Name& name,
                    int least) {
  return fmt::format("{} of {} {} are found, at least {} = {} are demanded ({})", found_of(sought),
                     sought.size(), kind.plural, kind.least_key, least, missing_features_text(sought, name));
}

std::optional<Refusal> join_holes(const MechanicalSeeker& sought, const RegisteredMotion& best,
                                  MotionKnown& known, MechanicalEvidence& evidence) {
  const AlignmentRecipe& a = sought.a();
  evidence.holes = sought.holes(evidence.placed, known);
  const std::size_t found = found_of(evidence.holes);
  if (found < static_cast<std::size_t>(a.min_holes)) {
    if (std::string turned = turned_holes_text(sought, best, known, found); !turned.empty())
      return not_placed_by(std::move(turned));
    return not_placed_by(too_few(hole_kind, evidence.holes, name_of_hole, a.min_holes));
  }
  evidence.of_holes = offsets_of(evidence.holes, evidence.placed, sought.by(a.holes_offset_um));
  if (auto why = join_kind(hole_kind, evidence.holes, name_of_hole, *evidence.of_holes, known,
                           !a.fiducials.empty(), evidence.with_holes))
    return why;
  known = evidence.with_holes->known;
  return std::nullopt;
}

std::optional<Refusal> join_edges(const MechanicalSeeker& sought, MotionKnown& known,
                                  MechanicalEvidence& evidence) {
  const AlignmentRecipe& a = sought.a();
  const MechanicalSearch search = sought.by(a.edges_offset_um);
  evidence.edges = seek_edges(sought.scene, a.edges, evidence.placed, known, search);
  if (found_of(evidence.edges) < static_cast<std::size_t>(a.min_edges))
    return not_placed_by(too_few(edge_kind, evidence.edges, name_of_edge, a.min_edges));
  evidence.of_edges = offsets_of(evidence.edges, evidence.placed, search);
  if (auto why = join_kind(edge_kind, evidence.edges, name_of_edge, *evidence.of_edges, known,
                           !a.fiducials.empty(), evidence.with_edges))
    return why;
  known = evidence.with_edges->known;
  return std::nullopt;
}

void record_join(const std::string& kind, const std::optional<MechanicalJoin>& join, StepRecord& record) {
  if (!join) return;
  record.health.emplace_back(kind + "_chi2", join->own_chi2);
  record.health.emplace_back(kind + "_freedom", join->own_freedom);
  record.health.emplace_back(kind + "_against_chi2", join->against_chi2);
  record.health.emplace_back(kind + "_against_freedom", join->against_freedom);
}

/// What the last motion leaves of a feature's two offsets.
Eigen::Vector2d left_of_two(const std::optional<MechanicalOffsets>& offsets, std::size_t feature,
                            const Eigen::Matrix<double, 6, 1>& at) {
  if (!offsets) return Eigen::Vector2d::Zero();
  for (std::size_t k = 0; k < offsets->feature.size(); ++k)
    if (offsets->feature[k] == feature) {
      const auto row = static_cast<Eigen::Index>(k);
      return offsets->off_mm.segment<2>(row) - offsets->rows.middleRows<2>(row) * at;
    }
  return Eigen::Vector2d::Zero();
}

void record_holes(const MechanicalEvidence& evidence, const Eigen::Matrix<double, 6, 1>& at,
                  StepRecord& record) {
  for (std::size_t i = 0; i < evidence.holes.size(); ++i) {
    const SoughtHole& s = evidence.holes[i];
    const std::string& name = s.hole->name;
    if (!s.finding.fit) {
      record.warnings.push_back("hole " + name + " is not found: " + s.finding.why);
      continue;
    }
    const HoleFit& f = *s.finding.fit;
    const Eigen::Vector2d left = evidence.of_holes ? left_of_two(evidence.of_holes, i, at) : f.off_mm;
    record.health.emplace_back(name + "_left_x_um", 1e3 * left.x());
    record.health.emplace_back(name + "_left_y_um", 1e3 * left.y());
    record.health.emplace_back(name + "_u_um", 1e3 * std::sqrt(f.covariance.trace() / 2));
    record.health.emplace_back(name + "_growth_um", 1e3 * f.growth_mm);
    record.health.emplace_back(name + "_points", static_cast<double>(f.used));
  }
}

void record_edges(const MechanicalEvidence& evidence, const Eigen::Matrix<double, 6, 1>& at,
                  StepRecord& record) {
  for (std::size_t i = 0; i < evidence.edges.size(); ++i) {
    const SoughtEdge& s = evidence.edges[i];
    const std::string& name = s.edge->name;
    if (!s.finding.fit) {
      record.warnings.push_back("edge " + name + " is not seen: " + s.finding.why);
      continue;
    }
    const EdgeFit& f = *s.finding.fit;
    const Eigen::Vector2d left = evidence.of_edges ? left_of_two(evidence.of_edges, i, at) : f.off_mm;
    record.health.emplace_back(name + "_left_first_um", 1e3 * left[0]);
    record.health.emplace_back(name + "_left_last_um", 1e3 * left[1]);
    record.health.emplace_back(name + "_u_um", 1e3 * std::sqrt(f.covariance.trace() / 2));
    record.health.emplace_back(name + "_residual_um", 1e3 * f.residual_mm);
    record.health.emplace_back(name + "_points", static_cast<double>(f.used));
  }
}

}  // namespace

bool has_mechanical(const AlignmentRecipe& a) { return !a.holes.empty() || !a.edges.empty(); }

int told_by_holes(const Recipe& recipe, const HeightFrame& frame, const BoardView& view,
                  const BoardRegistration& r, unsigned threads) {
  const AlignmentRecipe& a = *recipe.alignment;
  if (a.holes.empty() || as_designed(r.second->motion.turn)) return 0;
  const MechanicalSeeker sought{recipe, {frame, view}, threads};
  const auto shows = [&](const RegisteredMotion& m) {
    MotionKnown known;  // not yet fitted to all bodies: by the search's own reach
    known.covariance.topLeftCorner<3, 3>() = m.fit.covariance;
    return found_of(sought.holes(m.motion, known)) >= static_cast<std::size_t>(a.min_holes);
  };
  const bool best = shows(*r.best), second = shows(*r.second);
  return best == second ? 0 : best ? 1 : 2;
}

std::optional<Refusal> join_mechanical(const Recipe& recipe, const HeightFrame& frame, const BoardView& view,
                                       BoardRegistration& r, MechanicalEvidence& evidence, unsigned threads) {
  const AlignmentRecipe& a = *recipe.alignment;
  const MechanicalSeeker sought{recipe, {frame, view}, threads};
  evidence.placed = r.best->motion;
  MotionKnown known = known_of(r.best->fit, a);
  add_parts_offset(known, a, recipe.board_size_mm);
  if (!a.holes.empty())
    if (auto why = join_holes(sought, *r.best, known, evidence)) return why;
  if (!a.edges.empty())
    if (auto why = join_edges(sought, known, evidence)) return why;
  r.best->motion = corrected(evidence.placed, Eigen::Vector3d(known.correction.head<3>()));
  r.best->motion.stretch += known.correction.tail<3>();
  r.best->fit.covariance = known.covariance.topLeftCorner<3, 3>();
  if (a.model != BoardModel::rigid) r.best->fit.full = known.covariance;
  return std::nullopt;
}

void record_mechanical(const AlignmentRecipe& a, const MechanicalEvidence& evidence, StepRecord& record) {
  record.version = "6";
  const auto parameter = [&](const char* name, double value) {
    record.parameters.emplace_back(name, fmt::format("{}", value));
  };
  if (a.fiducials.empty()) parameter("parts_offset_um", a.parts_offset_um);
  if (!a.holes.empty()) {
    parameter("holes", double(a.holes.size()));
    parameter("min_holes", a.min_holes);
    parameter("holes_offset_um", a.holes_offset_um);
  }
  if (!a.edges.empty()) {
    parameter("edges", double(a.edges.size()));
    parameter("min_edges", a.min_edges);
    parameter("edges_offset_um", a.edges_offset_um);
  }
  const std::optional<MechanicalJoin>& last = evidence.with_edges ? evidence.with_edges : evidence.with_holes;
  const Eigen::Matrix<double, 6, 1> at =
      last ? last->known.correction : Eigen::Matrix<double, 6, 1>(Eigen::Matrix<double, 6, 1>::Zero());
  if (!evidence.holes.empty()) {
    record.health.emplace_back("holes_found", static_cast<double>(found_of(evidence.holes)));
    record_join("holes", evidence.with_holes, record);
    record_holes(evidence, at, record);
  }
  if (!evidence.edges.empty()) {
    record.health.emplace_back("edges_found", static_cast<double>(found_of(evidence.edges)));
    record_join("edges", evidence.with_edges, record);
    record_edges(evidence, at, record);
  }
}

}  // namespace datum
