// datumctl verify spheres, verify flatness
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "calib/artefact/sphere_artefact_search.h"
#include "calib/verify/verification.h"
#include "daemon/ctl/verify.h"
#include "daemon/ctl/verify_frame.h"
#include "daemon/fringe/load_sensor.h"
#include "daemon/text/table.h"
#include "drivers/sensor/file_bytes.h"

namespace datum {
namespace {

using Align = Table::Align;

/// The search must also find wrongly measured spheres, since their error is the result.
constexpr double searched_within_mm = 0.1;

Discard discard_of(const VerifyOptions& o) {
  return o.discard_worst ? Discard::worst_three_per_mille : Discard::none;
}

SphereLocation found_spheres(const HeightFrame& frame, SphereDrawing drawing,
                             const SphereSearchSettings& settings) {
  for (DrawnSphere& sphere : drawing.spheres)
    sphere.center_u_mm = std::max(sphere.center_u_mm, searched_within_mm);
  return locate_spheres(frame, drawing, settings);
}

/// All pixels of a sphere's cap with its outliers; points beyond the distance of two surfaces belong to another surface.
std::vector<Eigen::Vector3d> cap_of(const SphereSighting& seen, const HeightFrame& frame,
                                    const SphereSearchSettings& settings) {
  const Sphere& sphere = seen.fit.feature;
  std::vector<Eigen::Vector3d> cap;
  for (int row = 0; row < frame.rows; ++row) {
    for (int col = 0; col < frame.cols; ++col) {
      if (frame.class_at(row, col) != PixelClass::ok) continue;
      const Eigen::Vector3d point(frame.x.at(col), frame.y.at(row), frame.z_mm(row, col));
      const Eigen::Vector3d arm = point - sphere.center_mm;
      if (arm.z() < arm.norm() * std::cos(settings.cap_angle_rad)) continue;
      if (std::abs(arm.norm() - sphere.radius_mm) <= settings.jump_mm) cap.push_back(point);
    }
  }
  return cap;
}

std::string probing_text(const SphereLocation& location, const HeightFrame& frame,
                         const SphereDrawing& drawing, const SphereSearchSettings& settings,
                         Discard discard) {
  Table table({{"sphere", Align::right},
               {"PF um", Align::right},
               {"PS um", Align::right},
               {"u", Align::right},
               {"points", Align::right},
               {"discarded", Align::right}});
  for (std::size_t i = 0; i < drawing.spheres.size(); ++i) {
    const auto cap = cap_of(location.spheres[i], frame, settings);
    const DrawnSphere& drawn = drawing.spheres[i];
    const ProbingError p = probing_error(cap, drawn.diameter_mm, drawn.diameter_u_mm, discard);
    table.add({{fmt::format("{}", i + 1)},
               {fmt::format("{:.2f}", p.form_um)},
               {fmt::format("{:+.2f}", p.size_um)},
               {fmt::format("{:.2f}", p.size_u_um)},
               {fmt::format("{}", p.fit.evidence.points)},
               {fmt::format("{}", p.discarded)}});
  }
  return table.text(false);
}

std::string spacing_text(const SphereLocation& location, const SphereDrawing& drawing) {
  Table table({{"spheres"},
               {"calibrated mm", Align::right},
               {"measured mm", Align::right},
               {"SD um", Align::right},
               {"u", Align::right}});
  for (std::size_t i = 0; i < drawing.spheres.size(); ++i) {
    for (std::size_t k = i + 1; k < drawing.spheres.size(); ++k) {
      const DrawnSphere &a = drawing.spheres[i], &b = drawing.spheres[k];
      const double calibrated_mm = (a.center_mm - b.center_mm).norm();
      const SpacingError sd = sphere_spacing_error(location.spheres[i].fit, location.spheres[k].fit,
                                                   calibrated_mm, std::hypot(a.center_u_mm, b.center_u_mm));
      table.add({{fmt::format("{} - {}", i + 1, k + 1)},
                 {fmt::format("{:.4f}", calibrated_mm)},
                 {fmt::format("{:.4f}", sd.measured_mm)},
                 {fmt::format("{:+.2f}", sd.error_um)},
                 {fmt::format("{:.2f}", sd.u_um)}});
    }
  }
  return table.text(false);
}

struct Area {
  double x0 = -HUGE_VAL, x1 = HUGE_VAL, y0 = -HUGE_VAL, y1 = HUGE_VAL;
  bool holds(double x, double y) const { return x >= x0 && x <= x1 && y >= y0 && y <= y1; }
};

Area area_of(const std::string& text) {
  if (text.empty()) return {};
  const auto n = numbers_of(text, 4, "--area");
  if (!(n[0] < n[1] && n[2] < n[3]))
    throw std::invalid_argument("--area " + text + ": wanted: X0,X1,Y0,Y1 in mm with X0 < X1 and Y0 < Y1");
  return {n[0], n[1], n[2], n[3]};
}

}  // namespace

Verified verify_spheres(const VerifyOptions& o) {
  const SensorProfile sensor = load_sensor(o.sensor, 0);
  const SphereDrawing drawing = load_sphere_drawing(o.drawing);
  const HeightFrame frame = read_frame(link_followed(o.frame), sensor);
  SphereSearchSettings settings;
  settings.noise_sigma_mm = noise_mm(frame, sensor);
  settings.allowed_size_mm = searched_within_mm;
  const SphereLocation location = found_spheres(frame, drawing, settings);
  return {Found::good,
          fmt::format("{}\n\n{}\n{}\nof caps of {:.0f} degrees; u: standard uncertainty in um\n"
                      "drawing {}  sha256 {}\n{}",
                      identity_of(o.frame, frame),
                      probing_text(location, frame, drawing, settings, discard_of(o)),
                      spacing_text(location, drawing), settings.cap_angle_rad * 180 / std::numbers::pi,
                      drawing.serial, drawing.sha256, made_by(sensor))};
}

Verified verify_flatness(const VerifyOptions& o) {
  const Area area = area_of(o.area);
  const SensorProfile sensor = load_sensor(o.sensor, 0);
  const HeightFrame frame = read_frame(link_followed(o.frame), sensor);
  std::vector<Eigen::Vector3d> points;
  std::size_t pixels = 0;
  for (int row = 0; row < frame.rows; ++row) {
    for (int col = 0; col < frame.cols; ++col) {
      if (!area.holds(frame.x.at(col), frame.y.at(row))) continue;
      ++pixels;
      if (frame.class_at(row, col) == PixelClass::ok)
        points.emplace_back(frame.x.at(col), frame.y.at(row), frame.z_mm(row, col));
    }
  }
  const FlatnessError f = flatness_error(points, Eigen::Vector3d::UnitZ(), discard_of(o));
  return {
      Found::good,
      fmt::format(
          "F {:.5f} um of {} points ({} of {} pixels not measured, {} discarded), sigma {:.5f} um\n{}\n{}",
          f.flatness_um, points.size(), pixels - points.size(), pixels, f.discarded,
          1e3 * f.fit.evidence.sigma_mm, identity_of(o.frame, frame), made_by(sensor))};
}

}  // namespace datum
