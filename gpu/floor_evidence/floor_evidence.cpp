#include "gpu/floor_evidence/floor_evidence.h"

#include <algorithm>
#include <cmath>

#include "gpu/floor_evidence/floor_evidence_math.h"

namespace datum {
namespace {

using namespace ring_math;

/// Variance of the plane at a point, over the variance of one independent residual (METROLOGY S9).
double plane_leverage(const PlaneFit& fit, double x, double y) {
  const double dx = x - fit.mean_x, dy = y - fit.mean_y;
  const double det = fit.sxx * fit.syy - fit.sxy * fit.sxy;
  return 1.0 / fit.inliers + (dx * dx * fit.syy - 2 * dx * dy * fit.sxy + dy * dy * fit.sxx) / det;
}

/// Value of the quadratic at a point in steps, and its variance over that of one independent residual.
struct AtPoint {
  double steps = 0, leverage = 0;
};

/// Place on an axis in cells: the middle of a cell's pixels is the cell.
double cells_of(const AxisToUm& axis, const CellAxis& cells, double um) {
  const double size = std::ldexp(1.0, cells.shift);
  return ((um - axis.rest) / axis.per_index - (size - 1) / 2) / size;
}

AtPoint at_point(const Quadratic& q, const SitePlan& site, double x_um, double y_um) {
  AtPoint at;
  if (!q.defined) return at;
  const double u = q.to_u * cells_of(site.grid.x, cell_axis(site.grid.x, site.half_x), x_um);
  const double v = q.to_v * cells_of(site.grid.y, cell_axis(site.grid.y, site.half_y), y_um);
  double left[6] = {1, u, v, u * u, u * v, v * v};
  for (int i = 0; i < 6; ++i) at.steps += left[i] * q.coefficient[i];
  const double* row = q.low;
  for (int i = 0; i < 6; row += i, ++i) {
    for (int j = 0; j < i; ++j) left[i] -= row[j] * left[j];
    at.leverage += left[i] * left[i] * q.per_pivot[i];
  }
  return at;
}

}  // namespace

RingEvidence derive(const SitePlan& site, const PlaneFit& fit, const RingRecord& record, double x_um,
                    double y_um) {
  RingEvidence e;
  const Quadratic q = quadratic_of(record.moments, site);
  const bool use_form = q.defined && site.quadratic_form;
  const int fitted = use_form ? 6 : 3;
  e.correlation = correlation_of(record.residuals, record.inliers, fitted);
  e.effective_n = fit.inliers / e.correlation.sum;
  const double freedom = std::max(1.0, static_cast<double>(record.inliers) - fitted);
  e.noise_um =
      std::sqrt(static_cast<double>(record.residuals.squares) / freedom) * site.sigma_um / steps_per_sigma;
  e.second_level = record.on_floor ? static_cast<double>(record.second) / record.on_floor : 1;
  const double variance = e.noise_um * e.noise_um * e.correlation.sum;
  const AtPoint at = at_point(q, site, x_um, y_um);
  e.form_um = at.steps / static_cast<double>(plane_math::quantising_scale(site.refit_threshold));
  e.u_form_um = std::sqrt(variance * at.leverage);
  e.floor_um = use_form ? e.form_um : 0;
  // the quadratic's uncertainty holds the plane's: both are one least-squares fit
  e.u_floor_um = use_form ? e.u_form_um : std::sqrt(variance * plane_leverage(fit, x_um, y_um));
  return e;
}

}  // namespace datum
