#include "daemon/inspect/floor_evidence.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>

#include "gpu/component_height/component_height_math.h"
#include "gpu/component_height/residual_correlation.h"

namespace datum {
namespace {

constexpr double steps_per_sigma = 32;
constexpr int piece_px = 16;

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// Normal equations of a quadratic in coordinates of about -1 to 1.
struct Quadratic {
  Matrix6 normal = Matrix6::Zero();
  Vector6 right = Vector6::Zero();
  static Vector6 basis(double u, double v) { return Vector6(1, u, v, u * u, u * v, v * v); }
  void add(double u, double v, double n, double sum) {
    const Vector6 f = basis(u, v);
    normal.selfadjointView<Eigen::Lower>().rankUpdate(f, n);
    right += sum * f;
  }
};

struct RingPass {
  std::vector<std::int16_t> steps;  // residuals of the inliers
  std::array<std::uint32_t, ring_sides> side_inliers{};
  std::uint32_t inliers = 0;
  Quadratic form;
};

RingPass pass_over(const Site& site, const SitePixels& pixels, const PlaneFit& fit,
                   const FloorThresholds& t) {
  RingPass pass;
  pass.steps.resize(site.ring_pixels);
  const double to_u = 1e-3 / site.half_mm.x(), to_v = 1e-3 / site.half_mm.y();
  std::size_t at = 0;
  for (std::size_t r = 0; r < site.ring.size(); ++r) {
    const std::size_t end = at + static_cast<std::size_t>(site.ring[r].length);
    while (at < end) {
      const std::size_t piece_end = std::min(end, at + piece_px);
      std::uint32_t n = 0;
      std::int64_t sum = 0;
      double x = 0;
      const double y = pixels.ring_y[at];
      for (; at < piece_end; ++at) {
        const double residual = pixels.ring_z[at] - (fit.a * pixels.ring_x[at] + (fit.b * y + fit.c));
        if (std::abs(residual) <= t.refit_um) {
          pass.steps[at] = height::residual_step(residual, steps_per_sigma / t.sigma_um);
          sum += pass.steps[at];
          x += pixels.ring_x[at];
          ++n;
        }
      }
      pass.side_inliers[site.ring_side[r]] += n;
      pass.inliers += n;
      if (n > 0)
        pass.form.add(x / n * to_u, y * to_v, n, static_cast<double>(sum) * t.sigma_um / steps_per_sigma);
    }
  }
  return pass;
}

/// Variance of the plane at a point, over the variance of one independent residual (METROLOGY S9).
double plane_leverage(const PlaneFit& fit, const Eigen::Vector2d& at_um) {
  const double dx = at_um.x() - fit.mean_x, dy = at_um.y() - fit.mean_y;
  const double det = fit.sxx * fit.syy - fit.sxy * fit.sxy;
  return 1.0 / fit.inliers + (dx * dx * fit.syy - 2 * dx * dy * fit.sxy + dy * dy * fit.sxx) / det;
}

void set_form(const Site& site, const Quadratic& form, double variance, FloorEvidence& e) {
  const Eigen::LDLT<Matrix6> solver(form.normal.selfadjointView<Eigen::Lower>());
  if (solver.info() != Eigen::Success || !(solver.rcond() > 1e-10)) return;
  const Vector6 at =
      Quadratic::basis(site.body_mm.x() / site.half_mm.x(), site.body_mm.y() / site.half_mm.y());
  const Vector6 weights = solver.solve(at);
  e.form_um = weights.dot(form.right);
  e.u_form_um = std::sqrt(variance * std::max(0.0, at.dot(weights)));
}

}  // namespace

void collect_evidence(const Site& site, const SitePixels& pixels, const FloorThresholds& t, Floor& floor) {
  const PlaneFit& fit = floor.fit;
  FloorEvidence& e = floor.evidence;
  e.sigma_um = t.sigma_um;
  e.centre_x_mm = site.centre_mm.x();
  e.centre_y_mm = site.centre_mm.y();
  e.pixels = site.ring_pixels;
  e.valid = fit.valid;
  if (fit.status != FitStatus::ok) return;
  e.a = fit.a;
  e.b = fit.b;
  e.c_um = fit.c + site.reference_z_mm * 1e3;
  e.rms_um = fit.rms;
  e.inliers = fit.inliers;
  e.inlier_ratio = static_cast<double>(fit.inliers) / fit.valid;
  e.hypotheses = fit.hypotheses;
  e.refits = fit.refits;
  e.tilt_deg = std::atan(std::hypot(fit.a, fit.b)) * 180 / M_PI;
  const RingPass pass = pass_over(site, pixels, fit, t);
  e.side_inliers = pass.side_inliers;
  floor.correlation = residual_correlation(site.ring.data(), static_cast<std::uint32_t>(site.ring.size()),
                                           pass.steps.data(), pass.inliers);
  e.effective_n = fit.inliers / floor.correlation;
  const double variance = fit.rms * fit.rms * floor.correlation;
  floor.u_um = std::sqrt(variance * plane_leverage(fit, site.body_mm * 1e3));
  set_form(site, pass.form, variance, e);
}

}  // namespace datum
