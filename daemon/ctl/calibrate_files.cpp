#include "daemon/ctl/calibrate_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>
#include <stdexcept>

#include "calib/artefact/lines_artefact.h"
#include "calib/artefact/sphere_artefact_search.h"
#include "calib/touch/bar_squareness.h"
#include "calib/touch/touched.h"
#include "calib/verify/mounting.h"
#include "config/toml_reader.h"
#include "daemon/ctl/calibration_draft.h"
#include "daemon/ctl/touch_list.h"
#include "daemon/ctl/verify_frame.h"
#include "daemon/fringe/load_sensor.h"
#include "drivers/sensor/file_bytes.h"

namespace datum {
namespace {

constexpr double degrees = 180 / std::numbers::pi;

std::string angle_text(const char* name, const char* axis, const MountingAngle& a) {
  return fmt::format(
      "{:<6} {:+.5f} deg, U {:.5f} deg (k=2): turn the sensor by {:+.5f} deg about its {} axis ({:+.4f} mm "
      "over 100 mm)\n",
      name, a.rad * degrees, 2 * a.u_rad * degrees, -a.rad * degrees, axis, -100 * std::tan(a.rad));
}

Fit<Plane3, 3> flat_in(const HeightFrame& frame, const std::string& area) {
  double box[4] = {-HUGE_VAL, HUGE_VAL, -HUGE_VAL, HUGE_VAL};
  if (!area.empty()) {
    const auto n = numbers_of(area, 4, "--area");
    std::copy(n.begin(), n.end(), box);
  }
  std::vector<Eigen::Vector3d> points;
  for (int row = 0; row < frame.rows; ++row)
    for (int col = 0; col < frame.cols; ++col) {
      const Eigen::Vector3d p(frame.x.at(col), frame.y.at(row), frame.z_mm(row, col));
      const bool inside = p.x() >= box[0] && p.x() <= box[1] && p.y() >= box[2] && p.y() <= box[3];
      if (inside && frame.class_at(row, col) == PixelClass::ok) points.push_back(p);
    }
  return fit_plane(points, Eigen::Vector3d::UnitZ());
}

AxisPair axes_of(const std::string& plane) {
  if (plane == "xy") return {0, 1, 2};
  if (plane == "xz") return {0, 2, 1};
  return {1, 2, 0};
}

/// Touches of each sphere, its number counted from 1, moved to the machine's orthogonal axes.
std::map<std::size_t, std::vector<Eigen::Vector3d>> touched_spheres(const FileSteps& o,
                                                                    const StageModel& stage,
                                                                    std::size_t spheres) {
  std::map<std::size_t, std::vector<Eigen::Vector3d>> all;
  for (const ListedTouch& t : read_touches(text_of_file(o.touches), o.touches, {"sphere"})) {
    const std::string& name = t.labels[0];
    const bool good = name.size() == 1 && name[0] >= '1' && name[0] <= '0' + static_cast<char>(spheres);
    if (!good)
      throw std::invalid_argument(fmt::format("{}: sphere '{}'; wanted: its number in the drawing, 1 to {}",
                                              o.touches, name, spheres));
    all[static_cast<std::size_t>(name[0] - '0')].push_back(corrected_position(stage, t.tip_mm));
  }
  if (all.size() < spheres)
    throw std::invalid_argument(fmt::format(
        "{}: touches of {} spheres; wanted: of all {}, 5 and more of each", o.touches, all.size(), spheres));
  return all;
}

struct PairedSpheres {
  std::vector<PointPair> pairs;
  std::vector<FeatureResidual> residuals;
  HtmEstimate<Machine, Sensor> machine_from_sensor;
  double rms_um = 0;
};

PairedSpheres paired(const SphereLocation& seen, const SphereDrawing& drawing,
                     const std::map<std::size_t, std::vector<Eigen::Vector3d>>& touches, const Probe& probe) {
  PairedSpheres out;
  for (std::size_t i = 0; i < drawing.spheres.size(); ++i) {
    const DrawnSphere& drawn = drawing.spheres[i];
    // either the ball's calibrated diameter or the tip's is wrong beyond three standard uncertainties and a form of 5 um
    const NominalRadius nominal{
        drawn.diameter_mm / 2,
        0.005 + 3 * std::hypot(drawn.diameter_u_mm / 2, probe.u_radius_mm, probe.u_touch_mm)};
    try {
      const auto ball = sphere_of_touches(touches.at(i + 1), Surface::boss, probe, nominal);
      const auto& sight = seen.spheres[i].fit;
      out.pairs.push_back({ball.feature.center_mm, sight.feature.center_mm,
                           ball.covariance.topLeftCorner<3, 3>(), sight.covariance.topLeftCorner<3, 3>()});
      out.residuals.push_back({fmt::format("{}", i + 1), static_cast<std::int64_t>(sight.evidence.used), 0});
    } catch (const FitRefused& error) {
      throw FitRefused(fmt::format("sphere {}: {}", i + 1, error.what()));
    }
  }
  out.machine_from_sensor = htm_from_pairs<Machine, Sensor>(out.pairs);
  double squares = 0;
  for (std::size_t i = 0; i < out.pairs.size(); ++i) {
    const Eigen::Vector3d off = out.machine_from_sensor.htm * out.pairs[i].from_mm - out.pairs[i].to_mm;
    out.residuals[i].rms_um = 1000 * off.norm() / std::sqrt(3.0);
    squares += off.squaredNorm();
  }
  out.rms_um = 1000 * std::sqrt(squares / static_cast<double>(3 * out.pairs.size()));
  return out;
}

}  // namespace

Verified align_sensor(const FileSteps& o) {
  const SensorProfile sensor = load_sensor(o.sensor, 0);
  const HeightFrame frame = read_frame(link_followed(o.frame), sensor);
  Mounting m;
  if (o.drawing.empty()) {
    m = mounting_of_flat(flat_in(frame, o.area));
  } else {
    const auto at = locate_lines(frame, load_lines_drawing(o.drawing)).estimate;
    m = mounting_of_artefact(at.htm.rotation(), at.covariance.topLeftCorner<3, 3>());
  }
  std::string text = angle_text("roll", "x", m.roll) + angle_text("pitch", "y", m.pitch);
  text +=
      m.yaw
          ? angle_text("yaw", "z", *m.yaw)
          : "yaw    a flat has none: --drawing of a plane-and-lines plate that is aligned with the machine\n";
  text +=
      "turns are right-handed; U is of the pixels' noise as if independent: not of the plate's own "
      "alignment\n";
  double worst_deg = std::max(std::fabs(m.roll.rad), std::fabs(m.pitch.rad)) * degrees;
  if (m.yaw) worst_deg = std::max(worst_deg, std::fabs(m.yaw->rad) * degrees);
  const bool good = o.limit_deg == 0 || worst_deg <= o.limit_deg;
  if (o.limit_deg > 0)
    text += fmt::format("largest {:.5f} deg, limit {:g}: {}\n", worst_deg, o.limit_deg,
                        good ? "good; calibrate" : "turn it back, take another frame");
  return {good ? Found::good : Found::not_good,
          fmt::format("{}{}\n{}", text, identity_of(o.frame, frame), made_by(sensor))};
}

Verified measure_squareness(const FileSteps& o) {
  BarTouches bars[2];
  const std::string text = text_of_file(o.touches);
  for (const ListedTouch& t : read_touches(text, o.touches, {"bar", "ball"})) {
    const bool known =
        (t.labels[0] == "plus" || t.labels[0] == "minus") && (t.labels[1] == "1" || t.labels[1] == "2");
    if (!known)
      throw std::invalid_argument(
          fmt::format("{}: bar '{}', ball '{}'; wanted: bar plus or minus, ball 1 or 2", o.touches,
                      t.labels[0], t.labels[1]));
    bars[t.labels[0] == "minus"][t.labels[1] == "2"].push_back(t.tip_mm);
  }
  const BarSquareness s = squareness_of_bars(bars[0], bars[1], axes_of(o.plane), o.u_touch_um / 1000);
  const std::size_t place = o.plane == "xy" ? 0 : o.plane == "xz" ? 1 : 2;
  const auto row = [&](double value) {
    std::string numbers;
    for (std::size_t k = 0; k < 3; ++k)
      numbers += (k > 0 ? ", " : "") + (k == place ? fmt::format("{:.4e}", value) : "0.0");
    return numbers;
  };
  return {Found::good,
          fmt::format(
              "bar along (1, 1) of {0}: {1:.5f} mm, u {2:.5f}; along (1, -1): {3:.5f} mm, u {4:.5f}\n"
              "squareness of {0}: {5:+.4e} rad, U {6:.1e} rad (k=2): its axes are {7:.6f} degrees apart\n"
              "in [calibration], for those of this plane:\nsquareness_rad = [{8}]\nu_squareness_rad = [{9}]\n"
              "{10}  sha256 {11}\n",
              o.plane, s.plus_mm, s.u_plus_mm, s.minus_mm, s.u_minus_mm, s.squareness_rad, 2 * s.u_rad,
              90 + s.squareness_rad * degrees, row(s.squareness_rad), row(s.u_rad), o.touches,
              config::sha256_hex(text))};
}

Verified calibrate_by_spheres(const FileSteps& o) {
  const DaemonConfig config = config_with_probe(o.config);
  const SensorProfile sensor = load_sensor(o.sensor, 0);
  const SphereDrawing drawing = load_sphere_drawing(o.drawing);
  const HeightFrame frame = read_frame(link_followed(o.frame), sensor);
  const StageModel stage = stage_of(o, *config.calibrate);
  SphereSearchSettings search;
  search.noise_sigma_mm = noise_mm(frame, sensor);
  const SphereLocation seen = locate_spheres(frame, drawing, search);
  const PairedSpheres pairs =
      paired(seen, drawing, touched_spheres(o, stage, drawing.spheres.size()), probe_of(*config.calibrate));
  std::string text;
  for (const FeatureResidual& r : pairs.residuals)
    text += fmt::format("sphere {}: {} pixels, {:.2f} um apart\n", r.feature, r.points, r.rms_um);
  const SolvedFromFiles solved{CalibrationMethod::sphere, "spheres",       drawing.serial, drawing.sha256,
                               pairs.machine_from_sensor, pairs.residuals, pairs.rms_um};
  return store_solved(o, config, sensor, solved, stage, text);
}

}  // namespace datum
