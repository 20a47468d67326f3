#include "calib/artefact/lines_artefact.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "calib/angle_units.h"
#include "calib/artefact/line_crossings.h"
#include "calib/artefact/square_means.h"
#include "calib/fit/construction.h"

namespace datum {
namespace {

/// Both lines as they cross the scans: rows (long), columns (short).
struct ImageLines {
  FittedLine along, across;
};

double square(double v) { return v * v; }

/// The line rotated and shifted about its mean: the fit's uncorrelated errors.
ScanLine moved(const FittedLine& fit, double offset_mm, double slope) {
  return {fit.line.at_mm + offset_mm - slope * fit.v_mean_mm, fit.line.slope + slope};
}

/// Intersection: x = along.u(y), y = across.u(x).
Eigen::Vector2d meeting(const ScanLine& along, const ScanLine& across) {
  const double y = (across.at_mm + across.slope * along.at_mm) / (1 - across.slope * along.slope);
  return {along.u(y), y};
}

/// The point of the plane at (x, y), along the sensor's z. mm.
Eigen::Vector3d lifted(const Eigen::Vector2d& at_mm, const Plane3& plane) {
  const Eigen::Vector2d d = at_mm - plane.point_mm.head<2>();
  return {at_mm.x(), at_mm.y(), plane.point_mm.z() - plane.normal.head<2>().dot(d) / plane.normal.z()};
}

Eigen::Matrix4d construct(const Plane3& plane, const ScanLine& along, const ScanLine& across) {
  const Eigen::Vector2d origin = meeting(along, across);
  const Eigen::Vector3d o = lifted(origin, plane);
  const Eigen::Vector3d y = (lifted(origin + 100 * Eigen::Vector2d(along.slope, 1), plane) - o).normalized();
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.block<3, 1>(0, 0) = y.cross(plane.normal);
  m.block<3, 1>(0, 1) = y;
  m.block<3, 1>(0, 2) = plane.normal;
  m.block<3, 1>(0, 3) = o;
  return m;
}

/// z is the plane's normal, y the long line on the plane, the origin the lines' intersection. Covariance by
/// central differences over the plane's three and each line's two parameters, plus the uncertainties that the
/// drawing states.
HtmEstimate<Sensor, Artefact> lines_pose(const Fit<Plane3, 3>& plane, const ImageLines& lines,
                                         const LinesDrawing& drawing) {
  using Errors = Eigen::Matrix<double, 7, 1>;
  Eigen::Matrix<double, 7, 7> c = Eigen::Matrix<double, 7, 7>::Zero();
  const double reach_mm = std::hypot(drawing.plate.x_max_mm - drawing.plate.x_min_mm,
                                     drawing.plate.y_max_mm - drawing.plate.y_min_mm) /
                          2;
  const double form_mm = 1e-3 * drawing.form_um, edge_mm = 1e-3 * drawing.edge_um;
  c.topLeftCorner<3, 3>() = plane.covariance;
  c.topLeftCorner<3, 3>().diagonal() +=
      Eigen::Vector3d(square(form_mm / reach_mm), square(form_mm / reach_mm), square(form_mm));
  const auto line = [&](int at, const FittedLine& fit, const DrawnLine& drawn) {
    c(at, at) = square(fit.u_offset_mm) + square(edge_mm);
    c(at + 1, at + 1) = square(fit.u_slope) + square(edge_mm / ((drawn.to_mm - drawn.from_mm) / 2));
  };
  line(3, lines.along, drawing.long_line);
  line(5, lines.across, drawing.short_line);
  const Eigen::Matrix<double, 3, 2> t = tangents(plane.feature.normal);
  const auto with = [&](const Errors& e) {
    const Plane3 tilted{plane.feature.point_mm + e[2] * plane.feature.normal,
                        (plane.feature.normal + t * e.head<2>()).normalized()};
    return construct(tilted, moved(lines.along, e[3], e[4]), moved(lines.across, e[5], e[6]));
  };
  const Eigen::Matrix4d middle = with(Errors::Zero());
  constexpr double step = 1e-5;  // as in constructed_pose.cpp
  Eigen::Matrix<double, 6, 7> gain;
  for (int k = 0; k < 7; ++k) {
    gain.col(k) = (detail::difference(with(step * Errors::Unit(k)), middle) -
                   detail::difference(with(-step * Errors::Unit(k)), middle)) /
                  (2 * step);
  }
  return {Htm<Sensor, Artefact>(middle), gain * c * gain.transpose()};
}

// Distance from edges, where pixels see two surfaces.
constexpr double margin_mm = 1;

template <class... Values>
[[noreturn]] void refuse(const char* format, Values... values) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, format, values...);
  throw SegmentationRefused(buffer);
}

/// Threshold between the dark and the bright half of the image (N. Otsu 1979: largest variance between
/// classes).
double global_threshold(const IntensityImage& image) {
  constexpr std::size_t bins = 256;
  const double scale = static_cast<double>(bins) / std::exp2(image.bits);
  std::vector<double> count(bins, 0);
  for (std::uint16_t grey : image.grey)
    count[std::min(bins - 1, static_cast<std::size_t>(grey * scale))] += 1;
  double all = 0, sum = 0, dark = 0, dark_sum = 0, most = -1;
  std::size_t best = 0;
  for (std::size_t i = 0; i < bins; ++i) all += count[i], sum += count[i] * static_cast<double>(i);
  for (std::size_t i = 0; i + 1 < bins; ++i) {
    dark += count[i];
    dark_sum += count[i] * static_cast<double>(i);
    if (dark == 0 || dark == all) continue;
    const double between = dark_sum / dark - (sum - dark_sum) / (all - dark);
    const double variance = dark * (all - dark) * between * between;
    if (variance > most) most = variance, best = i;
  }
  return static_cast<double>(best + 1) / scale;
}

/// One line's crossings between its drawn ends, and the number beyond them.
struct Traced {
  std::vector<Crossing> crossings;
  double coverage = 0, beyond = 0;
};

/// `origin_v` is the other line's crossing; `stretch` is the drawn length per v.
Traced trace(const ScannedImage& image, const ScanLine& coarse, const DrawnLine& drawn, double other_from_mm,
             double other_to_mm, double origin_v, double stretch, double least_contrast, int half) {
  Traced traced;
  double expected = 0, beyond = 0, seen_beyond = 0;
  for (std::size_t i = 0; i < image.size(); ++i) {
    const double place = (image.v_mm(i) - origin_v) * stretch;
    const bool inside = place > drawn.from_mm + margin_mm && place < drawn.to_mm - margin_mm;
    const bool outside = place < drawn.from_mm - margin_mm || place > drawn.to_mm + margin_mm;
    // Around the other line's crossing there is no bright surface beside this line.
    if (place > other_from_mm && place < other_to_mm) continue;
    if (!inside && !outside) continue;
    const auto found =
        image.crossing(i, coarse, drawn.width_mm * std::hypot(1, coarse.slope), least_contrast, half);
    (inside ? expected : beyond) += 1;
    if (!found) continue;
    if (inside) traced.crossings.push_back(*found);
    if (outside) seen_beyond += 1;
  }
  traced.coverage = expected > 0 ? static_cast<double>(traced.crossings.size()) / expected : 0;
  traced.beyond = beyond > 0 ? seen_beyond / beyond : 0;
  return traced;
}

FittedLine checked_line(const Traced& traced, const DrawnLine& drawn, const LinesDrawing& drawing,
                        const LinesLimits& limits, const char* who, LineEvidence& evidence) {
  evidence.coverage = traced.coverage;
  if (traced.coverage < limits.coverage) {
    refuse(
        "the %s line is seen at %.0f %% of its length, needed are %.0f %%: bring all of it into view, mind "
        "light "
        "and reflections",
        who, 100 * traced.coverage, 100 * limits.coverage);
  }
  if (traced.beyond > limits.beyond) {
    refuse(
        "the %s line goes on beyond its drawn ends (%.0f %% of the scans there): the artefact is seen turned "
        "or in a "
        "mirror, or the drawing is of another one",
        who, 100 * traced.beyond);
  }
  const FittedLine fit = fitted_line(traced.crossings);
  // The scan cuts an inclined line obliquely.
  evidence.width_mm = fit.width_mm / std::hypot(1, fit.line.slope);
  evidence.crossings = fit.used;
  evidence.scatter_um = 1e3 * fit.scatter_mm;
  if (std::abs(evidence.width_mm - drawn.width_mm) > drawing.width_mm) {
    refuse("the %s line is %.3f mm wide, drawn are %.3f +- %.3f mm: focus and exposure, or another artefact",
           who, evidence.width_mm, drawn.width_mm, drawing.width_mm);
  }
  return fit;
}

/// Heights of the plate, clear of the lines and of its edges.
std::vector<Eigen::Vector3d> plate_points(const HeightFrame& frame, const LinesDrawing& drawing,
                                          const Eigen::Vector2d& origin, const Eigen::Vector2d& y_axis) {
  const Eigen::Vector2d x_axis(y_axis.y(), -y_axis.x());
  std::vector<Eigen::Vector3d> points;
  for (int row = 0; row < frame.rows; ++row) {
    for (int col = 0; col < frame.cols; ++col) {
      if (frame.class_at(row, col) != PixelClass::ok) continue;
      const Eigen::Vector2d at(frame.x.at(col), frame.y.at(row));
      const double x = x_axis.dot(at - origin), y = y_axis.dot(at - origin);
      const DrawnArea& p = drawing.plate;
      const DrawnArea inner{p.x_min_mm + margin_mm, p.x_max_mm - margin_mm, p.y_min_mm + margin_mm,
                            p.y_max_mm - margin_mm};
      const bool on_long = std::abs(x) < drawing.long_line.width_mm / 2 + margin_mm;
      const bool on_short = std::abs(y) < drawing.short_line.width_mm / 2 + margin_mm;
      if (inner.contains(x, y) && !on_long && !on_short)
        points.emplace_back(at.x(), at.y(), frame.z_mm(row, col));
    }
  }
  return points;
}

/// Plane through the points, without those farther than 4 standard deviations (by the median).
Fit<Plane3, 3> plate_plane(std::vector<Eigen::Vector3d> points) {
  try {
    const Plane3 first = fit_plane(points, Eigen::Vector3d::UnitZ()).feature;
    std::vector<double> off;
    for (const Eigen::Vector3d& p : points) off.push_back(std::abs(distance_mm(first, p)));
    std::nth_element(off.begin(), off.begin() + static_cast<std::ptrdiff_t>(off.size() / 2), off.end());
    const double limit = std::max(4 * 1.4826 * off[off.size() / 2], 1e-9);
    std::erase_if(points, [&](const Eigen::Vector3d& p) { return std::abs(distance_mm(first, p)) > limit; });
    return fit_plane(points, Eigen::Vector3d::UnitZ());
  } catch (const FitRefused& refused) {
    throw SegmentationRefused(std::string("the plate: ") + refused.what());
  }
}

void check_plate(const Fit<Plane3, 3>& plane, Points points, const LinesDrawing& drawing,
                 const LinesLimits& limits, LinesLocation& found) {
  found.plane_sigma_um = 1e3 * plane.evidence.sigma_mm;
  if (plane.evidence.sigma_mm > limits.noise_mm) {
    refuse("the plate's points scatter by %.0f um, allowed are %.0f um", found.plane_sigma_um,
           1e3 * limits.noise_mm);
  }
  const double tilt_deg = std::acos(plane.feature.normal.z()) * deg_per_rad;
  if (tilt_deg > limits.tilt_deg) {
    refuse("the plate is tilted by %.1f deg, allowed are %.0f", tilt_deg, limits.tilt_deg);
  }
  const DrawnArea& p = drawing.plate;
  found.flatness_um = 1e3 * flatness_mm(points, plane, (p.x_max_mm - p.x_min_mm) * (p.y_max_mm - p.y_min_mm));
  if (found.flatness_um > 1e3 * drawing.flatness_mm) {
    refuse("the plate is flat within %.0f um, the drawing allows %.0f um: it is bent or dirty",
           found.flatness_um, 1e3 * drawing.flatness_mm);
  }
}

/// Angle between the lines on the plate.
void check_angle(const Plane3& plane, const ImageLines& lines, const LinesDrawing& drawing,
                 LinesLocation& found) {
  const auto direction = [&](double x, double y) -> Eigen::Vector3d {
    const Eigen::Vector2d at = plane.point_mm.head<2>();
    return lifted(at + Eigen::Vector2d(x, y), plane) - lifted(at, plane);
  };
  const Eigen::Vector3d y = direction(lines.along.line.slope, 1), x = direction(1, lines.across.line.slope);
  found.angle_deg = std::atan2(x.cross(y).norm(), x.dot(y)) * deg_per_rad;
  const double allowed =
      drawing.angle_deg + 3 * deg_per_rad * std::hypot(lines.along.u_slope, lines.across.u_slope);
  if (std::abs(found.angle_deg - 90) > allowed) {
    refuse(
        "the lines meet at %.3f deg, drawn are 90 +- %.3f deg: another artefact, or the sensor's scales are "
        "wrong",
        found.angle_deg, allowed);
  }
}

void check_image(const HeightFrame& frame) {
  if (!frame.intensity) refuse("the frame has no grey image: switch the sensor's intensity output on");
  if (frame.delivered == Handedness::left && !frame.mirrored)
    refuse("the frame is left-handed: mirror it first");
}

}  // namespace

LinesLocation locate_lines(const HeightFrame& frame, const LinesDrawing& drawing, const LinesLimits& limits) {
  check_image(frame);
  LinesLocation found;
  const ScannedImage rows(frame, false), columns(frame, true);
  const double threshold = global_threshold(*frame.intensity);
  const double contrast = limits.least_contrast * std::exp2(frame.intensity->bits);
  const int half = limits.half_window;
  const double coarse_mm = std::max(frame.x.scale_mm, frame.y.scale_mm);
  const ScanLine along =
      coarse_line(rows.dark_runs_of(drawing.long_line.width_mm, threshold, half), coarse_mm, "the long line");
  const ScanLine across = coarse_line(columns.dark_runs_of(drawing.short_line.width_mm, threshold, half),
                                      coarse_mm, "the short line");
  if (std::abs(std::atan(along.slope)) * deg_per_rad > limits.rotation_deg) {
    refuse("the artefact is turned by %.1f deg, allowed are %.0f", std::atan(along.slope) * deg_per_rad,
           limits.rotation_deg);
  }
  const Eigen::Vector2d origin = meeting(along, across);
  const double short_half = drawing.short_line.width_mm / 2 + 2 * margin_mm;
  const double long_half = drawing.long_line.width_mm / 2 + 2 * margin_mm;
  const Traced on_long = trace(rows, along, drawing.long_line, -short_half, short_half, origin.y(),
                               std::hypot(1, along.slope), contrast, half);
  const Traced on_short = trace(columns, across, drawing.short_line, -long_half, long_half, origin.x(),
                                std::hypot(1, across.slope), contrast, half);
  const ImageLines lines{
      checked_line(on_long, drawing.long_line, drawing, limits, "long", found.long_line),
      checked_line(on_short, drawing.short_line, drawing, limits, "short", found.short_line)};
  const auto points = plate_points(frame, drawing, origin, Eigen::Vector2d(along.slope, 1).normalized());
  const Fit<Plane3, 3> plane = plate_plane(points);
  check_plate(plane, points, drawing, limits, found);
  check_angle(plane.feature, lines, drawing, found);
  found.estimate = lines_pose(plane, lines, drawing);
  return found;
}

}  // namespace datum
