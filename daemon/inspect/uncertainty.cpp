#include "daemon/inspect/uncertainty.h"

#include <algorithm>
#include <cmath>

namespace datum {
namespace {

double n_eff(const HeightStatistics& h) { return h.valid / h.correlation.sum; }

/// Scatter of one pixel about the top's plane.
double pixel_noise_um(const HeightStatistics& h) {
  return (h.top.defined ? h.top.residual_rms_nm : std::sqrt(h.variance_nm2)) * 1e-3;
}

double normal_quantile_bound(double tail) { return tail < 0.5 ? std::sqrt(-2 * std::log(2 * tail)) : 0; }

/// What is left of rounding to the LSB of z. Noise of standard deviation s dithers it: the mean error of a
/// rounded value is at most LSB / pi * exp(-2 pi^2 s^2 / LSB^2) (first term of its Fourier series), a
/// sinusoid, so over sqrt 2. A picked value keeps the whole LSB / sqrt 12 unless the floor's slope shifts the
/// steps along the body.
double quantisation_um(bool picked, const Measured& m) {
  if (std::holds_alternative<std::vector<float>>(m.frame.counts)) return 0;
  const double lsb = std::abs(m.frame.z.scale_mm) * 1e3;
  if (picked) {
    const double way_x = m.component.body.size_mm.x() * 1e3, way_y = m.component.body.size_mm.y() * 1e3;
    const double steps = (std::abs(m.floor.fit.a) * std::min(way_x, way_y) +
                          std::abs(m.floor.fit.b) * std::min(way_x, way_y)) /
                         lsb;
    return lsb / std::sqrt(12.0) / std::max(1.0, steps);
  }
  const double s = std::min(m.floor.evidence.rms_um, pixel_noise_um(m.heights)) / lsb;
  return lsb / M_PI / std::sqrt(2.0) * std::exp(-2 * M_PI * M_PI * s * s);
}

}  // namespace

HeightNoise mean_noise(const HeightStatistics& h, const Floor& floor) {
  const double s2 = h.variance_nm2 * 1e-6;
  const double expected = s2 + floor.noise_um * floor.noise_um * (floor.correlation.sum - 1);
  const double own = s2 + h.correlated_nm2 * 1e-6;
  const double scatter = h.correlation.sum > 1 ? h.correlated_nm2 * 1e-6 / (h.correlation.sum - 1) *
                                                     h.correlation.scatter(h.valid)
                                               : 0;
  return {std::sqrt((own > expected + 2 * scatter ? own : expected) / h.valid), 0, false};
}

HeightNoise order_noise(const OrderStatistic& s, const HeightStatistics& h, const Floor& floor, double tail) {
  const double n = h.valid, r = s.rank;
  const bool own = h.correlation.sum > floor.correlation.sum + 2 * h.correlation.scatter(n);
  const Correlation& c = own ? h.correlation : floor.correlation;
  const double sides = c.neighbour > 0 ? std::asin(c.neighbour) / c.neighbour * 2 / M_PI : 2 / M_PI;
  const double correlation = 1 + (c.sum - 1) * sides;
  const double rank_scatter = n * std::sqrt(r * (n - r + 1) / ((n + 1) * (n + 1) * (n + 2)) * correlation);
  const double ranks = std::max(1.0, static_cast<double>(s.high_rank) - s.low_rank);
  const double spacing_um = (static_cast<double>(s.high_nm) - s.low_nm) / ranks * 1e-3;
  return {rank_scatter * spacing_um, pixel_noise_um(h) * normal_quantile_bound(tail), true};
}

HeightNoise extreme_noise(const HeightStatistics& h, double tail) {
  const double s = pixel_noise_um(h);
  return {s / std::sqrt(std::max(1.0, tail * n_eff(h))), s * normal_quantile_bound(tail), true};
}

HeightNoise opened_noise(const HeightStatistics& h) {
  const double s = pixel_noise_um(h);
  return {0.3 * s, 0.54 * s, true};
}

namespace {

/// Of heights made from phases. The noise that the budget reckons with is the one that top and floor show; a phase's
/// noise enters where it is more than that. The model's error at the top and at the floor are taken as independent.
void add_phase_terms(std::vector<UncertaintyTerm>& budget, const Measured& m) {
  if (!m.frame.phase_uncertainty) return;
  const PhaseUncertainty& phase = *m.frame.phase_uncertainty;
  const double seen = pixel_noise_um(m.heights);
  const double unseen = std::max(0.0, phase.noise_um * phase.noise_um - seen * seen);
  budget.push_back({"phase_noise", std::sqrt(unseen / std::max(1.0, n_eff(m.heights)))});
  budget.push_back({"phase_model", std::sqrt(2.0) * phase.model_um});
}

}  // namespace

std::vector<UncertaintyTerm> height_budget(double height_um, const HeightNoise& noise, double slope,
                                           const Measured& m) {
  const double root3 = std::sqrt(3.0);
  std::vector<UncertaintyTerm> budget{
      {"top_noise", noise.random},
      {"rank_lift", noise.lift / root3},
      {m.floor.from_warp ? "floor_warp_model" : "floor", m.floor.u_um},
      {"floor_surface", m.recipe.floor.surface_um / root3},
      {"scale", std::abs(height_um) * m.sensor.scale_uncertainty_ppm * 1e-6},
      {"linearity", std::sqrt(2.0) * m.sensor.linearity_um},
      {"reproducibility", m.recipe.uncertainty.reproducibility_um},
      {"position", slope * m.recipe.uncertainty.position_mm * 1e3},
      {"quantisation", quantisation_um(noise.picked, m)},
  };
  add_phase_terms(budget, m);
  return budget;
}

std::vector<UncertaintyTerm> tilt_budget(const Measured& m) {
  constexpr double mdeg = 180e3 / M_PI;
  const TopPlane& t = m.heights.top;
  const double top_variance = t.residual_rms_nm * t.residual_rms_nm + m.heights.correlated_nm2;
  const double top_det = t.scc * t.srr - t.scr * t.scr;
  const double px_x_nm = m.frame.x.scale_mm * 1e6, px_y_nm = m.frame.y.scale_mm * 1e6;
  const double top = top_variance / top_det * (t.srr / (px_x_nm * px_x_nm) + t.scc / (px_y_nm * px_y_nm));
  if (m.floor.from_warp)
    return {{"top_noise", std::sqrt(top) * mdeg}, {"floor_warp_model", m.floor.u_slope * mdeg}};
  const PlaneFit& f = m.floor.fit;
  const double floor_det = f.sxx * f.syy - f.sxy * f.sxy;
  const double floor =
      m.floor.noise_um * m.floor.noise_um * m.floor.correlation.sum * (f.syy + f.sxx) / floor_det;
  return {{"top_noise", std::sqrt(top) * mdeg}, {"floor", std::sqrt(floor) * mdeg}};
}

std::vector<UncertaintyTerm> presence_budget(const HeightStatistics& h) {
  const double n = std::max(1.0, n_eff(h));
  const double share = (static_cast<double>(h.present) / h.valid * n + 1) / (n + 2);
  return {{"sampling", 1000 * std::sqrt(share * (1 - share) / (n + 3))}};
}

double combined(const std::vector<UncertaintyTerm>& budget) {
  double sum = 0;
  for (const UncertaintyTerm& term : budget) sum += term.u * term.u;
  return std::sqrt(sum);
}

}  // namespace datum
