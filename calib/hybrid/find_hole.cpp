#include "calib/hybrid/find_hole.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

#include "calib/fit/robust.h"
#include "calib/hybrid/hole_edges.h"
#include "calib/linear/linear_algebra.h"
#include "calib/printed.h"

namespace datum {

namespace {

// A pixel this many sigma off the surface does not belong to it: probability 1 in 16000.
constexpr double surface_sigmas = 4;
// Width of the ring around the search to which the plane is fitted, in radii.
constexpr double ring = 0.5;
// A patch below this share of the nominal hole's area is a speck.
constexpr double least_area = 0.3;
// Arbitrary constant that makes the robust search reproducible.
constexpr std::uint64_t seed = 0x686f6c65;

void check(const HeightFrame& frame, const HoleNominal& n, const HoleSearch& s) {
  const auto need = [](bool fine, const char* name, double value, const char* allowed) {
    if (!fine) throw HoleRefused(printed("hole: %s = %g; allowed: %s", name, value, allowed));
  };
  need(n.radius_mm > 0 && std::isfinite(n.radius_mm), "radius_mm", n.radius_mm, "above 0");
  need(n.search_mm > 0 && std::isfinite(n.search_mm), "search_mm", n.search_mm, "above 0");
  need(n.radius_tolerance_mm > 0 && n.radius_tolerance_mm < n.radius_mm, "radius_tolerance_mm",
       n.radius_tolerance_mm, "above 0, below the radius");
  need(s.noise_sigma_mm > 0 && std::isfinite(s.noise_sigma_mm), "noise_sigma_mm", s.noise_sigma_mm,
       "above 0");
  need(s.edge_depth_mm >= 5 * s.noise_sigma_mm, "edge_depth_mm", s.edge_depth_mm,
       "5 noise_sigma_mm and more");
  need(s.u_edge_mm >= 0 && std::isfinite(s.u_edge_mm), "u_edge_mm", s.u_edge_mm, "0 and more");
  need(s.least_coverage > 0.5 && s.least_coverage <= 1, "least_coverage", s.least_coverage,
       "above 0.5, up to 1");
  if (frame.delivered == Handedness::left && !frame.mirrored)
    throw HoleRefused("hole: the frame's coordinates are left-handed: mirror it at ingest");
}

/// Window about the nominal center: hole, search and ring.
PixelWindow window_of(const HeightFrame& frame, const Eigen::Vector3d& center_mm, const HoleNominal& n) {
  const double half = (1 + ring) * n.radius_mm + n.search_mm;
  const auto low = [&](const AxisScale& a, double at) {
    return static_cast<int>(std::floor((at - half - a.offset_mm) / a.scale_mm));
  };
  const auto high = [&](const AxisScale& a, double at) {
    return static_cast<int>(std::ceil((at + half - a.offset_mm) / a.scale_mm));
  };
  const PixelWindow w{low(frame.y, center_mm.y()), high(frame.y, center_mm.y()), low(frame.x, center_mm.x()),
                      high(frame.x, center_mm.x())};
  if (w.first_row < 0 || w.first_col < 0 || w.last_row >= frame.rows || w.last_col >= frame.cols) {
    throw HoleRefused(
        printed("hole: its surroundings (columns %d to %d, rows %d to %d) leave the snapshot of %d x %d "
                "pixels: move the sensor nearer",
                w.first_col, w.last_col, w.first_row, w.last_row, frame.cols, frame.rows));
  }
  return w;
}

/// Share of the circumference, in sectors of 10 degrees, that has an edge.
double coverage(Points edge_mm, const Circle3& circle) {
  constexpr int steps = 36;
  const Eigen::Matrix<double, 3, 2> t = tangents(circle.normal);
  std::array<bool, steps> seen{};
  for (const Eigen::Vector3d& p : edge_mm) {
    const Eigen::Vector2d q = t.transpose() * (p - circle.center_mm);
    const double turn = std::atan2(q.y(), q.x()) / (2 * std::acos(-1.0)) + 0.5;
    seen[static_cast<std::size_t>(turn * steps) % steps] = true;
  }
  return static_cast<double>(std::count(seen.begin(), seen.end(), true)) / steps;
}

struct Found {
  Fit<Circle3, 3> circle;
  HoleRim rim = HoleRim::surface;
  double chamfer_mm = 0;
};

/// Edges off the circle all round belong to a second one: a chamfer that has heights in part of its
/// circumference only.
void check_one_rim(Points edge_mm, const std::vector<std::uint32_t>& on_circle, const Circle3& circle,
                   double least) {
  std::vector<bool> on(edge_mm.size(), false);
  for (const std::uint32_t i : on_circle) on[i] = true;
  std::vector<Eigen::Vector3d> off;
  for (std::size_t i = 0; i < edge_mm.size(); ++i)
    if (!on[i]) off.push_back(edge_mm[i]);
  const double share = coverage(off, circle);
  if (share > 1 - least)
    throw FitRefused(
        printed("its edge has two rims: beside the circle of %.3f mm, %.0f %% of the circumference "
                "has another edge, allowed %.0f %%; a chamfer that is seen in part?",
                circle.radius_mm, 100 * share, 100 * (1 - least)));
}

/// Sets the circle's rim, and the radial width of the slope around it.
void name_rim(const MissingPatch& patch, const std::vector<Eigen::Vector3d>& slope_mm, double pitch_mm,
              Found& found) {
  if (2 * patch.slope_edges < patch.edge_mm.size()) return;
  const Circle3& c = found.circle.feature;
  std::vector<double> out;
  for (const Eigen::Vector3d& p : slope_mm) {
    const double off = (p - c.center_mm).norm() - c.radius_mm;
    if (off > 0 && off < c.radius_mm) out.push_back(off);
  }
  if (out.empty()) return;
  std::nth_element(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(out.size() / 2), out.end());
  found.rim = HoleRim::bore;
  found.chamfer_mm = std::max(pitch_mm, out[out.size() / 2]);
}

/// Circle of a patch's edge in the surface, with the covariance of edges quantised to a pixel's pitch.
Fit<Circle3, 3> circle_of(const MissingPatch& patch, const Plane3& surface, double pitch_mm, double least) {
  RobustSettings robust;
  robust.noise_sigma_mm = pitch_mm / std::sqrt(12.0);
  robust.seed = seed;
  const auto found = fit_circle_robust(patch.edge_mm, robust);
  std::vector<Eigen::Vector3d> edge;
  for (const std::uint32_t i : found.inliers) edge.push_back(patch.edge_mm[i]);
  auto circle = fit_circle(edge, surface.normal);
  const double seen = coverage(edge, circle.feature);
  if (seen < least)
    throw FitRefused(printed("its edge is seen on %.0f %% of the circumference, allowed %.0f %%", 100 * seen,
                             100 * least));
  check_one_rim(patch.edge_mm, found.inliers, circle.feature, least);
  const double sigma = circle.evidence.sigma_mm;
  if (sigma < robust.noise_sigma_mm) circle.covariance *= std::pow(robust.noise_sigma_mm / sigma, 2);
  return circle;
}

Plane3 surface_of(const HeightFrame& frame, const PixelWindow& window, const HoleSearch& s) {
  RobustSettings robust;
  robust.noise_sigma_mm = s.noise_sigma_mm;
  robust.seed = seed;
  try {
    return fit_plane_robust(points_of(frame, window), Eigen::Vector3d::UnitZ(), robust).fit.feature;
  } catch (const FitRefused& refused) {
    throw HoleRefused(std::string("hole: no surface around it: ") + refused.what());
  }
}

HoleCandidate candidate_of(const Found& found, const HtmEstimate<Machine, Sensor>& machine_from_sensor,
                           const HoleSearch& search) {
  const Fit<Circle3, 3>& circle = found.circle;
  const Circle3& c = circle.feature;
  const Eigen::Matrix3d r = machine_from_sensor.htm.rotation();
  const Eigen::Matrix<double, 3, 2> t = r * tangents(c.normal);
  const Eigen::Matrix3d own = covariance_through(t, circle.covariance.topLeftCorner<2, 2>());
  const Eigen::Matrix3d shared = point_covariance(machine_from_sensor, c.center_mm);
  const double side = search.u_edge_mm / 2;
  return {machine_from_sensor.htm * c.center_mm,
          r * c.normal,
          c.radius_mm,
          Eigen::Vector3d(own(0, 0), own(1, 1), circle.covariance(2, 2)).cwiseSqrt(),
          {std::sqrt(shared(0, 0) + side * side), std::sqrt(shared(1, 1) + side * side), search.u_edge_mm},
          found.rim,
          found.chamfer_mm};
}

/// Compares the circle's distance from its nominal place, perpendicular to the surface's normal, and its
/// radius.
bool fits(const Circle3& c, const Eigen::Vector3d& center_mm, const HoleNominal& n) {
  const Eigen::Vector3d off = c.center_mm - center_mm;
  return (off - off.dot(c.normal) * c.normal).norm() <= n.search_mm &&
         std::abs(c.radius_mm - n.radius_mm) <= n.radius_tolerance_mm;
}

}  // namespace

const char* name_of(HoleRim rim) { return rim == HoleRim::bore ? "BORE" : "SURFACE"; }

std::string words_of(const HoleCandidate& hole) {
  if (hole.rim == HoleRim::bore)
    return printed("rim BORE, inside a chamfer of about %.2f mm", hole.chamfer_mm);
  return "rim SURFACE: a chamfer that the sensor does not see would be part of the hole";
}

HoleCandidate find_hole(const HeightFrame& frame, const HtmEstimate<Machine, Sensor>& machine_from_sensor,
                        const HoleNominal& nominal, const HoleSearch& search) {
  check(frame, nominal, search);
  const Eigen::Vector3d center_mm = machine_from_sensor.htm.inverse() * nominal.center_mm;
  const PixelWindow window = window_of(frame, center_mm, nominal);
  const Plane3 surface = surface_of(frame, window, search);
  const double pitch_mm = std::max(frame.x.scale_mm, frame.y.scale_mm);
  const double least_pixels = least_area * std::acos(-1.0) * nominal.radius_mm * nominal.radius_mm /
                              (frame.x.scale_mm * frame.y.scale_mm);
  std::optional<Found> found;
  std::string passed_over;
  const HoleEdges edges =
      hole_edges(frame, window, surface, surface_sigmas * search.noise_sigma_mm, search.edge_depth_mm);
  for (const MissingPatch& patch : edges.patches) {
    if (static_cast<double>(patch.pixels) < least_pixels) continue;
    if (patch.at_border) {
      passed_over += printed("; a patch of %zu pixels runs out of the window", patch.pixels);
      continue;
    }
    try {
      const auto circle = circle_of(patch, surface, pitch_mm, search.least_coverage);
      if (!fits(circle.feature, center_mm, nominal)) {
        passed_over += printed("; a circle of %.3f mm, %.3f mm from its place", circle.feature.radius_mm,
                               (circle.feature.center_mm - center_mm).norm());
      } else if (found) {
        throw HoleRefused("hole: several fit: make the search smaller");
      } else {
        found = Found{circle};
        name_rim(patch, edges.slope_mm, pitch_mm, *found);
      }
    } catch (const FitRefused& refused) {
      passed_over += printed("; a patch of %zu pixels: ", patch.pixels) + refused.what();
    }
  }
  if (!found) {
    throw HoleRefused(printed("hole: none of %.3f +- %.3f mm within %.3f mm of its place", nominal.radius_mm,
                              nominal.radius_tolerance_mm, nominal.search_mm) +
                      (passed_over.empty() ? "; the surface has no gap there" : passed_over));
  }
  return candidate_of(*found, machine_from_sensor, search);
}

}  // namespace datum
