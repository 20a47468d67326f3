#include "daemon/inspect/floor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "daemon/inspect/floor_evidence.h"
#include "gpu/core/parallel_for.h"
#include "gpu/plane_fit/plane_evidence.h"

namespace datum {
namespace {

void refuse(Floor& floor, Reason reason, std::string detail) {
  floor.reason = reason;
  floor.detail = std::move(detail);
}

/// The gates of METROLOGY S5, in the order in which one makes the next meaningless.
void apply_gates(const FloorSettings& gates, Floor& floor) {
  const FloorEvidence& e = floor.evidence;
  const PlaneFit& fit = floor.fit;
  const auto sides = std::count_if(e.side_inliers.begin(), e.side_inliers.end(), [&](std::uint32_t n) {
    return n >= static_cast<std::uint32_t>(gates.min_side_pixels);
  });
  if (fit.status == FitStatus::no_consensus || fit.status == FitStatus::out_of_bounds) {
    refuse(
        floor, Reason::floor_no_consensus,
        fmt::format("no plane through the {} ring pixels with a height ({})", e.valid, name_of(fit.status)));
  } else if (!fit.fixed_point) {
    refuse(floor, Reason::floor_not_fixed,
           fmt::format("the inliers still changed after {} least-squares planes", fit.refits));
  } else if (e.inlier_ratio < gates.min_inlier_ratio) {
    refuse(floor, Reason::floor_inlier_ratio,
           fmt::format("{} of {} ring pixels lie on the floor: ratio {:.3f}, at least {:.3f} is demanded",
                       e.inliers, e.valid, e.inlier_ratio, gates.min_inlier_ratio));
  } else if (sides < gates.min_sides) {
    refuse(floor, Reason::floor_sides,
           fmt::format("floor pixels on the sides -x, +x, -y, +y: {}; at least {} on {} sides are demanded",
                       fmt::join(e.side_inliers, ", "), gates.min_side_pixels, gates.min_sides));
  } else if (e.rms_um > gates.max_rms_sigmas * e.sigma_um) {
    refuse(floor, Reason::floor_rms,
           fmt::format(
               "residuals of {:.2f} um rms, at most {:.2f} um ({:g} times the sensor's noise) are allowed",
               e.rms_um, gates.max_rms_sigmas * e.sigma_um, gates.max_rms_sigmas));
  } else if (e.second_floor > gates.max_second_floor) {
    refuse(floor, Reason::floor_second_level,
           fmt::format(
               "another level holds {:.3f} times as many ring pixels as the floor, at most {:.3f} is allowed",
               e.second_floor, gates.max_second_floor));
  } else if (e.tilt_deg > gates.max_tilt_deg) {
    refuse(floor, Reason::floor_tilt,
           fmt::format("the floor is tilted by {:.3f} degrees, at most {:.3f} are allowed", e.tilt_deg,
                       gates.max_tilt_deg));
  }
}

void refuse_too_few(const FloorSettings& gates, const Site& site, Floor& floor) {
  const std::uint32_t demanded =
      std::max<std::uint32_t>(3, static_cast<std::uint32_t>(gates.min_sides * gates.min_side_pixels));
  if (floor.fit.status != FitStatus::too_few_points && floor.fit.valid >= demanded) return;
  refuse(floor, Reason::floor_too_few,
         fmt::format("{} of {} ring pixels have a height, at least {} are demanded", floor.fit.valid,
                     site.ring_pixels, demanded));
}

PlaneFitSettings settings_of(const FloorSettings& floor, const FloorThresholds& t) {
  PlaneFitSettings settings;
  settings.mode = floor.mode;
  settings.threshold = static_cast<float>(t.consensus_um);
  settings.refit_threshold = static_cast<float>(t.refit_um);
  settings.confidence = floor.confidence;
  return settings;
}

PlanePoints points_of(const Site& site, const SitePixels& pixels, std::uint64_t seed) {
  PlanePoints p;
  p.x = pixels.ring_x.get();
  p.y = pixels.ring_y.get();
  p.z = pixels.ring_z.get();
  p.size = site.ring_pixels;
  p.half_x = static_cast<float>(site.half_mm.x() * 1e3);
  p.half_y = static_cast<float>(site.half_mm.y() * 1e3);
  p.seed = seed;
  return p;
}

/// Fits the floors of equal thresholds in one batch.
void fit_batch(const std::vector<std::size_t>& members, const std::vector<PlanePoints>& points,
               const PlaneFitSettings& settings, const Backend& backend, std::vector<Floor>& floors) {
  std::vector<PlanePoints> batch;
  for (std::size_t i : members) batch.push_back(points[i]);
  std::vector<PlaneFit> fits(members.size());
  fit_planes(batch.data(), batch.size(), settings, backend, fits.data());
  for (std::size_t k = 0; k < members.size(); ++k) floors[members[k]].fit = fits[k];
}

}  // namespace

FloorThresholds thresholds_of(const FloorSettings& settings, const SensorProfile& sensor,
                              const HeightFrame& frame, const Site& site) {
  FloorThresholds t;
  t.sigma_um = sensor.noise.sigma_um_at(site.reference_z_mm);
  const double two_lsb = 2e3 * std::abs(frame.z.scale_mm);
  const bool counts_are_steps = !std::holds_alternative<std::vector<float>>(frame.counts);
  const double least = counts_are_steps ? two_lsb : 0;
  t.consensus_um = std::max(settings.threshold_sigmas * t.sigma_um, least);
  t.refit_um = std::max(settings.refit_threshold_sigmas * t.sigma_um, t.consensus_um);
  return t;
}

std::uint64_t seed_of(const Recipe& recipe, const Component& component) {
  std::uint64_t hash = 14695981039346656037ull;
  for (char c : recipe.sha256 + "/" + component.reference) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211ull;
  }
  return hash;
}

std::vector<Floor> fit_floors(const Recipe& recipe, const SensorProfile& sensor, const HeightFrame& frame,
                              const std::vector<Site>& sites, const std::vector<SitePixels>& pixels,
                              const Backend& backend) {
  std::vector<Floor> floors(sites.size());
  std::vector<FloorThresholds> thresholds(sites.size());
  std::vector<PlanePoints> points(sites.size());
  // One batch has one threshold; with a noise profile of one value all floors are one batch.
  std::map<std::pair<double, double>, std::vector<std::size_t>> batches;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    if (sites[i].reason != Reason::none) continue;
    thresholds[i] = thresholds_of(recipe.floor, sensor, frame, sites[i]);
    points[i] = points_of(sites[i], pixels[i], seed_of(recipe, recipe.components[i]));
    batches[{thresholds[i].consensus_um, thresholds[i].refit_um}].push_back(i);
  }
  for (const auto& [key, members] : batches)
    fit_batch(members, points, settings_of(recipe.floor, thresholds[members.front()]), backend, floors);
  parallel_for(backend.threads, sites.size(), [&](std::size_t i, unsigned) {
    if (sites[i].reason != Reason::none) return;
    Floor& floor = floors[i];
    collect_evidence(sites[i], pixels[i], thresholds[i], recipe.floor.form, backend.isa, floor);
    if (floor.fit.status == FitStatus::ok)
      floor.evidence.second_floor =
          plane_evidence(points[i], floor.fit, settings_of(recipe.floor, thresholds[i])).ratio();
    refuse_too_few(recipe.floor, sites[i], floor);
    if (floor.reason == Reason::none) apply_gates(recipe.floor, floor);
  });
  return floors;
}

}  // namespace datum
