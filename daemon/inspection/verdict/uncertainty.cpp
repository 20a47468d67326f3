#include "daemon/inspection/verdict/uncertainty.h"

#include <algorithm>
#include <cmath>

#include "daemon/inspection/verdict/normal.h"
#include "daemon/inspection/verdict/quantisation.h"

namespace datum {
namespace {

/// Standard deviation of an order statistic at probability p, whose quantile is z, of n independent normal pixels, for
/// s = 1.
double rank_scatter(double p, double z, double n) { return std::sqrt(p * (1 - p) / n) / normal_density(z); }

/// Heights refer to the ring's plane, whose slope differs from the form's under the body. A top appears
/// tilted by the difference, and its ends are higher or lower accordingly.
double form_lift_um(const Measured& m) {
  const Eigen::Vector2d& slope = m.floor.form_slope;
  const double cols_um = m.body.cols * std::abs(m.frame.x.scale_mm) * 1e3,
               rows_um = m.body.rows * std::abs(m.frame.y.scale_mm) * 1e3;
  return (std::abs(slope.x()) * cols_um + std::abs(slope.y()) * rows_um) / 2;
}

}  // namespace

HeightNoise mean_noise(const TopNoise& top) { return {top.mean_um, 0, 0, 0, false}; }

HeightNoise order_noise(const OrderStatistic& s, const Measured& m, const TopNoise& top) {
  const double n = m.heights.valid, r = s.rank;
  const double rho = std::max(m.heights.correlation.neighbour, m.floor.correlation.neighbour);
  const double sides = rho > 0 ? std::asin(rho) / rho * 2 / M_PI : 2 / M_PI;
  const double correlation = 1 + (top.correlation - 1) * sides;
  const double scatter = n * std::sqrt(r * (n - r + 1) / ((n + 1) * (n + 1) * (n + 2)) * correlation);
  const double ranks = std::max(1.0, static_cast<double>(s.high_rank) - s.low_rank);
  const double spacing_um = (static_cast<double>(s.high_nm) - s.low_nm) / ranks * 1e-3;
  const double p = (r - 0.375) / (n + 0.25);
  const double z = normal_quantile(p);
  const double normal = top.pixel_um * rank_scatter(p, z, n) * std::sqrt(correlation);
  const double lift = std::abs(r - (n + 1) / 2) <= 1 ? 0 : top.pixel_um * std::abs(z);
  return {std::max(scatter * spacing_um, normal), lift + std::abs(2 * p - 1) * form_lift_um(m), 0, 0, true};
}

HeightNoise extreme_noise(const Measured& m, const TopNoise& top) {
  return {top.mean_um, top.pixel_um * highest_of_normal(0.95, m.heights.valid) + form_lift_um(m), 0, 0, true};
}

HeightNoise top_mean_noise(double k, const Measured& m, const TopNoise& top) {
  const double share = k / m.heights.valid;
  if (share >= 1) return {top.mean_um, 0, 0, 0, true};
  const double own = top.pixel_um / std::sqrt(std::max(1.0, k / top.correlation));
  return {std::sqrt(own * own + top.mean_um * top.mean_um),
          top.pixel_um * normal_density(normal_quantile(share)) / share + (1 - share) * form_lift_um(m), 0, 0,
          true};
}

HeightNoise opened_noise(const Measured& m, const TopNoise& top) {
  const double patches = m.heights.patches;
  const double few = 9 / std::min(9.0, m.noise.correlation_over(4, 4)),
               many = 9 / std::min(9.0, m.noise.correlation_over(2, 2));
  /// Probability that the best of `of` patches stays below.
  const auto below = [](double probability, double of, double values) {
    return -normal_quantile(std::pow(-std::expm1(std::log(probability) / of), 1 / values));
  };
  const double low = below(0.05, std::max(1.0, patches / 4), many), high = below(0.95, patches, few);
  return {top.mean_um, top.pixel_um * std::max(std::abs(low), std::abs(high)) + form_lift_um(m), 0, 0, true};
}

namespace {

/// Terms of heights computed from phases. The budget uses the noise visible in top and floor; a phase's noise
/// enters where it is larger. The model's errors at top and floor are treated as independent.
void add_phase_terms(std::vector<UncertaintyTerm>& budget, const TopNoise& top, const Measured& m) {
  if (!m.frame.phase_uncertainty) return;
  const PhaseUncertainty& phase = *m.frame.phase_uncertainty;
  const double unseen = std::max(0.0, phase.noise_um * phase.noise_um - top.pixel_um * top.pixel_um);
  const double independent = std::max(1.0, m.heights.valid / top.correlation);
  budget.push_back({"phase_noise", std::sqrt(unseen / independent)});
  budget.push_back({"phase_model", std::sqrt(2.0) * phase.model_um});
}

/// Effect of the sensor's linearity deviation on a slope. Heights within a hundredth of the measuring range
/// share their deviation, so a smaller rise has proportionally less.
double linearity_slope(double slope, const Measured& m) {
  const double way_um = m.component.body.size_mm.minCoeff() * 1e3;
  const double alike_um = (m.sensor.z_max_mm - m.sensor.z_min_mm) * 10;
  return std::sqrt(2.0) * m.sensor.linearity_um * std::min(1.0, slope * way_um / alike_um) / way_um;
}

}  // namespace

std::vector<UncertaintyTerm> height_budget(double height_um, const HeightNoise& noise, double slope,
                                           const TopNoise& top, const Measured& m) {
  std::vector<UncertaintyTerm> budget{
      {"top_noise", noise.random},
      {m.floor.from_warp ? "floor_warp_model" : "floor", m.floor.u_um},
      {"floor_correlation", unseen_floor_um(m)},
      {"floor_surface", m.component.surface_um.value_or(m.recipe.floor.surface_um) / std::sqrt(3.0)},
      {"scale", std::abs(height_um) * m.sensor.scale_uncertainty_ppm * 1e-6},
      {"linearity", std::sqrt(2.0) * m.sensor.linearity_um},
      {"reproducibility", m.recipe.uncertainty.reproducibility_um},
      {"position", slope * m.recipe.uncertainty.position_mm * 1e3},
      {"quantisation", height_quantisation_um(noise.picked, m)},
  };
  add_phase_terms(budget, top, m);
  return budget;
}

std::vector<Bound> height_bounds(const HeightNoise& noise, const TopNoise& top) {
  return {{"rank_lift", noise.lift}, {"missing", noise.missing}, {"rim", std::max(noise.rim, top.rim_um)}};
}

std::vector<UncertaintyTerm> tilt_budget(double slope, const TopNoise& top, const Measured& m) {
  constexpr double mdeg = 180e3 / M_PI;
  std::vector<UncertaintyTerm> budget{
      {"top_noise", std::sqrt(top.slope_x * top.slope_x + top.slope_y * top.slope_y) * mdeg},
      {m.floor.from_warp ? "floor_warp_model" : "floor", floor_slope(m) * mdeg},
      {"linearity", linearity_slope(slope, m) * mdeg},
  };
  const double lost = slope * m.body.slope_loss.share(top.pixel_um);
  add_bounds(budget,
             {{"quantisation", slope_quantisation(m) * mdeg},
              {"missing", lost * mdeg},
              {"rim", top.rim_slope * mdeg}},
             m.recipe.rule_confidence);
  return budget;
}

std::vector<UncertaintyTerm> presence_budget(const Measured& m) {
  const HeightStatistics& h = m.heights;
  // Noise decides on which side of the threshold a pixel lies: its correlation counts, not that of the top's
  // form.
  const double n = std::max(1.0, h.valid / m.noise.correlation_over(m.body.rows, m.body.cols));
  const double share = (static_cast<double>(h.present) / h.valid * n + 1) / (n + 2);
  std::vector<UncertaintyTerm> budget{{"sampling", 1000 * std::sqrt(share * (1 - share) / (n + 3))}};
  const double missing = 1000.0 * m.body.missing / std::max(1u, m.body.pixels);
  add_bounds(budget, {{"missing", missing}}, m.recipe.rule_confidence);
  return budget;
}

double combined(const std::vector<UncertaintyTerm>& budget) {
  double sum = 0;
  for (const UncertaintyTerm& term : budget) sum += term.u * term.u;
  return std::sqrt(sum);
}

void add_bounds(std::vector<UncertaintyTerm>& budget, const std::vector<Bound>& bounds, double confidence) {
  if (bounds.empty()) return;
  const double z = std::min(1.645, std::max(0.1, normal_quantile(confidence)));
  double u = combined(budget);
  for (const Bound& bound : bounds) {
    const double more = bound.size / z;
    budget.push_back({bound.name, std::sqrt(more * (more + 2 * u))});
    u += more;
  }
}

}  // namespace datum
