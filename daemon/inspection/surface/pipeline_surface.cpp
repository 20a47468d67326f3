#include "daemon/inspection/surface/pipeline_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <iterator>
#include <set>
#include <tuple>

#include "daemon/inspection/board/pipeline_parts.h"
#include "daemon/inspection/board/snapshot_poses.h"
#include "daemon/inspection/surface/begun_surface.h"
#include "daemon/inspection/surface/beside.h"
#include "daemon/inspection/surface/patched_points.h"
#include "daemon/inspection/surface/surface_facets.h"
#include "daemon/inspection/surface/surface_form.h"
#include "daemon/inspection/surface/surface_holes.h"
#include "daemon/inspection/surface/surface_mask.h"
#include "daemon/inspection/surface/surface_placing.h"
#include "daemon/inspection/verdict/decision.h"

namespace datum {
namespace {

std::optional<Refusal> set_refusal(const Recipe& recipe, std::span<const SurfaceFrame> frames) {
  if (frames.size() != recipe.snapshots.count())
    return Refusal{Reason::snapshots, fmt::format("{} snapshots came, the recipe demands {}", frames.size(),
                                                  recipe.snapshots.count())};
  std::set<std::pair<std::string, std::string>> seen;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const HeightFrame& f = *frames[i].frame;
    if (!seen.emplace(f.frame_id, f.content_sha256).second)
      return Refusal{Reason::snapshots, fmt::format("frame {} came twice", f.frame_id)};
    if (std::string why = pose_refusal(recipe.snapshots, i, frames[i].pose); !why.empty())
      return Refusal{Reason::snapshots, why};
  }
  return std::nullopt;
}

/// Refusal of a single snapshot, with its number.
std::optional<Refusal> frames_refusal(std::span<const SurfaceFrame> frames, const InspectionInputs& in) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    InspectionInputs one = in;
    one.pose = frames[i].pose;
    auto why = frame_refusal(*frames[i].frame, one);
    if (!why) why = placement_refusal(*frames[i].frame, one);
    if (!why) continue;
    if (frames.size() > 1) why->detail = fmt::format("snapshot {}: {}", i + 1, why->detail);
    return why;
  }
  return std::nullopt;
}

void add_model(SurfaceEvidence& e, const SurfaceModel& model) {
  e.model_sha256 = model.sha256;
  e.facets = model.facets;
  e.degenerate_facets = model.triangles->faults.degenerate;
  e.open_edges = model.triangles->faults.open_edges;
  e.branched_edges = model.triangles->faults.branched_edges;
  e.contradicted_normals = model.contradicted_normals;
}

/// With the uncertainty of the stage's motion and of its position at the exposure.
HtmEstimate<Machine, Sensor> station(const Calibration& c, const Pose& pose) {
  HtmEstimate<Machine, Sensor> at{c.machine_from_sensor, c.covariance};
  if (!pose.used) return at;
  at = at_stage(at, c.stage, c.stage_u, Eigen::Vector3d(pose.q_mm.data()));
  const double u_mm = pose.pairing ? pose.pairing->u_um * 1e-3 : 0;
  at.covariance.bottomRightCorner<3, 3>().diagonal().array() += u_mm * u_mm;
  return at;
}

/// machine_from_sensor of each snapshot; empty in sensor coordinates.
std::vector<HtmEstimate<Machine, Sensor>> stations(std::span<const SurfaceFrame> frames,
                                                   const InspectionInputs& in) {
  std::vector<HtmEstimate<Machine, Sensor>> out;
  if (!in.recipe->in_machine_coordinates) return out;
  for (const SurfaceFrame& f : frames) out.push_back(station(*in.calibration, f.pose));
  return out;
}

std::vector<SnapshotMotion> motions(std::span<const SurfaceFrame> frames) {
  std::vector<SnapshotMotion> out;
  for (const SurfaceFrame& f : frames)
    out.push_back(
        {f.pose.used, Eigen::Vector3d(f.pose.q_mm.data()), f.pose.pairing ? f.pose.pairing->u_um * 1e-3 : 0});
  return out;
}

std::vector<SurfaceShot> shots_of(std::span<const HeightFrame* const> frames,
                                  const std::vector<HtmEstimate<Machine, Sensor>>& machine_from_sensor,
                                  const PlacedPart& part, const SurfaceModel& model,
                                  const SurfaceUncertainty& uncertainty) {
  const Htm<Machine, Model>& placed = part.machine_from_model;
  std::vector<SurfaceShot> shots;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Htm<Model, Sensor> model_from_sensor = machine_from_sensor.empty()
                                                     ? Htm<Model, Sensor>(placed.inverse().matrix())
                                                     : placed.inverse() * machine_from_sensor[i].htm;
    const HtmEstimate<Machine, Sensor>* station =
        machine_from_sensor.empty() ? nullptr : &machine_from_sensor[i];
    shots.push_back({frames[i], model_from_sensor});
    shots.back().edge_mm = edge_zone_mm(shots.back(), part, station, model, uncertainty);
  }
  return shots;
}

std::vector<std::vector<double>> percentile_shares(const Recipe& recipe, const SurfaceCover& cover) {
  std::vector<std::vector<double>> shares;
  for (std::size_t r = 0; r < recipe.surface->regions.size(); ++r)
    shares.push_back(percentile_shares(recipe.components[r], cover.covered_mm2[r], cover.area_mm2[r]));
  return shares;
}

/// Why a region can't be judged.
Refusal region_fault(const MeasuredSurface& m, const SurfaceSpots& spots, std::size_t region) {
  auto [reason, detail] = beyond_refusal(m, spots, region);
  if (reason == Reason::none) std::tie(reason, detail) = region_refusal(m, region);
  return {reason, detail};
}

void doubt(CheckVerdict& v, const Refusal& why) {
  v.decision = v.decision_simple = Decision::invalid;
  v.reason = why.reason;
  v.detail = why.detail;
}

/// Makes passed checks INVALID; failed ones remain failed.
void doubt(BoardVerdict& v, const Refusal& why) {
  for (ComponentVerdict& c : v.components) {
    for (CheckVerdict& check : c.checks)
      if (check.decision == Decision::pass || check.decision == Decision::inconclusive) doubt(check, why);
    c.decision = worst_of(c.checks);
  }
  v.decision = Decision::invalid;
  v.reason = why.reason;
  v.detail = why.detail;
}

CheckVerdict judge(const Recipe& recipe, const MeasuredSurface& m, const SurfaceSpots& spots,
                   std::size_t region, std::size_t check) {
  const std::size_t datum = recipe.surface->regions[region].datum[check];
  CheckVerdict v;
  v.check = recipe.components[region].checks[check];
  Refusal why = region_fault(m, spots, region);
  if (why.reason == Reason::none && datum != region) {
    why = region_fault(m, spots, datum);
    why.detail = fmt::format("its datum {}: {}", m.sources.model.regions[datum].name, why.detail);
  }
  v.reason = why.reason;
  v.detail = why.detail;
  if (v.reason != Reason::none) return v;
  v = evaluate(v.check, region, datum, m);
  if (v.reason != Reason::none) return v;
  decide(v, recipe.rule, recipe.rule_confidence);
  if (v.decision != Decision::pass && v.decision != Decision::inconclusive) return v;
  if (const auto [reason, detail] = spot_refusal(m, spots, v.check, region, datum); reason != Reason::none)
    doubt(v, {reason, detail});
  return v;
}

ComponentVerdict judge(const Recipe& recipe, const MeasuredSurface& m, const SurfaceSpots& spots,
                       std::size_t region) {
  const Component& component = recipe.components[region];
  ComponentVerdict c;
  c.reference = component.reference;
  c.package = component.package;
  c.region = evidence_of(m, region);
  for (std::size_t k = 0; k < component.checks.size(); ++k)
    c.checks.push_back(judge(recipe, m, spots, region, k));
  c.decision = worst_of(c.checks);
  return c;
}

SurfaceInspection compare_surface(BoardVerdict v, std::span<const SurfaceFrame> frames,
                                  const InspectionInputs& in, SurfaceModels& models, const Backend& backend) {
  const SurfaceRecipe& recipe = *in.recipe->surface;
  const unsigned threads = backend.threads;
  const auto ended = [&](InspectionStep step) {
    if (in.step_ended) in.step_ended(step);
  };
  const std::shared_ptr<const SurfaceModel> model = models.of(*in.recipe, threads);
  add_model(*v.surface, *model);
  const auto machine_from_sensor = stations(frames, in);
  std::vector<const HeightFrame*> heights;
  for (const SurfaceFrame& f : frames) heights.push_back(f.frame);
  SurfaceMasks masks(recipe, heights, machine_from_sensor);
  const PlacedPart part = place_part(recipe, *model, masks.to_align(), machine_from_sensor, backend);
  v.surface->alignment = part.evidence;
  if (!part.refusal.empty())
    return {refused(std::move(v), *in.recipe,
                    {Reason::surface_fit, "alignment: " + part.refusal + masks.alignment_words()})};
  Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(v.surface->machine_from_model.data()) =
      part.machine_from_model.matrix();
  heights = masks.to_compare(part.machine_from_model);
  v.surface->masks = masks.evidence();
  const std::vector<SurfaceShot> shots =
      shots_of(heights, machine_from_sensor, part, *model, recipe.uncertainty);
  ComparedSurface surface = surface_of(*model);
  const PartView view = part_view(*model->triangles, shots, threads);
  PatchedPoints patched(*model, recipe, in.sharer, view.points());
  const FacetsWanted wanted = facets_wanted(*in.recipe);
  std::shared_ptr<SumsByPoints> sums;
  std::optional<SurfaceComparison> comparison;
  if (in.comparer && !patched.here() && in.comparer->takes(view.shots(), model->triangles->corner.size())) {
    if (in.matcher && wanted.by_points && !wanted.by_surface && !wanted.lists &&
        in.matcher->declines(view.points() + model->pieces->facets->facet.size(), false).empty())
      sums = sums_by_points(*model, recipe.settings, *recipe.facet_map, shots);
    comparison.emplace(*in.comparer, model, recipe.settings, shots, view, sums ? sums->sums : FacetsToSum(),
                       threads, surface);
  }
  if (comparison) comparison->wait_sent();
  place_points(view, threads, surface);
  ended(InspectionStep::plan);

  CpuDistanceFinder own_finder(backend);
  CpuFacetMatcher own_matcher(backend);
  DistanceFinder& finder = in.finder ? *in.finder : own_finder;
  FacetMatcher& matcher = in.matcher ? *in.matcher : own_matcher;
  const bool compared = comparison && comparison->done();
  // Before the facets, which one GPU matches behind it: all waits for the distances.
  std::future<void> distances;
  if (!compared) distances = find_distances(surface, *model, recipe.settings, finder, in.finder != nullptr);
  // A facet map wants the points alone: a GPU makes it beside what this host does, but behind the areas, for which all waits too.
  std::future<FacetMap> mapped;
  const auto begin_facets = [&] {
    if (compared && sums)
      mapped = beside(false, [&] { return std::move(sums->map); });
    else if (wanted.by_points || wanted.by_surface)
      mapped = beside(in.matcher != nullptr, [&] {
        return map_facets(*model, recipe.settings, *recipe.facet_map, wanted, placed(surface), shots, matcher,
                          threads);
      });
  };
  if (compared || patched.here()) begin_facets();
  if (!compared)
    compare_with_model(surface, *model, recipe.settings, shots, std::move(distances), threads,
                       patched.here());
  const std::string found_by = v.backend = compared ? in.comparer->describe() : finder.describe();
  ended(InspectionStep::heights);

  v.surface->points = surface.map.points.size();
  v.surface->beyond = surface.beyond;
  v.surface->hidden = surface.explained;
  // partly serial
  auto found = beside(threads > 2, [&] { return form_of(surface, *in.recipe, *in.sensor, threads); });
  std::vector<SurfaceCover> covers;
  auto shared =
      compared ? patched.covers(comparison->take_marks(), threads) : patched.covers(surface.map, threads);
  if (!compared && !patched.here()) begin_facets();
  const auto shares = [&] {
    covers = shared.get();
    return percentile_shares(*in.recipe, covers.front());
  };
  const std::vector<SurfaceStatistics> statistics = statistics_of_regions(surface.map, threads, shares);
  const SurfaceCover& cover = covers.front();
  const std::vector<double> gap_mm2 = patched.gaps_mm2(covers);
  if (const std::string who = patched.describe(); !compared && !who.empty() && who != found_by)
    v.backend += "; areas: " + who;
  const FoundForm form = found.get();
  std::shared_ptr<const FacetMap> facets;
  if (mapped.valid()) {
    facets = std::make_shared<const FacetMap>(mapped.get());
    if (const std::string who = compared && sums ? found_by : matcher.describe(); who != found_by)
      v.backend += "; facets: " + who;
  }
  ended(InspectionStep::evidence);

  const std::vector<SnapshotMotion> motion = motions(frames);
  const SurfaceSources sources{recipe,
                               *model,
                               *in.sensor,
                               shots,
                               machine_from_sensor,
                               part.machine_from_model,
                               part.alignment,
                               in.recipe->in_machine_coordinates ? in.calibration : nullptr,
                               motion,
                               threads};
  const std::size_t regions = recipe.regions.size();
  const MeasuredSurface m{sources,    surface,    cover,      gap_mm2, form.extremes,
                          form.noise, statistics, form.lifts, backend, facets.get()};
  for (std::size_t r = 0; r < regions; ++r) v.components.push_back(judge(*in.recipe, m, form.spots, r));
  for (std::size_t k = 0; k < recipe.holes.size(); ++k)
    v.components.push_back(judge_hole(*in.recipe, k, in.holes, sources));
  v.decision = worst_of(v.components);
  if (const auto [reason, detail] = beyond_refusal(m, form.spots, no_region); reason != Reason::none)
    doubt(v, Refusal{reason, detail});
  return {std::move(v), std::make_shared<const SurfaceMap>(std::move(surface.map)), cover, std::move(facets)};
}

}  // namespace

SurfaceInspection inspect_surface(std::span<const SurfaceFrame> frames, const InspectionInputs& in,
                                  SurfaceModels& models, const Backend& backend) {
  const BoardVerdict v = begun_surface(frames, in, describe(backend));
  auto why = set_refusal(*in.recipe, frames);
  if (!why) why = frames_refusal(frames, in);
  if (why) return {refused(v, *in.recipe, *why)};
  const auto refuse = [&](Reason reason, const std::exception& e) {
    return SurfaceInspection{refused(v, *in.recipe, {reason, e.what()})};
  };
  try {
    return compare_surface(v, frames, in, models, backend);
  } catch (const ModelError& e) {
    return refuse(Reason::model, e);
  } catch (const CalibrationError& e) {
    return refuse(Reason::calibration, e);
  } catch (const std::exception& e) {
    return refuse(Reason::internal, e);
  }
}

}  // namespace datum
