#include "daemon/inspect/floor_evidence.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>

#include "gpu/component_height/component_height_math.h"
#include "gpu/component_height/residual_correlation.h"
#include "gpu/core/vector_loop.h"

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
  std::array<std::uint32_t, ring_sides> side_inliers{};
  std::uint32_t inliers = 0;
  Quadratic form;  // of the inliers' residuals, each piece of a row as one point of its weight
};

DATUM_HD double residual_um(const SitePixels& p, std::size_t at, const PlaneFit& fit) {
  return p.ring_z[at] - (fit.a * p.ring_x[at] + (fit.b * p.ring_y[at] + fit.c));
}

/// Inliers of up to piece_px neighbours of one row.
struct Piece {
  double n = 0, sum = 0, x = 0, y = 0;  // their number, residuals, places
};

/// One piece per piece_px pixels of each run, summed by halves, so that no sum waits for a long chain.
DATUM_HD void sum_pieces(const Site& site, const SitePixels& pixels, const PlaneFit& fit, double refit_um,
                         Piece* pieces) {
  std::size_t at = 0;
  for (const PixelRun& run : site.ring) {
    for (std::int32_t left = run.length; left > 0; left -= piece_px, ++pieces) {
      const std::int32_t length = left < piece_px ? left : piece_px;
      double n[piece_px] = {}, sum[piece_px] = {}, x[piece_px] = {};
      const std::size_t first = at;
      for (std::int32_t k = 0; k < length; ++k) {
        const double residual = residual_um(pixels, first + static_cast<std::size_t>(k), fit);
        const bool inlier = std::abs(residual) <= refit_um;
        n[k] = inlier ? 1.0 : 0.0;
        sum[k] = inlier ? residual : 0.0;
        x[k] = inlier ? static_cast<double>(pixels.ring_x[first + static_cast<std::size_t>(k)]) : 0.0;
      }
      for (int half = piece_px / 2; half > 0; half /= 2) {
        for (int k = 0; k < half; ++k) {
          n[k] += n[k + half];
          sum[k] += sum[k + half];
          x[k] += x[k + half];
        }
      }
      *pieces = Piece{n[0], sum[0], x[0], static_cast<double>(pixels.ring_y[at])};
      at += static_cast<std::size_t>(length);
    }
  }
}

RingPass pass_over(const Site& site, const SitePixels& pixels, const PlaneFit& fit, double refit_um,
                   Isa isa) {
  const auto pieces_of = [](const PixelRun& run) {
    return static_cast<std::size_t>((run.length + piece_px - 1) / piece_px);
  };
  std::size_t count = 0;
  for (const PixelRun& run : site.ring) count += pieces_of(run);
  std::vector<Piece> pieces(count);
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP { sum_pieces(site, pixels, fit, refit_um, pieces.data()); });
  RingPass pass;
  const double to_u = 1e-3 / site.half_mm.x(), to_v = 1e-3 / site.half_mm.y();
  const Piece* piece = pieces.data();
  for (std::size_t r = 0; r < site.ring.size(); ++r) {
    for (std::size_t left = pieces_of(site.ring[r]); left > 0; --left, ++piece) {
      const auto n = static_cast<std::uint32_t>(piece->n);
      pass.side_inliers[site.ring_side[r]] += n;
      pass.inliers += n;
      if (n > 0) pass.form.add(piece->x / piece->n * to_u, piece->y * to_v, piece->n, piece->sum);
    }
  }
  return pass;
}

/// Residuals of the inliers over the plane and a quadratic on it, in steps of sigma / 32; 0 elsewhere.
DATUM_HD void fill_residual_steps(const Site& site, const SitePixels& pixels, const PlaneFit& fit,
                                  const FloorThresholds& t, const Vector6& q, std::int16_t* steps) {
  const double to_u = 1e-3 / site.half_mm.x(), to_v = 1e-3 / site.half_mm.y();
  const double per_um = steps_per_sigma / t.sigma_um;
  std::size_t at = 0;
  for (const PixelRun& run : site.ring) {
    const double v = pixels.ring_y[at] * to_v;
    const double q0 = q[0] + v * (q[2] + v * q[5]), q1 = q[1] + v * q[4];
    for (const std::size_t end = at + static_cast<std::size_t>(run.length); at < end; ++at) {
      const double residual = residual_um(pixels, at, fit), u = pixels.ring_x[at] * to_u;
      const bool inlier = std::abs(residual) <= t.refit_um;
      steps[at] = height::residual_step(inlier ? residual - (q0 + u * (q1 + u * q[3])) : 0.0, per_um);
    }
  }
}

/// Variance of the plane at a point, over the variance of one independent residual (METROLOGY S9).
double plane_leverage(const PlaneFit& fit, const Eigen::Vector2d& at_um) {
  const double dx = at_um.x() - fit.mean_x, dy = at_um.y() - fit.mean_y;
  const double det = fit.sxx * fit.syy - fit.sxy * fit.sxy;
  return 1.0 / fit.inliers + (dx * dx * fit.syy - 2 * dx * dy * fit.sxy + dy * dy * fit.sxx) / det;
}

/// Root of the residuals' mean square, divisor n less the fitted parameters.
double rms_um(const std::vector<std::int16_t>& steps, std::uint32_t n, int fitted, double sigma_um) {
  std::int64_t squares = 0;
  for (std::int16_t s : steps) squares += s * s;
  const double freedom = std::max(1.0, static_cast<double>(n) - fitted);
  return std::sqrt(static_cast<double>(squares) / freedom) * sigma_um / steps_per_sigma;
}

void set_fit(const PlaneFit& fit, const Site& site, FloorEvidence& e) {
  e.a = fit.a;
  e.b = fit.b;
  e.c_um = fit.c + site.reference_z_mm * 1e3;
  e.rms_um = fit.rms;
  e.inliers = fit.inliers;
  e.inlier_ratio = static_cast<double>(fit.inliers) / fit.valid;
  e.hypotheses = fit.hypotheses;
  e.refits = fit.refits;
  e.tilt_deg = std::atan(std::hypot(fit.a, fit.b)) * 180 / M_PI;
}

}  // namespace

void collect_evidence(const Site& site, const SitePixels& pixels, const FloorThresholds& t, FloorForm form,
                      Isa isa, Floor& floor) {
  const PlaneFit& fit = floor.fit;
  FloorEvidence& e = floor.evidence;
  e.sigma_um = t.sigma_um;
  e.centre_x_mm = site.centre_mm.x();
  e.centre_y_mm = site.centre_mm.y();
  e.pixels = site.ring_pixels;
  e.valid = fit.valid;
  if (fit.status != FitStatus::ok) return;
  set_fit(fit, site, e);
  const RingPass pass = pass_over(site, pixels, fit, t.refit_um, isa);
  e.side_inliers = pass.side_inliers;

  const Eigen::LDLT<Matrix6> solver(pass.form.normal.selfadjointView<Eigen::Lower>());
  const bool has_form = solver.info() == Eigen::Success && solver.rcond() > 1e-10;
  const Vector6 at =
      Quadratic::basis(site.body_mm.x() / site.half_mm.x(), site.body_mm.y() / site.half_mm.y());
  const Vector6 q = has_form ? Vector6(solver.solve(pass.form.right)) : Vector6(Vector6::Zero());
  const bool use_form = has_form && form == FloorForm::quadratic;
  const int fitted = use_form ? 6 : 3;
  std::vector<std::int16_t> steps(site.ring_pixels);
  const Vector6 used = use_form ? q : Vector6(Vector6::Zero());
  vector_loop(isa,
              [&]() DATUM_VECTOR_LOOP { fill_residual_steps(site, pixels, fit, t, used, steps.data()); });
  floor.correlation = residual_correlation(site.ring.data(), static_cast<std::uint32_t>(site.ring.size()),
                                           steps.data(), pass.inliers, fitted, isa);
  floor.noise_um = rms_um(steps, pass.inliers, fitted, t.sigma_um);
  e.effective_n = fit.inliers / floor.correlation.sum;
  const double variance = floor.noise_um * floor.noise_um * floor.correlation.sum;
  e.form_um = at.dot(q);
  e.u_form_um = has_form ? std::sqrt(variance * std::max(0.0, at.dot(Vector6(solver.solve(at))))) : 0;
  floor.form_um = use_form ? e.form_um : 0;
  // the quadratic's uncertainty holds the plane's: both are one least-squares fit
  floor.u_um = use_form ? e.u_form_um : std::sqrt(variance * plane_leverage(fit, site.body_mm * 1e3));
}

}  // namespace datum
