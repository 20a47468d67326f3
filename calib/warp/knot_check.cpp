#include "calib/warp/knot_check.h"

#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace datum {
namespace {

constexpr double nearest_mm = 1e-3, thinnest = 1e-2;

void check_number(const std::vector<WarpKnot>& knots) {
  if (knots.size() < least_warp_knots)
    refuse_warp("%zu knots are too few for a surface: at least %zu are needed; add places on bare board",
                knots.size(), least_warp_knots);
  if (knots.size() > most_warp_knots)
    refuse_warp("%zu knots are more than the %zu that a surface may have", knots.size(), most_warp_knots);
  for (const WarpKnot& k : knots)
    if (!k.at_mm.allFinite() || !std::isfinite(k.z_um) || !(k.u_um >= 0) || !std::isfinite(k.u_um))
      refuse_warp("knot %s is not finite", k.name.c_str());
}

void check_isolated(const std::vector<WarpKnot>& knots) {
  for (std::size_t i = 0; i < knots.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if ((knots[i].at_mm - knots[j].at_mm).norm() < nearest_mm)
        refuse_warp("knots %s and %s lie on one place, [%.3f, %.3f] mm: leave one of them out",
                    knots[j].name.c_str(), knots[i].name.c_str(), knots[i].at_mm.x(), knots[i].at_mm.y());
}

/// Width over length from the eigenvalues of the places' scatter.
void check_spread(const std::vector<WarpKnot>& knots) {
  Eigen::Vector2d mean = Eigen::Vector2d::Zero();
  for (const WarpKnot& k : knots) mean += k.at_mm / static_cast<double>(knots.size());
  double xx = 0, xy = 0, yy = 0;
  for (const WarpKnot& k : knots) {
    const Eigen::Vector2d d = k.at_mm - mean;
    xx += d.x() * d.x();
    xy += d.x() * d.y();
    yy += d.y() * d.y();
  }
  const double half = (xx + yy) / 2, root = Eigen::Vector2d((xx - yy) / 2, xy).norm();
  const double ratio = std::sqrt(std::max(0.0, half - root) / (half + root));
  if (!(ratio >= thinnest))
    refuse_warp(
        "the %zu knots, %s to %s, lie on a line (width to length %.2g, needed %.2g): nothing holds the "
        "surface "
        "beside it; add places on bare board there",
        knots.size(), knots.front().name.c_str(), knots.back().name.c_str(), ratio, thinnest);
}

}  // namespace

void refuse_warp(const char* format, ...) {
  char text[512];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  throw WarpRefused(text);
}

void check_knots(const std::vector<WarpKnot>& knots) {
  check_number(knots);
  check_isolated(knots);
  check_spread(knots);
}

}  // namespace datum
