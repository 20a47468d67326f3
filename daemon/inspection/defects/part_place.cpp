#include "daemon/inspection/defects/part_place.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "daemon/inspection/board/frame_noise.h"
#include "daemon/inspection/registration/plane_motion.h"
#include "daemon/inspection/registration/search_pairs.h"
#include "daemon/inspection/verdict/uncertainty.h"

namespace datum {
namespace {

constexpr double deg_per_rad = 180 / std::numbers::pi;
constexpr int edge_rounds = 4, reweights = 6;
constexpr double place_tukey = 4.685, least_scale_px = 0.3;  // a pixel's rounding, uniform
constexpr double first_reach_share = 0.35, least_reach_px = 4, last_reach_px = 6;

using Five = Eigen::Matrix<double, 5, 1>;
using Edges = std::array<SeenEdge, 4>;

/// Derivative of a point's way outward to middle x, middle y, rotation, half of size x, half of size y.
Five outward_row(int side, double along_mm) {
  const double sign = side % 2 ? 1 : -1;
  Five a = Five::Zero();
  if (side < 2) {
    a[0] = sign;
    a[2] = -sign * along_mm;
    a[3] = 1;
  } else {
    a[1] = sign;
    a[2] = sign * along_mm;
    a[4] = 1;
  }
  return a;
}

double middle_of(std::vector<double> v) {
  const auto at = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
  std::nth_element(v.begin(), at, v.end());
  return *at;
}

/// Correction of the rectangle; sets the points' weights.
Five fitted(Edges& edges, double pixel_mm) {
  Five x = Five::Zero();
  double scale = 1e9;
  for (int round = 0; round < reweights; ++round) {
    Eigen::Matrix<double, 5, 5> m = Eigen::Matrix<double, 5, 5>::Identity() * 1e-12;
    Five v = Five::Zero();
    std::vector<double> off;
    for (int k = 0; k < 4; ++k)
      for (EdgePoint& p : edges[static_cast<std::size_t>(k)].points) {
        const Five a = outward_row(k, p.along_mm);
        const double r = (p.out_mm - a.dot(x)) / (place_tukey * scale);
        p.weight = std::abs(r) < 1 ? (1 - r * r) * (1 - r * r) : 0;
        m += p.weight * a * a.transpose();
        v += p.weight * p.out_mm * a;
      }
    x = m.ldlt().solve(v);
    for (int k = 0; k < 4; ++k)
      for (const EdgePoint& p : edges[static_cast<std::size_t>(k)].points)
        off.push_back(std::abs(p.out_mm - outward_row(k, p.along_mm).dot(x)));
    scale = std::max(least_scale_px * pixel_mm, 1.4826 * middle_of(off));
  }
  return x;
}

/// Of one side: variances of its place and of its slope.
struct SideVariance {
  double rounding = 0, scatter = 0, hidden = 0;
  double slope_rounding = 0, slope_scatter = 0, slope_weight = 0;
};

/// Of the points of all edges about them: their variance, times the number of them that count as one.
double scatter_of(const Edges& edges, const Five& x) {
  double squares = 0, neighbours = 0, n = 0;
  for (int k = 0; k < 4; ++k) {
    double last = 0;
    for (const EdgePoint& p : edges[static_cast<std::size_t>(k)].points) {
      if (p.weight == 0) continue;
      const double r = p.out_mm - outward_row(k, p.along_mm).dot(x);
      neighbours += r * last;
      squares += r * r;
      last = r;
      n += 1;
    }
  }
  if (squares <= 0) return 0;
  const double r = std::clamp(neighbours / squares, 0.0, 0.9), together = (1 + r) / (1 - r);
  const double ratio = student_ratio(std::max(1.5, n / together - 5));
  return squares / std::max(1.0, n - 5) * together * ratio * ratio;
}

SideVariance side_variance(const SeenEdge& e, int side, const Five& x, double scatter_mm2,
                           double lacking_mm) {
  SideVariance v;
  double sum = 0, hidden = 0, along = 0, along2 = 0, squares = 0;
  for (const EdgePoint& p : e.points) {
    if (p.weight == 0) continue;
    sum += 1;
    along += p.along_mm;
    along2 += p.along_mm * p.along_mm;
    hidden += p.hidden_mm;
    const double r = p.out_mm - outward_row(side, p.along_mm).dot(x);
    squares += r * r;
  }
  const double n = std::max(1.0, sum), pixel = e.pixel_mm;
  const double of_mean = pixel * rounding_of_mean_px(e.phase_px);
  v.rounding = of_mean * of_mean;
  v.scatter = scatter_mm2 / n;
  const double hidden_mm = std::min(hidden / n, std::max(pixel, lacking_mm));
  // Rim pixels of the body that are missing too scatter the points inwards alone.
  const double inwards = hidden > 0 ? std::max(0.0, squares / n - pixel * pixel / 12) : 0;
  v.hidden = hidden_mm * hidden_mm / 12 + inwards;
  const double slope = pixel * rounding_of_slope_px(e.phase_px) / (n * e.line_mm);
  v.slope_rounding = slope * slope;
  // Middle and size leave each edge's own place open: its slope is about the middle of its points.
  const double about_middle = std::max(0.0, along2 - along * along / n);
  v.slope_scatter = about_middle > 0 ? scatter_mm2 / about_middle : 0;
  v.slope_weight = about_middle;
  return v;
}

/// Correlation of the roundings of two opposite edges: that of a saw-tooth with itself, shifted by the body's nominal size in
/// pixels. Of a body of whole pixels both edges are rounded alike. Negative ones are not relied on: bodies' sizes vary.
double alike(double size_mm, double pixel_mm) {
  const double f = size_mm / pixel_mm - std::floor(size_mm / pixel_mm);
  return std::max(0.0, 1 - 6 * f * (1 - f));
}

std::vector<EdgeTerm> edge_terms(const Edges& edges, const Five& x, const Eigen::Vector2d& nominal_mm,
                                 const Eigen::Vector2d& lacking_mm) {
  std::array<SideVariance, 4> v;
  const double scatter_mm2 = scatter_of(edges, x);
  for (int k = 0; k < 4; ++k)
    v[static_cast<std::size_t>(k)] =
        side_variance(edges[static_cast<std::size_t>(k)], k, x, scatter_mm2, lacking_mm[k / 2]);
  const Eigen::Vector2d same(alike(nominal_mm.x(), edges[0].pixel_mm),
                             alike(nominal_mm.y(), edges[2].pixel_mm));
  const auto sum = [](double a, double b, double correlation) {
    return a + b + 2 * correlation * std::sqrt(a * b);
  };
  const auto mean = [&](double SideVariance::*of, const Eigen::Vector2d& correlation) {
    return Eigen::Vector2d(std::sqrt(sum(v[0].*of, v[1].*of, correlation.x())) / 2,
                           std::sqrt(sum(v[2].*of, v[3].*of, correlation.y())) / 2);
  };
  const Eigen::Vector2d apart = Eigen::Vector2d::Zero();
  double weights = 0, rounding = 0, scatter = 0;
  for (std::size_t k = 0; k < 4; k += 2) {
    const auto of = [&](std::size_t side, double SideVariance::*slope) {
      return v[side].slope_weight * v[side].slope_weight * v[side].*slope;
    };
    weights += v[k].slope_weight + v[k + 1].slope_weight;
    rounding +=
        sum(of(k, &SideVariance::slope_rounding), of(k + 1, &SideVariance::slope_rounding), same[k / 2]);
    scatter += of(k, &SideVariance::slope_scatter) + of(k + 1, &SideVariance::slope_scatter);
  }
  weights = std::max(weights, 1e-12);
  return {{"rounding", mean(&SideVariance::rounding, same), std::sqrt(rounding) / weights},
          {"scatter", mean(&SideVariance::scatter, apart), std::sqrt(scatter) / weights},
          {"hidden", mean(&SideVariance::hidden, apart), 0}};
}

/// What the body lacks of its nominal size lies in the missing pixels beside it: each of the points moves out by its share of
/// them. Floor in a shadow hides nothing of the body, which then has its size.
Eigen::Vector2d move_into_gaps(Edges& edges, const Eigen::Vector2d& size_mm,
                               const Eigen::Vector2d& nominal_mm, double pixel_mm) {
  Eigen::Vector2d lacking = Eigen::Vector2d::Zero();
  for (std::size_t axis = 0; axis < 2; ++axis) {
    double hidden = 0;  // of both sides
    for (std::size_t k = 2 * axis; k < 2 * axis + 2; ++k) {
      double sum = 0;
      for (const EdgePoint& p : edges[k].points) sum += p.hidden_mm;
      hidden += edges[k].points.empty() ? 0 : sum / static_cast<double>(edges[k].points.size());
    }
    const auto at = static_cast<Eigen::Index>(axis);
    lacking[at] = std::max(0.0, nominal_mm[at] - size_mm[at]);
    if (hidden <= 0 || lacking[at] <= pixel_mm) continue;
    const double share = std::min(1.0, lacking[at] / hidden);
    for (std::size_t k = 2 * axis; k < 2 * axis + 2; ++k)
      for (EdgePoint& p : edges[k].points) p.out_mm += share * p.hidden_mm;
  }
  return lacking;
}

const char* const side_names[] = {"left", "right", "lower", "upper"};

}  // namespace

PartPlaceResult place_of(const PartWindow& w, const PartSilhouette& s, const Component& c) {
  if (!stands_alone(c)) return {{}, "another part, or a package under it, surrounds its edges"};
  if (!s.found) return {{}, "nothing stands at its place"};
  const double pixel = w.pixel_mm();
  AssumedRect r;
  r.centre_mm = s.half.centre_mm;
  r.axes = axes_of(c.body) * rotation_by_deg(s.half.rotation_deg);
  r.size_mm = s.half.size_mm.cwiseMax(2 * pixel);
  r.top_um = s.top_um;
  Edges edges;
  Five x = Five::Zero();
  Eigen::Vector2d lacking = Eigen::Vector2d::Zero();
  double turned_deg = s.half.rotation_deg;
  for (int round = 0; round < edge_rounds; ++round) {
    const double first = std::max(least_reach_px * pixel, first_reach_share * r.size_mm.minCoeff());
    edges = edges_of(w, r, round == 0 ? first : std::min(first, last_reach_px * pixel));
    for (int k = 0; k < 4; ++k)
      if (const SeenEdge& e = edges[static_cast<std::size_t>(k)]; !e.is_seen())
        return {{},
                fmt::format("its {} edge is seen on {} of {} lines of pixels", side_names[k], e.points.size(),
                            e.lines)};
    x = fitted(edges, pixel);
    if (!x.allFinite()) return {{}, "its edges determine no rectangle"};
    if (round + 1 == edge_rounds) {
      lacking = move_into_gaps(edges, r.size_mm + 2 * x.tail<2>(), c.body.size_mm, pixel);
      x = fitted(edges, pixel);
      break;
    }
    r.centre_mm += r.axes * x.head<2>();
    turned_deg += x[2] * deg_per_rad;
    r.axes = axes_of(c.body) * rotation_by_deg(turned_deg);
    r.size_mm = (r.size_mm + 2 * x.tail<2>()).cwiseMax(2 * pixel);
  }
  PartPlace place;
  place.offset_mm = r.centre_mm + r.axes * x.head<2>() - c.body.centre_mm;
  place.rotation_deg = turned_deg + x[2] * deg_per_rad;
  place.size_mm = r.size_mm + 2 * x.tail<2>();
  place.axes = r.axes;
  place.terms = edge_terms(edges, x, c.body.size_mm, lacking);
  return {place, ""};
}

CheckVerdict evaluate_place(const Check& check, const PartPlaceResult& result,
                            const std::vector<PlacementTerm>& placed,
                            const std::vector<UncertaintyTerm>& turned_rad,
                            const Eigen::Matrix2d& board_from_sensor) {
  CheckVerdict v;
  v.check = check;
  if (!result.place) {
    v.reason = Reason::body_edges;
    v.detail = "its own place is not known: " + result.why;
    return v;
  }
  const PartPlace& p = *result.place;
  if (check.characteristic == Characteristic::rotation) {
    v.value = p.rotation_deg * 1e3;
    for (const EdgeTerm& t : p.terms) v.budget.push_back({t.name, t.rotation * deg_per_rad * 1e3});
    for (const UncertaintyTerm& t : turned_rad) v.budget.push_back({t.name, t.u * deg_per_rad * 1e3});
    v.u = combined(v.budget);
    return v;
  }
  // Of a length no direction is certain where it is as short as its uncertainty: the worst one counts.
  const bool is_length = check.characteristic == Characteristic::offset;
  const Eigen::Vector2d along =
      check.characteristic == Characteristic::offset_y ? Eigen::Vector2d::UnitY() : Eigen::Vector2d::UnitX();
  const auto um = [&](const Eigen::Matrix2d& covariance) {
    const double variance = is_length
                                ? (covariance.trace() / 2 +
                                   std::hypot((covariance(0, 0) - covariance(1, 1)) / 2, covariance(0, 1)))
                                : along.dot(covariance * along);
    return 1e3 * std::sqrt(std::max(0.0, variance));
  };
  v.value = 1e3 * (is_length ? p.offset_mm.norm() : along.dot(p.offset_mm));
  for (const EdgeTerm& t : p.terms)
    v.budget.push_back({t.name, um(p.axes * t.place_mm.cwiseAbs2().asDiagonal() * p.axes.transpose())});
  for (const PlacementTerm& t : placed)
    v.budget.push_back({t.name, um(board_from_sensor * t.covariance_mm2 * board_from_sensor.transpose())});
  v.u = combined(v.budget);
  return v;
}

}  // namespace datum
