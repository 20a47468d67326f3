#include "daemon/inspection/board/top_noise.h"

#include <algorithm>
#include <cmath>

#include "daemon/inspection/board/frame_noise.h"
#include "daemon/inspection/verdict/normal.h"

namespace datum {
namespace {

constexpr std::uint32_t few_pixels = 16;

/// The frame's noise over one body's shape.
struct Shown {
  double pixel_um2 = 0;
  ShownVariance mean, half_x, half_y;  // over the body, and over halves of it
  double left_um2 = 0;                 // expected residual variance about the body's own plane
};

ShownVariance larger(const ShownVariance& a, const ShownVariance& b) { return a.u() > b.u() ? a : b; }

Shown shown_over(const Measured& m) {
  const double n = m.heights.valid;
  const double rows = std::max(1.0, m.body.rows), cols = std::max(1.0, m.body.cols);
  Shown s;
  if (m.noise.pixels() == 0) {
    s.pixel_um2 = m.floor.noise_um * m.floor.noise_um;
    s.mean = {s.pixel_um2 * m.floor.correlation.sum / n, n};
    s.half_x = s.half_y = {2 * s.mean.um2, n};
  } else {
    s.pixel_um2 = m.noise.pixel_um2();
    s.mean = larger(m.noise.mean_over(rows, n / rows), m.noise.mean_over(n / cols, cols));
    s.half_x = m.noise.mean_over(rows, std::max(1.0, n / rows / 2));
    s.half_y = m.noise.mean_over(std::max(1.0, n / cols / 2), cols);
  }
  const double taken = s.mean.um2 + (s.half_x.um2 + s.half_y.um2) / 2;
  s.left_um2 = std::max(0.1 * s.pixel_um2, s.pixel_um2 - taken);
  return s;
}

/// Variance of one pixel about the top's own plane; 0 for too few pixels.
double own_um2(const HeightStatistics& h) {
  return h.top.defined ? h.top.residual_rms_nm * h.top.residual_rms_nm * 1e-6 : 0;
}

double square(double v) { return v * v; }

/// Ratio of the top's variance to that of the frame's rings; below 1 only where significant.
double ratio_of(const Measured& m, const Shown& s, double own_um2) {
  const double n = m.heights.valid;
  if (!(s.pixel_um2 > 0)) return 1;
  const double independent = n / m.noise.correlation_over(m.body.rows / 2, m.body.cols / 2);
  const double student = student_ratio(independent - 3);
  // A large top quieter than the rings does not share their structure: the board's form or texture.
  const double quiet = own_um2 * (1 + 2 * std::sqrt(2 / std::max(2.0, independent - 3))) / s.left_um2;
  if (independent > few_pixels && s.left_um2 > s.pixel_um2 / 2 && quiet < 1) return quiet;
  double ratio = std::max(1.0, own_um2 * student * student / std::max(s.left_um2, 0.3 * s.pixel_um2));
  ratio = std::max(ratio, square(m.floor.noise_um) / s.pixel_um2);
  if (n < few_pixels) ratio = std::max(ratio, square(m.floor.evidence.sigma_um) / s.pixel_um2);
  return ratio;
}

/// From the top's own pixels: (s^2 + s_f^2 (S_f - 1)) / n, s their standard deviation (`s2` its square), s_f
/// and S_f noise and correlation of the larger floor; s^2 S / n instead where it exceeds that by more than
/// two standard deviations of S.
double own_mean_um2(const HeightStatistics& h, const Floor& floor, double s2) {
  const double expected = s2 + floor.noise_um * floor.noise_um * (floor.correlation.sum - 1);
  const double own = s2 + h.correlated_nm2 * 1e-6;
  const double scatter = h.correlation.sum > 1 ? h.correlated_nm2 * 1e-6 / (h.correlation.sum - 1) *
                                                     h.correlation.scatter(h.valid)
                                               : 0;
  return square(student_ratio(h.valid - 1.0)) * (own > expected + 2 * scatter ? own : expected) / h.valid;
}

void set_slopes(const Measured& m, const Shown& s, double ratio, TopNoise& t) {
  const TopPlane& top = m.heights.top;
  if (!top.defined) return;
  const double n = m.heights.valid, det = top.scc * top.srr - top.scr * top.scr;
  const double own = (own_um2(m.heights) + m.heights.correlated_nm2 * 1e-6) * square(student_ratio(n - 3));
  const auto of = [&](const ShownVariance& half) { return std::max(own, ratio * square(half.u()) * n / 2); };
  t.slope_x = std::sqrt(of(s.half_x) * top.srr / det) / (m.frame.x.scale_mm * 1e3);
  t.slope_y = std::sqrt(of(s.half_y) * top.scc / det) / (m.frame.y.scale_mm * 1e3);
}

void set_rim(const Measured& m, const Shown& s, double own, TopNoise& t) {
  const double n = m.heights.valid;
  const RimShift& rim = m.body.rim;
  if (!rim.defined) {
    const double most = s.left_um2 * std::max(1.0, square(m.floor.noise_um) / std::max(1e-12, s.pixel_um2)) *
                        (1 + 2 * std::sqrt(2 / std::max(1.0, n - 3)));
    t.rim_um = own > most ? std::sqrt(3 * (own - most)) * student_ratio(n - 3) : 0;
    return;
  }
  const double ratio = ratio_of(m, s, square(rim.inner_rms_um));
  const double more = rim.share / (1 - rim.share);
  if (std::abs(rim.mean_um) > 2 * s.mean.u() * std::sqrt(ratio * more)) {
    // the pixels next to the rim may share its effect
    t.rim_um = std::abs(rim.mean_um) * (1 + rim.next_share / rim.share);
    // Scatter at the border has the weight w^2 / 4 in a slope, uniform scatter w^2 / 12.
    t.slope_x *= std::sqrt(3.0);
    t.slope_y *= std::sqrt(3.0);
  }
  const double most = 1.33 * std::sqrt(ratio * s.pixel_um2) * highest_of_normal(0.95, n * rim.share);
  if (rim.highest_um > most) t.rim_high_um = rim.highest_um;
  if (-rim.lowest_um > most) t.rim_low_um = -rim.lowest_um;
  const auto by_chance = [&](double slope, double u, double moments) {
    return std::abs(slope) <= 3 * u * std::sqrt(std::max(0.0, moments - 1));
  };
  if (!by_chance(rim.slope.x(), t.slope_x, rim.moments.x()) ||
      !by_chance(rim.slope.y(), t.slope_y, rim.moments.y()))
    t.rim_slope = rim.slope.norm();
}

}  // namespace

TopNoise top_noise_of(const Measured& m) {
  const Shown s = shown_over(m);
  const double own = own_um2(m.heights), ratio = ratio_of(m, s, own), n = m.heights.valid;
  TopNoise t;
  t.pixel_um = std::sqrt(std::max(own * square(student_ratio(n - 3)), s.pixel_um2 * ratio));
  const double shown_um2 = ratio * square(s.mean.u()), all_um2 = m.heights.variance_nm2 * 1e-6;
  t.mean_um = std::sqrt(std::max(own_mean_um2(m.heights, m.floor, all_um2), shown_um2));
  // Form, especially a tilt, increases scatter without correlating neighbours.
  const double noise_um2 =
      std::max(own_mean_um2(m.heights, m.floor, m.heights.top.defined ? own : all_um2), shown_um2);
  t.correlation = t.pixel_um > 0 ? std::max(1.0, noise_um2 * n / square(t.pixel_um)) : 1;
  set_slopes(m, s, ratio, t);
  set_rim(m, s, own, t);
  return t;
}

namespace {

/// The frame's noise over a ring: factor on the variance of independent pixels, including Student's t
/// squared. A ring consists of four strips; in one of them at most a quarter of the ring correlates.
double ring_correlation(const Measured& m) {
  const double rows = 2 * m.site.half_mm.y() / m.frame.y.scale_mm,
               cols = 2 * m.site.half_mm.x() / m.frame.x.scale_mm;
  const double n = m.floor.fit.inliers, width = std::max(1.0, n / (2 * (rows + cols)));
  const ShownVariance strip = larger(m.noise.mean_over(rows, width), m.noise.mean_over(width, cols));
  const double length = strip.um2 == m.noise.mean_over(rows, width).um2 ? rows : cols;
  if (!(strip.um2 > 0)) return 1;
  return std::min(strip.um2 * length * width / m.noise.pixel_um2(), n / 4) *
         square(student_ratio(strip.freedom));
}

}  // namespace

double unseen_floor_um(const Measured& m) {
  if (m.floor.from_warp || m.noise.pixels() == 0) return 0;
  const PlaneFit& f = m.floor.fit;
  const double dx = m.site.body_mm.x() * 1e3 - f.mean_x, dy = m.site.body_mm.y() * 1e3 - f.mean_y;
  const double det = f.sxx * f.syy - f.sxy * f.sxy;
  const double leverage = 1.0 / f.inliers + (dx * dx * f.syy - 2 * dx * dy * f.sxy + dy * dy * f.sxx) / det;
  const double noise2 = square(m.floor.noise_um);
  const bool form = m.recipe.floor.form == FloorForm::quadratic && m.floor.evidence.u_form_um > 0;
  const double variance =
      form ? square(m.floor.evidence.u_form_um) / m.floor.correlation.sum : noise2 * leverage;
  return std::sqrt(std::max(0.0, variance * ring_correlation(m) - square(m.floor.u_um)));
}

double floor_slope(const Measured& m) {
  if (m.floor.from_warp) return m.floor.u_slope;
  const PlaneFit& f = m.floor.fit;
  const double det = f.sxx * f.syy - f.sxy * f.sxy;
  const double noise2 = std::max(square(m.floor.noise_um), m.noise.pixel_um2());
  const double shown =
      std::sqrt(noise2 * std::max(m.floor.correlation.sum, ring_correlation(m)) * (f.syy + f.sxx) / det);
  return std::max(shown, m.floor.u_slope);
}

}  // namespace datum
