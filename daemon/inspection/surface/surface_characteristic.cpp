#include "daemon/inspection/surface/surface_characteristic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/inspection/surface/surface_facets.h"
#include "daemon/inspection/verdict/uncertainty.h"

namespace datum {
namespace {

void append(std::vector<UncertaintyTerm>& to, const std::vector<UncertaintyTerm>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

void scale(std::vector<UncertaintyTerm>& terms, double by) {
  for (UncertaintyTerm& t : terms) t.u *= by;
}

std::array<double, 3> model_place(const MeasuredSurface& m, std::uint32_t point) {
  if (point == no_point) return {};
  const ModelPoint& p = m.surface.map.points[point];
  const auto& o = m.sources.model.triangles->origin;
  return {p.x + o[0], p.y + o[1], p.z + o[2]};
}

DeviationPlace place_of(const MeasuredSurface& m, std::uint32_t point) {
  const ModelPoint& p = m.surface.map.points[point];
  const ModelDistance& d = m.surface.map.distances[point];
  const auto& n = m.sources.model.triangles->normal[d.facet][0];
  return {{p.x, p.y, p.z}, {n[0], n[1], n[2]}, m.surface.map.snapshot[point]};
}

/// A region's highest or lowest value, less noise's excess.
struct Extreme {
  double um = 0;
  DeviationPlace place;
  NoiseLift lift;
};

FormLevels levels_of(const std::vector<float>& value, const MeasuredSurface& m, std::size_t region) {
  if (m.noise[region].tiles == 0) return {};
  return form_levels(m.surface.grids, m.surface.face_region, value, region, m.noise[region],
                     m.sources.recipe.settings.window_px, m.backend.threads);
}

/// lift_of(sign, outwards_mm): what noise added to it, where the region shows its noise.
template <class LiftOf>
Extreme extreme_of(bool high, const LiftOf& lift_of, const WindowExtremes& e, const MeasuredSurface& m,
                   std::size_t region) {
  const RegionNoise& noise = m.noise[region];
  Extreme x;
  x.place = place_of(m, high ? e.highest_at : e.lowest_at);
  const double sign = high ? 1 : -1, outwards_mm = sign * (high ? e.highest : e.lowest);
  if (noise.tiles == 0) {
    x.lift = unseen_lift(x.place, e.windows, m.sources);
  } else {
    x.lift = lift_of(sign, outwards_mm);
  }
  x.um = 1000 * sign * (outwards_mm - x.lift.mm);
  return x;
}

void evaluate_extreme(CheckVerdict& v, const MeasuredSurface& m, std::size_t region) {
  const bool is_profile = v.check.characteristic == Characteristic::profile;
  const auto of = [&](bool high) {
    const auto lift = [&](double, double) {
      return (high ? m.lifts[region].highest : m.lifts[region].lowest).value();
    };
    return extreme_of(high, lift, m.extremes[region], m, region);
  };
  Extreme x = of(is_profile || v.check.characteristic == Characteristic::deviation_maximum);
  if (is_profile)
    if (const Extreme low = of(false); - low.um > x.um) x = low;
  v.value = x.um;
  v.budget = deviation_budget(x.place, m.sources);
  v.budget.push_back({"noise", 1000 * x.lift.scatter_mm});
  v.budget.push_back({"noise_lift", 1000 * x.lift.form_mm});
  v.budget.push_back({"quantisation", rounding_of(region, x.place, m.noise[region], m.sources).picked_um});
  if (!is_profile) return;
  v.value = 2 * std::fabs(v.value);
  scale(v.budget, 2);
}

void evaluate_mean(CheckVerdict& v, const MeasuredSurface& m, std::size_t region) {
  const SurfaceStatistics& s = m.statistics[region];
  const DeviationPlace place = middle_of(m, region);
  v.value = s.mean_um;
  v.budget = deviation_budget(place, m.sources);
  append(v.budget, mean_noise(place, s.face, m.noise[region], m.sources));
  v.budget.push_back({"quantisation", rounding_of(region, place, m.noise[region], m.sources).mean_um});
}

/// Covariance of the snapshots' relative shifts, along the planes' normal.
Eigen::MatrixXd shifts_along(const ParallelPlanes& shared, const SurfaceSources& s) {
  const auto n = static_cast<Eigen::Index>(s.shots.size());
  if (!s.calibration || s.motion.size() != s.shots.size() || n < 2) return Eigen::MatrixXd::Zero(n, n);
  const Eigen::Vector3d normal =
      s.machine_from_model.rotation() * Eigen::Map<const Eigen::Vector3d>(shared.normal);
  return shift_covariance(*s.calibration, s.motion, normal);
}

/// Standard uncertainty of a datum's slope, over the region's diagonal.
double datum_tilt_um(const ParallelPlanes& shared, const MeasuredSurface& m, std::size_t region,
                     std::size_t datum) {
  const RegionBox box = box_of(m.sources.model, region);
  const double tilt = std::sqrt(shared.tilt_variance[0] + shared.tilt_variance[1]);
  const double correlated = std::sqrt(correlated_points(m.noise[datum], m.sources));
  const double rounded = rounding_of(datum, middle_of(m, datum), m.noise[datum], m.sources).slope / 1000;
  return 1000 * std::hypot(tilt * correlated, rounded) * (box.high_mm - box.low_mm).norm();
}

/// Highest less lowest distance from a plane through `datum`.
void evaluate_range(CheckVerdict& v, const MeasuredSurface& m, std::size_t region, std::size_t datum) {
  const SurfaceSettings& settings = m.sources.recipe.settings;
  const RegionPlanes fit = fit_region_planes(m.surface, m.sources.model, settings, {datum}, m.backend);
  if (!fit.refusal.empty()) {
    v.reason = Reason::surface_fit;
    v.detail = fmt::format("region {}: {}", m.sources.model.regions[datum].name, fit.refusal);
    return;
  }
  const std::vector<float> distance = distances_from(fit.shared, fit.planes[0], m.surface, region);
  const WindowExtremes e = window_extremes(m.surface.grids, m.surface.face_region, distance,
                                           m.extremes.size(), settings.window_px, m.backend.threads)[region];
  const FormLevels form = levels_of(distance, m, region);
  const auto lift = [&](double sign, double outwards_mm) {
    return noise_lift(m.noise[region], form, sign, outwards_mm, m.backend.threads);
  };
  const Extreme high = extreme_of(true, lift, e, m, region), low = extreme_of(false, lift, e, m, region);
  v.value = std::max(0.0, high.um - low.um);
  v.budget = length_budget(v.value, m.sources);
  v.budget.push_back({"noise", 1000 * std::hypot(high.lift.scatter_mm, low.lift.scatter_mm)});
  // both ends have the same excess
  v.budget.push_back({"noise_lift", 1000 * (high.lift.form_mm + low.lift.form_mm)});
  v.budget.push_back({"quantisation", rounding_of(region, high.place, m.noise[region], m.sources).range_um});
  const ShiftedPlanes shifted(fit.shared, {datum}, m.surface, settings);
  v.budget.push_back(
      {"snapshots", 1000 * shifted.range_u(shifts_along(fit.shared, m.sources), m.surface, region)});
  if (datum != region) v.budget.push_back({"datum_tilt", datum_tilt_um(fit.shared, m, region, datum)});
}

void evaluate_thickness(CheckVerdict& v, const MeasuredSurface& m, std::size_t region, std::size_t datum) {
  const SurfaceSettings& settings = m.sources.recipe.settings;
  const RegionPlanes fit =
      fit_region_planes(m.surface, m.sources.model, settings, {region, datum}, m.backend);
  if (!fit.refusal.empty()) {
    v.reason = Reason::surface_fit;
    v.detail = fmt::format("regions {} and {}: {}", m.sources.model.regions[region].name,
                           m.sources.model.regions[datum].name, fit.refusal);
    return;
  }
  const PlaneDistance d = distance(fit.shared, fit.planes[1], fit.planes[0]);
  v.value = 1000 * d.value;
  v.budget = length_budget(v.value, m.sources);
  const double correlated =
      std::max(correlated_points(m.noise[region], m.sources), correlated_points(m.noise[datum], m.sources));
  v.budget.push_back({"noise", 1000 * std::sqrt(d.variance * correlated)});
  const SurfaceRounding top = rounding_of(region, middle_of(m, region), m.noise[region], m.sources),
                        bottom = rounding_of(datum, middle_of(m, datum), m.noise[datum], m.sources);
  const Eigen::Map<const Eigen::Vector3d> from(fit.planes[1].centroid), to(fit.planes[0].centroid);
  const double beside_mm = std::sqrt(std::max(0.0, (to - from).squaredNorm() - d.value * d.value));
  v.budget.push_back({"quantisation", std::hypot(std::hypot(top.mean_um, bottom.mean_um),
                                                 std::min(top.slope, bottom.slope) * beside_mm)});
  const ShiftedPlanes shifted(fit.shared, {region, datum}, m.surface, settings);
  v.budget.push_back({"snapshots", 1000 * shifted.distance_u(shifts_along(fit.shared, m.sources))});
}

/// Why the region's noise contradicts the profile's; empty: it does not.
std::string noise_refusal(const MeasuredSurface& m, std::size_t region) {
  const RegionNoise& noise = m.noise[region];
  if (noise.tiles == 0) return "";
  const double um = 1000 * noise.sigma_mm, most_um = most_noise_um(middle_of(m, region), m.sources);
  if (um <= most_um) return "";
  return fmt::format(
      "its pixels scatter by {:.2f} um about the planes of its tiles, at most {:.2f} um "
      "(surface.max_noise_sigmas = {:g} times "
      "the sensor profile's noise) are allowed; see that the profile is this sensor's and the surface is as "
      "the model has it, or "
      "raise max_noise_sigmas",
      um, most_um, m.sources.recipe.settings.max_noise_sigmas);
}

}  // namespace

DeviationPlace middle_of(const MeasuredSurface& m, std::size_t region) {
  const RegionBox box = box_of(m.sources.model, region);
  DeviationPlace place{(box.low_mm + box.high_mm) / 2, mean_normal(m.sources.model, region), 0};
  const auto found = std::find(m.surface.face_region.begin(), m.surface.face_region.end(), region);
  if (found != m.surface.face_region.end())
    place.snapshot = m.surface.map.snapshot[static_cast<std::size_t>(found - m.surface.face_region.begin())];
  return place;
}

RegionEvidence evidence_of(const MeasuredSurface& m, std::size_t region) {
  const SurfaceStatistics& s = m.statistics[region];
  const WindowExtremes& e = m.extremes[region];
  RegionEvidence r;
  r.points = s.points;
  r.face = s.face;
  r.edge = s.edge;
  r.rim = s.rim;
  if (m.surface.beyond > 0)
    r.beyond = static_cast<std::uint64_t>(
        std::count(m.surface.beyond_region.begin(), m.surface.beyond_region.end(), region));
  r.windows = e.windows;
  if (m.noise[region].tiles > 0) {
    r.noise_um = 1000 * m.noise[region].sigma_mm;
    r.correlated_px = m.noise[region].correlation;
  }
  r.area_mm2 = m.cover.area_mm2[region];
  r.covered_mm2 = m.cover.covered_mm2[region];
  r.mean_um = s.mean_um;
  r.rms_um = s.rms_um;
  r.p1_um = s.p1_um;
  r.p50_um = s.p50_um;
  r.p99_um = s.p99_um;
  const double nothing = std::nan("");
  r.lowest_um = e.windows > 0 ? 1000.0 * e.lowest : nothing;
  r.highest_um = e.windows > 0 ? 1000.0 * e.highest : nothing;
  r.lowest_at_mm = model_place(m, e.lowest_at);
  r.highest_at_mm = model_place(m, e.highest_at);
  return r;
}

std::pair<Reason, std::string> region_refusal(const MeasuredSurface& m, std::size_t region) {
  const RegionDemand& demand = m.sources.recipe.regions[region];
  const int window = m.sources.recipe.settings.window_px;
  const double area = m.cover.area_mm2[region], share = m.cover.covered_mm2[region] / area;
  if (!(share >= demand.min_coverage))
    return {Reason::surface_coverage,
            fmt::format("{:.2f} % of its {:.4g} mm^2 were seen, at least {:.2f} % are demanded", 100 * share,
                        area, 100 * demand.min_coverage)};
  // sums of patches' areas differ in their last bits by order
  if (m.gap_mm2[region] > 1e-9 * area)
    return {Reason::surface_coverage,
            fmt::format("{:.4g} mm^2 of it lie farther than max_gap_mm = {:g} from any measured point",
                        m.gap_mm2[region], demand.max_gap_mm)};
  if (m.extremes[region].windows == 0)
    return {Reason::surface_coverage,
            fmt::format("no {} x {} pixels side by side were compared with it", window, window)};
  if (std::string why = noise_refusal(m, region); !why.empty()) return {Reason::surface_noise, why};
  return {Reason::none, ""};
}

CheckVerdict evaluate(const Check& check, std::size_t region, std::size_t datum, const MeasuredSurface& m) {
  CheckVerdict v;
  v.check = check;
  switch (check.characteristic) {
    case Characteristic::profile:
    case Characteristic::deviation_maximum:
    case Characteristic::deviation_minimum:
      evaluate_extreme(v, m, region);
      break;
    case Characteristic::deviation_mean:
      evaluate_mean(v, m, region);
      break;
    case Characteristic::flatness:
    case Characteristic::parallelism:
      evaluate_range(v, m, region, datum);
      break;
    case Characteristic::thickness:
      evaluate_thickness(v, m, region, datum);
      break;
    case Characteristic::deviation_percentile:
      evaluate_percentile(v, region, m);
      break;
    default:
      if (is_of_facets(check.characteristic)) {
        evaluate_facets(v, region, m);
        break;
      }
      v.reason = Reason::internal;
      v.detail = std::string(name_of(check.characteristic)) + " is not one of a surface";
  }
  v.u = combined(v.budget);
  return v;
}

}  // namespace datum
