#include "daemon/inspection/verdict/quantisation.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace datum {
namespace {

struct Rounded {
  double scatter = 0;   // of its rounded heights about their plane, LSB
  double steps = 0;     // across it by its slopes, LSB
  double width_um = 0;  // of its shorter side
};

Rounded top_of(const Measured& m, double lsb) {
  const HeightStatistics& h = m.heights;
  const Eigen::Vector2d size_um(m.body.cols * m.frame.x.scale_mm * 1e3,
                                m.body.rows * m.frame.y.scale_mm * 1e3);
  const double x = m.floor.fit.a + h.top.slope_col_nm * 1e-6 / m.frame.x.scale_mm,
               y = m.floor.fit.b + h.top.slope_row_nm * 1e-6 / m.frame.y.scale_mm;
  Rounded r;
  r.scatter = (h.top.defined ? h.top.residual_rms_nm : std::sqrt(h.variance_nm2)) * 1e-3 / lsb;
  r.steps = (std::abs(x) * size_um.x() + std::abs(y) * size_um.y()) / lsb;
  r.width_um = std::max(m.frame.x.scale_mm * 1e3, size_um.minCoeff());
  return r;
}

Rounded floor_of(const Measured& m, double lsb) {
  const Eigen::Vector2d size_um = m.site.half_mm * 2e3;
  Rounded r;
  r.scatter = m.floor.evidence.rms_um / lsb;
  r.steps = (std::abs(m.floor.fit.a) * size_um.x() + std::abs(m.floor.fit.b) * size_um.y()) / lsb;
  r.width_um = std::max(m.frame.x.scale_mm * 1e3, size_um.minCoeff());
  return r;
}

}  // namespace

double left_of_rounding(double scatter, double most) {
  if (scatter < 0.6) return most;
  const double s2 = scatter * scatter - 1.0 / 12;
  return std::min(most, std::exp(-2 * M_PI * M_PI * s2) / M_PI / std::sqrt(2.0));
}

double height_quantisation_um(bool picked, const Measured& m) {
  const double lsb = lsb_um(m.frame), whole = 1 / std::sqrt(12.0);
  if (!(lsb > 0)) return 0;
  const auto mean = [&](const Rounded& r) {
    return left_of_rounding(r.scatter, whole) / std::max(1.0, r.steps);
  };
  const Rounded top = top_of(m, lsb);
  const double of_top = picked ? whole / std::max(1.0, top.steps) : mean(top),
               of_floor = m.floor.from_warp ? 0 : mean(floor_of(m, lsb));
  return lsb * std::sqrt(of_top * of_top + of_floor * of_floor);
}

double slope_quantisation(const Measured& m) {
  const double lsb = lsb_um(m.frame), whole = 1 / std::sqrt(12.0);
  if (!(lsb > 0)) return 0;
  const auto slope = [&](const Rounded& r) {
    return 1.5 * lsb / r.width_um * left_of_rounding(r.scatter, whole) / whole / std::max(1.0, r.steps);
  };
  return slope(top_of(m, lsb)) + (m.floor.from_warp ? 0 : slope(floor_of(m, lsb)));
}

}  // namespace datum
