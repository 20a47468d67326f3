#include "daemon/inspection/surface/surface_facets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/inspection/surface/area_quantiles.h"
#include "daemon/inspection/surface/surface_statistics.h"
#include "daemon/inspection/verdict/normal.h"

namespace datum {
namespace {

match::FacetValue value_of(const FacetMap& facets, FacetsBy by, std::size_t i) {
  return by == FacetsBy::points ? match::value_of(facets.by_points[i])
                                : match::value_of(facets.by_surface[i]);
}

double area_mm2(const FacetSums& f) { return static_cast<double>(f.units) / units_per_mm2; }

/// Quantiles of the region's facets.
std::vector<double> quantiles_of(const FacetMap& facets, FacetsBy by, std::size_t region, const FacetSums& f,
                                 const std::vector<double>& shares, unsigned threads) {
  const FacetRegions& pieces = *facets.pieces->facets->regions;
  std::vector<double> inner;
  for (const double share : shares)
    if (share > 0 && share <= 1) inner.push_back(share);
  std::vector<AreaQuantiles> found(1, {nm_of(f.lowest_mm), nm_of(f.highest_mm), f.units, inner});
  const auto each = [&](std::size_t from, std::size_t to, const auto& visit) {
    for (std::size_t i = from; i < to; ++i) {
      if (pieces.region[i] != region) continue;
      const match::FacetValue v = value_of(facets, by, i);
      if (v.kind == MatchClass::face) visit(0, {nm_of(v.mm), pieces.units[i]});
    }
  };
  find_quantiles(found, pieces.region.size(), each, threads);
  return with_unreached(shares, found[0].values_um());
}

struct Quantile {
  double um = 0;
  double missing_um = 0;  // standard uncertainty by what was not seen; infinite: the quantile may lie there
};

/// The shares between which the quantile q of all may lie where `seen` of `area` has values: q, most, least.
std::vector<double> shares_about(double q, double seen_mm2, double area_mm2) {
  const double hidden = std::max(0.0, area_mm2 - seen_mm2);
  // sums of areas differ in their last bits by order
  if (!(hidden > 1e-9 * area_mm2)) return {q, q, q};
  return {q, q * area_mm2 / seen_mm2, (q * area_mm2 - hidden) / seen_mm2};
}

/// The rest may lie above or below all of what was seen. values_of(shares): deviations at these shares.
template <class ValuesOf>
Quantile quantile_in(const ValuesOf& values_of, double q, double seen_mm2, double area_mm2) {
  const std::vector<double> um = values_of(shares_about(q, seen_mm2, area_mm2));
  Quantile out{um[0], 0};
  out.missing_um = std::max(um[1] - out.um, out.um - um[2]) / std::sqrt(3.0);
  return out;
}

/// Noise widens a distribution: of a flat region the quantile moves by z sigma, of a wide form by nothing; and n independent
/// values of a normal distribution place it by sqrt(q (1 - q) / n) / phi(z) (Stuart and Ord, Kendall's Advanced Theory of
/// Statistics 1, 10.10).
void add_quantile_noise(CheckVerdict& v, double sigma_um, double independent) {
  const double q = v.check.parameter, z = normal_quantile(q);
  v.budget.push_back(
      {"noise", sigma_um * std::sqrt(q * (1 - q) / std::max(1.0, independent)) / normal_density(z)});
  v.budget.push_back({"noise_lift", std::fabs(z) * sigma_um / std::sqrt(3.0)});
}

void take_quantile(CheckVerdict& v, const Quantile& quantile) {
  v.value = quantile.um;
  if (std::isfinite(quantile.missing_um)) {
    v.budget.push_back({"missing", quantile.missing_um});
    return;
  }
  v.reason = Reason::surface_coverage;
  v.detail = fmt::format(
      "so much of its area was not seen that its quantile {:g} may lie there; see more of it, or choose a "
      "quantile "
      "farther from 0 and 1",
      v.check.parameter);
}

DeviationPlace place_of(const FacetMap& map, std::size_t facet, std::uint16_t snapshot) {
  const ModelPoint p = middle_of_facet(map.model->corner[facet]);
  const auto& n = map.model->normal[facet][0];
  return {{p.x, p.y, p.z}, {n[0], n[1], n[2]}, snapshot};
}

/// Values of facets, and what noise makes of one: a mean of at least so many points, or a place between three.
struct FacetNoise {
  double sigma_um = 0;
  double independent = 1;  // values of the region
};

FacetNoise noise_of(const MeasuredSurface& m, std::size_t region, const DeviationPlace& place, FacetsBy by,
                    std::uint64_t facets) {
  FacetNoise n;
  const double correlated = correlated_points(m.noise[region], m.sources);
  n.sigma_um = pixel_noise_um(place, m.noise[region], m.sources);
  if (by == FacetsBy::points) n.sigma_um /= std::sqrt(std::max(1.0, m.facets->settings.least / correlated));
  // circles of neighbours share points, so facets are no more independent than pixels
  n.independent = std::max(1.0, std::min(static_cast<double>(facets),
                                         static_cast<double>(m.statistics[region].face) / correlated));
  return n;
}

bool is_one_of(Characteristic c, Characteristic a, Characteristic b) { return c == a || c == b; }

void judge_facets(CheckVerdict& v, std::size_t region, const MeasuredSurface& m, const FacetSums& f,
                  FacetsBy by) {
  using enum Characteristic;
  const Characteristic c = v.check.characteristic;
  DeviationPlace place = middle_of(m, region);
  const bool high = is_one_of(c, pfm_maximum, ffm_maximum), low = is_one_of(c, pfm_minimum, ffm_minimum);
  if (high || low) place = place_of(*m.facets, high ? f.highest : f.lowest, place.snapshot);
  v.budget = deviation_budget(place, m.sources);
  const FacetNoise noise = noise_of(m, region, place, by, f.count);
  const SurfaceRounding rounding = rounding_of(region, place, m.noise[region], m.sources);
  if (is_one_of(c, pfm_mean, ffm_mean)) {
    v.value = double_of(f.weighted) / static_cast<double>(f.units) / 1000;
    v.budget.push_back({"noise", noise.sigma_um / std::sqrt(noise.independent)});
    v.budget.push_back({"quantisation", rounding.mean_um});
    return;
  }
  v.budget.push_back({"quantisation", rounding.picked_um});
  if (high || low) {
    v.value = 1000.0 * (high ? f.highest_mm : f.lowest_mm);
    const NoiseLift lift = unseen_lift(noise.sigma_um / 1000, f.count);
    v.budget.push_back({"noise", 1000 * lift.scatter_mm});
    v.budget.push_back({"noise_lift", 1000 * lift.form_mm});
    return;
  }
  add_quantile_noise(v, noise.sigma_um, noise.independent);
  const auto values_of = [&](const std::vector<double>& shares) {
    return quantiles_of(*m.facets, by, region, f, shares, m.backend.threads);
  };
  take_quantile(v,
                quantile_in(values_of, v.check.parameter, area_mm2(f), m.facets->pieces->face_mm2[region]));
}

FacetsBy facets_by(const Check& check) {
  return check.characteristic < Characteristic::ffm_mean ? FacetsBy::points : FacetsBy::surface;
}

}  // namespace

std::vector<double> percentile_shares(const Component& region, double seen_mm2, double area_mm2) {
  std::vector<double> shares;
  for (const Check& check : region.checks) {
    if (check.characteristic != Characteristic::deviation_percentile) continue;
    for (const double share : shares_about(check.parameter, seen_mm2, area_mm2))
      if (share > 0 && share <= 1) shares.push_back(share);
  }
  return shares;
}

void evaluate_percentile(CheckVerdict& v, std::size_t region, const MeasuredSurface& m) {
  const SurfaceStatistics& s = m.statistics[region];
  const DeviationPlace place = middle_of(m, region);
  v.budget = deviation_budget(place, m.sources);
  v.budget.push_back({"quantisation", rounding_of(region, place, m.noise[region], m.sources).picked_um});
  add_quantile_noise(v, pixel_noise_um(place, m.noise[region], m.sources),
                     static_cast<double>(s.face) / correlated_points(m.noise[region], m.sources));
  const auto values_of = [&](const std::vector<double>& shares) {
    std::vector<double> found;
    for (const double share : shares)
      if (share > 0 && share <= 1) {
        const auto at = s.at_share_um.find(share);
        found.push_back(at == s.at_share_um.end() ? std::nan("") : at->second);
      }
    return with_unreached(shares, found);
  };
  take_quantile(
      v, quantile_in(values_of, v.check.parameter, m.cover.covered_mm2[region], m.cover.area_mm2[region]));
}

void evaluate_facets(CheckVerdict& v, std::size_t region, const MeasuredSurface& m) {
  const FacetsBy by = facets_by(v.check);
  if (!m.facets) {
    v.reason = Reason::internal;
    v.detail = "no facet map was made";
    return;
  }
  const auto& of_regions = by == FacetsBy::points ? m.facets->sums_by_points : m.facets->sums_by_surface;
  const FacetSums& f = of_regions.at(region);
  const double face_mm2 = m.facets->pieces->face_mm2[region];
  const double least = m.sources.recipe.regions[region].min_coverage;
  const double share = face_mm2 > 0 ? area_mm2(f) / face_mm2 : 0;
  if (f.count > 0 && share >= least) return judge_facets(v, region, m, f, by);
  v.reason = Reason::surface_coverage;
  v.detail =
      face_mm2 > 0
          ? fmt::format(
                "{:.2f} % of the area of its facets have {}, at least {:.2f} % are demanded "
                "(min_coverage); longer facets (facet_map.longest_mm), or fewer least_points",
                100 * share,
                by == FacetsBy::points ? "points in front of them" : "a measured surface before them",
                100 * least)
          : std::string(
                "each of its facets lies at a sharp edge or an open rim; a smaller facet_map.longest_mm "
                "makes others");
}

}  // namespace datum
