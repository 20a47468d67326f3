#include "daemon/inspection/recipe/sensor_fit.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>
#include <optional>

#include "config/toml_reader.h"
#include "daemon/inspection/recipe/panel_recipe.h"
#include "daemon/inspection/recipe/recipe_doubt.h"

namespace datum {
namespace {

using config::shown;

constexpr double um_in_mm = 1000;

/// Rounded for messages.
std::string brief(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

/// "U3" or "U3 and 4 more".
std::string named(const std::vector<std::string>& references) {
  return references.front() +
         (references.size() == 1 ? "" : " and " + std::to_string(references.size() - 1) + " more");
}

/// Where the board lies in sensor coordinates; none: it is not known before a frame.
std::optional<Eigen::Matrix4d> sensor_from_board(const Recipe& recipe, const Calibration* at_rest) {
  const Eigen::Matrix4d placed = recipe.machine_from_board.matrix();
  if (!recipe.in_machine_coordinates) return placed;
  if (!at_rest) return std::nullopt;
  return Eigen::Matrix4d(at_rest->machine_from_sensor.inverse().matrix() * placed);
}

Eigen::Vector3d moved(const Eigen::Matrix4d& to_from, const Eigen::Vector3d& p) {
  return (to_from * p.homogeneous()).head<3>();
}

void doubt_place(const Recipe& recipe, const SensorProfile& sensor, const Eigen::Matrix4d& placed,
                 SensorFit& fit) {
  const std::string range = "measuring range, " + shown(sensor.z_min_mm) + " to " + shown(sensor.z_max_mm) +
                            " mm (z_min_mm, z_max_mm of " + sensor.serial + ")";
  const Eigen::Vector2d size = recipe.board_size_mm;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const auto& corner :
       {Eigen::Vector2d(0, 0), Eigen::Vector2d(size.x(), 0), Eigen::Vector2d(0, size.y()), size}) {
    const double z = moved(placed, {corner.x(), corner.y(), 0}).z();
    low = std::min(low, z);
    high = std::max(high, z);
  }
  if (low > sensor.z_max_mm || high < sensor.z_min_mm) {
    fit.doubts.push_back("board: lies at z = " + brief(low) + " to " + brief(high) +
                         " mm in sensor coordinates, outside of the " + range);
    return;
  }
  std::vector<std::string> outside;
  double top = 0;
  for (const Component& c : recipe.components) {
    const double z =
        moved(placed, {c.body.centre_mm.x(), c.body.centre_mm.y(), c.nominal_height_um / um_in_mm}).z();
    if (z >= sensor.z_min_mm && z <= sensor.z_max_mm) continue;
    if (outside.empty()) top = z;
    outside.push_back(c.reference);
  }
  if (!outside.empty())
    fit.doubts.push_back(named(outside) + ": the top lies at z = " + brief(top) +
                         " mm in sensor coordinates, outside of the " + range);
  constexpr double farthest_mm = 3000;  // a frame is no larger
  const Eigen::Vector3d middle = moved(placed, {size.x() / 2, size.y() / 2, 0});
  if (middle.head<2>().norm() - size.norm() / 2 > farthest_mm)
    fit.doubts.push_back(
        "board: lies " + brief(middle.head<2>().norm() / um_in_mm) +
        " m beside the origin of the sensor, outside of its field of view; lengths are in mm");
}

std::string field_text(const SensorProfile& sensor) {
  const auto text = [](const Interval& i) { return brief(i.min_mm) + " to " + brief(i.max_mm); };
  return "field of view, x " + text(*sensor.field_x) + " and y " + text(*sensor.field_y) +
         " mm (field_x_mm, field_y_mm of " + sensor.serial + ")";
}

/// Components whose centre no frame shows. `placed`: null where a stage moves the board, so that only its size is compared.
void doubt_field(const Recipe& recipe, const SensorProfile& sensor,
                 const std::optional<Eigen::Matrix4d>& placed, SensorFit& fit) {
  const Interval x = *sensor.field_x, y = *sensor.field_y;
  if (!placed) {
    const double across = std::hypot(x.max_mm - x.min_mm, y.max_mm - y.min_mm);
    Eigen::AlignedBox2d centres;
    for (const Component& c : recipe.components)
      centres.extend(Eigen::Vector2d(c.body.centre_mm.x(), c.body.centre_mm.y()));
    const double width = recipe.components.empty() ? 0 : centres.sizes().maxCoeff();
    if (width > across)  // in any rotation
      fit.doubts.push_back("component: the centres are " + brief(width) + " mm apart, the diagonal of the " +
                           field_text(sensor) + " is " + brief(across) + " mm");
    return;
  }
  std::vector<std::string> outside;
  Eigen::Vector2d first(0, 0);
  for (const Component& c : recipe.components) {
    const Eigen::Vector3d at = moved(*placed, {c.body.centre_mm.x(), c.body.centre_mm.y(), 0});
    if (at.x() >= x.min_mm && at.x() <= x.max_mm && at.y() >= y.min_mm && at.y() <= y.max_mm) continue;
    if (outside.empty()) first = at.head<2>();
    outside.push_back(c.reference);
  }
  if (!outside.empty())
    fit.doubts.push_back(named(outside) + ": the centre lies at x = " + brief(first.x()) +
                         ", y = " + brief(first.y()) + " mm in sensor coordinates, outside of the " +
                         field_text(sensor));
}

/// U (k = 2) in mdeg of the least-squares slope across a body, of independent noise alone: s sqrt(12 / n) / L along the
/// shorter side L of n pixels (variance of a slope of evenly spread points).
double least_tilt_uncertainty_mdeg(const Component& c, const SensorProfile& sensor, double pitch_mm) {
  const double sigma_um = *std::min_element(sensor.noise.sigma_um.begin(), sensor.noise.sigma_um.end());
  const double n = c.body.size_mm.prod() / (pitch_mm * pitch_mm);
  const double slope = sigma_um / um_in_mm * std::sqrt(12 / n) / c.body.size_mm.maxCoeff();
  return 2 * slope * 180 / std::numbers::pi * 1000;
}

void doubt_pixels(const Recipe& recipe, const SensorProfile& sensor, SensorFit& fit) {
  const double pitch = *sensor.pixel_pitch_mm;
  std::vector<std::string> small, tilted;
  double limit = 0, least = 0;
  for (const Component& c : recipe.components) {
    if (c.body.size_mm.prod() < recipe.body.min_pixels * pitch * pitch) {
      small.push_back(c.reference);
      continue;
    }
    for (const Check& check : c.checks) {
      if (check.characteristic != Characteristic::tilt || !check.upper) continue;
      if (*check.upper < doubted_tilt_mdeg) continue;  // its reader has warned
      const double u = least_tilt_uncertainty_mdeg(c, sensor, pitch);
      if (*check.upper >= u) continue;
      if (tilted.empty()) limit = *check.upper, least = u;
      tilted.push_back(c.reference);
    }
  }
  if (!small.empty())
    fit.doubts.push_back(named(small) + ": the body has fewer pixels of " + shown(pitch) +
                         " mm (pixel_pitch_mm of " + sensor.serial + ") than body.min_pixels = " +
                         std::to_string(recipe.body.min_pixels) + "; lengths are in mm");
  if (!tilted.empty())
    fit.doubts.push_back(named(tilted) + ": the limit of the tilt, " + brief(limit) +
                         " mdeg, lies below the uncertainty U = " + brief(least) +
                         " mdeg that the sensor's noise alone makes; 1 degree is 1000 mdeg");
}

}  // namespace

SensorFit sensor_fit(const Recipe& recipe, const SensorProfile& sensor, const Calibration* at_rest) {
  SensorFit fit;
  if (recipe.surface || recipe.sensor_serial != sensor.serial) return fit;
  const double range_mm = sensor.z_max_mm - sensor.z_min_mm;
  for (const Component& c : recipe.components)
    if (c.nominal_height_um / um_in_mm > range_mm)
      fit.refusals.push_back(c.reference + ".nominal_um: " + shown(c.nominal_height_um) + " um are " +
                             shown(c.nominal_height_um / um_in_mm) +
                             " mm, more than the measuring range of " + sensor.serial + ", " +
                             shown(range_mm) + " mm (z_min_mm to z_max_mm); allowed: at most " +
                             shown(range_mm * um_in_mm));
  if (!fit.refusals.empty()) return fit;
  const auto placed = sensor_from_board(recipe, at_rest);
  const std::optional<Recipe> panel = recipe.panel ? std::optional(panel_as_board(recipe)) : std::nullopt;
  const Recipe& seen = panel ? *panel : recipe;
  if (placed) doubt_place(seen, sensor, *placed, fit);
  const bool in_one = recipe.snapshots.poses.empty();
  if (in_one && sensor.field_x && sensor.field_y && fit.doubts.empty())
    doubt_field(seen, sensor, placed, fit);
  if (sensor.pixel_pitch_mm && *sensor.pixel_pitch_mm <= 5)  // beyond, its reader has warned
    doubt_pixels(recipe, sensor, fit);
  return fit;
}

}  // namespace datum
