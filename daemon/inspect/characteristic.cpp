#include "daemon/inspect/characteristic.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "daemon/inspect/uncertainty.h"

namespace datum {
namespace {

/// Position of this check's parameter among those of its characteristic in the demand.
template <class T>
std::size_t index_of(const std::vector<T>& parameters, T wanted) {
  return static_cast<std::size_t>(std::find(parameters.begin(), parameters.end(), wanted) -
                                  parameters.begin());
}

double median_nm(const HeightStatistics& s) {
  return (static_cast<double>(s.median_low.nm) + s.median_high.nm) / 2;
}

struct Slopes {
  double x = 0, y = 0;  // of the top over the floor: height per way, sensor axes
};

Slopes slopes_of(const Measured& m) {
  const TopPlane& top = m.heights.top;
  return {top.slope_col_nm * 1e-6 / m.frame.x.scale_mm, top.slope_row_nm * 1e-6 / m.frame.y.scale_mm};
}

/// Angle between the normals of the top and the floor. The top over the floor's plane rises by h along the
/// normal, so in z by h sqrt(1 + a^2 + b^2).
double tilt_mdeg(const Measured& m) {
  const PlaneFit& f = m.floor.fit;
  const Slopes s = slopes_of(m);
  const double lift = std::sqrt(1 + f.a * f.a + f.b * f.b);
  const Eigen::Vector3d floor(-f.a, -f.b, 1);
  const Eigen::Vector3d top(-f.a - s.x * lift, -f.b - s.y * lift, 1);
  return std::atan2(floor.cross(top).norm(), floor.dot(top)) * 180e3 / M_PI;
}

void refuse(CheckVerdict& v, Reason reason, std::string detail) {
  v.reason = reason;
  v.detail = std::move(detail);
}

/// The kernel measures over the plane; the floor under the body may lie off it, along z.
double over_floor_um(double nm, const Measured& m) {
  const PlaneFit& f = m.floor.fit;
  return nm * 1e-3 - m.floor.form_um / std::sqrt(1 + f.a * f.a + f.b * f.b);
}

/// Value and noise of a height; the reason where the body does not show it.
HeightNoise measure_height(const Check& check, const Measured& m, CheckVerdict& v) {
  const HeightStatistics& h = m.heights;
  const HeightDemand demand = demand_of(m.component);
  switch (check.characteristic) {
    case Characteristic::median:
      v.value = over_floor_um(median_nm(h), m);
      return order_noise(h.median_low, h, m.floor, 0.5);
    case Characteristic::minimum:
      v.value = over_floor_um(h.min_nm, m);
      return extreme_noise(h, 1.0 / h.valid);
    case Characteristic::maximum:
      if (h.patches == 0) {
        refuse(v, Reason::body_coverage, "no 3 x 3 patch of the body has all its heights");
        return {};
      }
      v.value = over_floor_um(h.opened_max_nm, m);
      return opened_noise(h);
    case Characteristic::percentile: {
      const OrderStatistic& s = h.quantiles[index_of(demand.quantiles, check.parameter)];
      v.value = over_floor_um(s.nm, m);
      return order_noise(s, h, m.floor, std::min(check.parameter, 1 - check.parameter));
    }
    case Characteristic::top_mean: {
      const auto k = static_cast<std::uint32_t>(check.parameter);
      if (k > h.valid) {
        refuse(v, Reason::body_coverage, fmt::format("{} heights are fewer than the {} highest", h.valid, k));
        return {};
      }
      v.value = over_floor_um(h.top_mean_nm[index_of(demand.top_counts, k)], m);
      return extreme_noise(h, static_cast<double>(k) / h.valid);
    }
    case Characteristic::mean:
      v.value = over_floor_um(static_cast<double>(h.sum_nm) / h.valid, m);
      return mean_noise(h, m.floor);
    default:  // recipe_demand.cpp lets a board have none of a surface's
      refuse(v, Reason::internal, std::string(name_of(check.characteristic)) + " is not one of a component");
      return {};
  }
}

}  // namespace

HeightDemand demand_of(const Component& component) {
  HeightDemand d;
  d.present_above_um = component.nominal_height_um / 2;
  d.opened_maximum = false;
  for (const Check& check : component.checks) {
    if (check.characteristic == Characteristic::maximum) d.opened_maximum = true;
    if (check.characteristic == Characteristic::percentile) d.quantiles.push_back(check.parameter);
    if (check.characteristic == Characteristic::top_mean)
      d.top_counts.push_back(static_cast<std::uint32_t>(check.parameter));
  }
  return d;
}

CheckVerdict evaluate(const Check& check, const Measured& m) {
  const HeightStatistics& h = m.heights;
  CheckVerdict v;
  v.check = check;
  if (check.characteristic == Characteristic::tilt) {
    if (!h.top.defined) {
      refuse(v, Reason::body_coverage, "the body's pixels with a height do not span a plane");
      return v;
    }
    v.value = tilt_mdeg(m);
    v.budget = tilt_budget(m);
  } else if (check.characteristic == Characteristic::presence) {
    v.value = 1000.0 * h.present / h.valid;
    v.budget = presence_budget(h);
  } else {
    const HeightNoise noise = measure_height(check, m, v);
    if (v.reason != Reason::none) return v;
    const Slopes s = slopes_of(m);
    v.budget = height_budget(v.value, noise, Eigen::Vector2d(s.x, s.y).norm(), m);
    add_placement(v.budget, m.placement, {s.x, s.y});
  }
  v.u = combined(v.budget);
  return v;
}

}  // namespace datum
