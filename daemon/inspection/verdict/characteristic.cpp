#include "daemon/inspection/verdict/characteristic.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "daemon/inspection/board/top_noise.h"
#include "daemon/inspection/verdict/uncertainty.h"

namespace datum {
namespace {

/// Index of this check's parameter among those of its characteristic in the demand.
template <class T>
std::size_t index_of(const std::vector<T>& parameters, T wanted) {
  return static_cast<std::size_t>(std::find(parameters.begin(), parameters.end(), wanted) -
                                  parameters.begin());
}

double median_nm(const HeightStatistics& s) {
  return (static_cast<double>(s.median_low.nm) + s.median_high.nm) / 2;
}

struct Slopes {
  double x = 0, y = 0;  // slope of the top over the floor: height per length, sensor axes
};

Slopes slopes_of(const Measured& m) {
  const TopPlane& top = m.heights.top;
  return {top.slope_col_nm * 1e-6 / m.frame.x.scale_mm, top.slope_row_nm * 1e-6 / m.frame.y.scale_mm};
}

/// Angle between the normals of top and floor. The top rises over the floor's plane by h along the normal, so
/// in z by h sqrt(1 + a^2 + b^2).
double tilt_mdeg(const Measured& m) {
  const PlaneFit& f = m.floor.fit;
  const Slopes s = slopes_of(m);
  const double lift = std::sqrt(1 + f.a * f.a + f.b * f.b);
  const Eigen::Vector3d floor(-f.a - m.floor.form_slope.x(), -f.b - m.floor.form_slope.y(), 1);
  const Eigen::Vector3d top(-f.a - s.x * lift, -f.b - s.y * lift, 1);
  return std::atan2(floor.cross(top).norm(), floor.dot(top)) * 180e3 / M_PI;
}

void refuse(CheckVerdict& v, Reason reason, std::string detail) {
  v.reason = reason;
  v.detail = std::move(detail);
}

/// The kernel measures over the plane; the floor under the body may deviate from it, along z.
double over_floor_um(double nm, const Measured& m) {
  const PlaneFit& f = m.floor.fit;
  return nm * 1e-3 - m.floor.form_um / std::sqrt(1 + f.a * f.a + f.b * f.b);
}

/// Bound by the centroid's shift due to missing pixels, times the slope of the top.
double off_centre_um(const Measured& m) {
  const TopPlane& top = m.heights.top;
  return std::abs(top.slope_col_nm * m.body.off_centre.x() + top.slope_row_nm * m.body.off_centre.y()) * 1e-3;
}

/// One-sided deviations, such as spikes at walls of a small body, move the mean away from the median by more
/// than the frame's noise: sqrt(pi / 2 - 1) of a mean's standard deviation for a normal distribution.
double one_sided_um(const Measured& m) {
  const double n = m.heights.valid;
  const double apart = std::abs(static_cast<double>(m.heights.sum_nm) / n - median_nm(m.heights)) * 1e-3;
  const double pixel = m.noise.pixels() > 0 ? std::sqrt(m.noise.pixel_um2()) : m.floor.noise_um;
  const double by_chance =
      pixel * std::sqrt((M_PI / 2 - 1) / n * m.noise.correlation_over(m.body.rows, m.body.cols));
  return apart > 3 * by_chance ? apart : 0;
}

/// Missing pixels could all be the highest or all the lowest: largest distance of rank ceil(q N) of all N
/// pixels from the value.
double rank_spread_um(double q, double value_nm, const RankPair& at, const Measured& m) {
  if (m.body.missing == 0) return 0;
  const std::int64_t rank = nearest_rank(q, m.body.pixels), low_rank = rank - m.body.missing;
  double high = at.high_nm - value_nm, low = value_nm - at.low_nm;
  if (rank > m.heights.valid) high += m.body.missing_above_um * 1e3;
  if (low_rank < 1) low += m.body.missing_below_um * 1e3;
  return std::max({high, low, 0.0}) * 1e-3;
}

/// The highest or lowest pixel may be among the missing ones. A few are assumed to lie on the top's plane;
/// for more the value is refused.
bool refuse_missing_extremes(const Measured& m, CheckVerdict& v) {
  const double share = static_cast<double>(m.body.missing) / m.body.pixels,
               most = m.recipe.body.max_missing_ratio;
  if (share <= most) return false;
  refuse(v, Reason::body_coverage,
         fmt::format("{} of the body's {} pixels have no height: a share of {:.3f}, and a {} could be among "
                     "them; at most "
                     "body.max_missing_ratio = {:g} is allowed",
                     m.body.missing, m.body.pixels, share, name_of(v.check.characteristic), most));
  return true;
}

HeightNoise measure_extreme(bool highest, HeightNoise noise, const Measured& m, const TopNoise& top,
                            CheckVerdict& v) {
  refuse_missing_extremes(m, v);
  noise.missing = highest ? m.body.missing_above_um : m.body.missing_below_um;
  noise.rim = highest ? top.rim_high_um : top.rim_low_um;
  return noise;
}

HeightNoise measure_median(const Measured& m, const TopNoise& top, CheckVerdict& v) {
  const double nm = median_nm(m.heights);
  v.value = over_floor_um(nm, m);
  HeightNoise noise = order_noise(m.heights.median_low, m, top);
  noise.missing = std::max(rank_spread_um(0.5, nm, m.body.ranks.median, m), off_centre_um(m));
  return noise;
}

HeightNoise measure_percentile(const Measured& m, const TopNoise& top, CheckVerdict& v) {
  const double q = v.check.parameter;
  const std::size_t index = index_of(demand_of(m.component).quantiles, q);
  const OrderStatistic& s = m.heights.quantiles[index];
  v.value = over_floor_um(s.nm, m);
  HeightNoise noise = order_noise(s, m, top);
  noise.missing = rank_spread_um(q, s.nm, m.body.ranks.quantiles[index], m);
  if (q > 0.5 && (1 - q) < m.body.rim.share) noise.rim = top.rim_high_um;
  if (q < 0.5 && q < m.body.rim.share) noise.rim = top.rim_low_um;
  const double tail = std::min(q, 1 - q) * m.body.pixels;
  if (m.body.missing > tail) refuse_missing_extremes(m, v);
  return noise;
}

HeightNoise measure_top_mean(const Measured& m, const TopNoise& top, CheckVerdict& v) {
  const auto k = static_cast<std::uint32_t>(v.check.parameter);
  if (k > m.heights.valid) {
    refuse(v, Reason::body_coverage,
           fmt::format("{} heights are fewer than the {} highest", m.heights.valid, k));
    return {};
  }
  v.value = over_floor_um(m.heights.top_mean_nm[index_of(demand_of(m.component).top_counts, k)], m);
  return measure_extreme(true, top_mean_noise(k, m, top), m, top, v);
}

HeightNoise measure_maximum(const Measured& m, const TopNoise& top, CheckVerdict& v) {
  if (m.heights.patches == 0) {
    refuse(v, Reason::body_coverage, "no 3 x 3 patch of the body has all its heights");
    return {};
  }
  v.value = over_floor_um(m.heights.opened_max_nm, m);
  return measure_extreme(true, opened_noise(m, top), m, top, v);
}

/// Value and noise of a height; sets the reason where the body does not determine it.
HeightNoise measure_height(const Measured& m, const TopNoise& top, CheckVerdict& v) {
  const HeightStatistics& h = m.heights;
  switch (v.check.characteristic) {
    case Characteristic::median:
      return measure_median(m, top, v);
    case Characteristic::minimum:
      v.value = over_floor_um(h.min_nm, m);
      return measure_extreme(false, extreme_noise(m, top), m, top, v);
    case Characteristic::maximum:
      return measure_maximum(m, top, v);
    case Characteristic::percentile:
      return measure_percentile(m, top, v);
    case Characteristic::top_mean:
      return measure_top_mean(m, top, v);
    case Characteristic::mean: {
      v.value = over_floor_um(static_cast<double>(h.sum_nm) / h.valid, m);
      HeightNoise noise = mean_noise(top);
      noise.missing = off_centre_um(m);
      noise.rim = one_sided_um(m);
      return noise;
    }
    default:  // recipe_demand.cpp refuses a surface's characteristics for a board
      refuse(v, Reason::internal,
             std::string(name_of(v.check.characteristic)) + " is not one of a component");
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

WantedRanks wanted_ranks(const Component& component) {
  const bool median = std::any_of(component.checks.begin(), component.checks.end(), [](const Check& check) {
    return check.characteristic == Characteristic::median || check.characteristic == Characteristic::standoff;
  });
  return {median, demand_of(component).quantiles};
}

CheckVerdict evaluate(const Check& check, const Measured& m, const TopNoise& top) {
  const HeightStatistics& h = m.heights;
  const Slopes s = slopes_of(m);
  const double slope = Eigen::Vector2d(s.x, s.y).norm();
  CheckVerdict v;
  v.check = check;
  if (check.characteristic == Characteristic::tilt) {
    if (!h.top.defined) {
      refuse(v, Reason::body_coverage, "the body's pixels with a height do not span a plane");
      return v;
    }
    v.value = tilt_mdeg(m);
    v.budget = tilt_budget(slope, top, m);
  } else if (check.characteristic == Characteristic::presence) {
    v.value = 1000.0 * h.present / m.body.pixels;
    v.budget = presence_budget(m);
  } else {
    const HeightNoise noise = measure_height(m, top, v);
    if (v.reason != Reason::none) return v;
    v.budget = height_budget(v.value, noise, slope, top, m);
    add_placement(v.budget, m.placement, {s.x, s.y});
    add_bounds(v.budget, height_bounds(noise, top), m.recipe.rule_confidence);
  }
  v.u = combined(v.budget);
  return v;
}

}  // namespace datum
