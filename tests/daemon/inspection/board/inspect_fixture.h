// A board that is known exactly: a plane floor, boxes on it, any placement in front of the sensor.
#pragma once

#include <Eigen/Geometry>
#include <cmath>
#include <string>
#include <vector>

#include "daemon/inspection/board/pipeline.h"

namespace datum::testing {

struct Scene {
  Recipe recipe;
  SensorProfile sensor;
  Calibration calibration;
  Pose pose;
  bool calibrated = false;
  std::optional<TemperatureReading> temperature;
  HeightFrame frame;
  Eigen::Isometry3d sensor_from_board = Eigen::Isometry3d::Identity();

  InspectionInputs inputs() const {
    InspectionInputs in;
    in.recipe = &recipe;
    in.sensor = &sensor;
    in.calibration = calibrated ? &calibration : nullptr;
    in.pose = pose;
    in.now_utc_s = 1000;
    in.temperature = temperature;
    in.measured_at = "2026-01-01T00:00:00Z";
    return in;
  }
  BoardVerdict inspect(unsigned threads = 1) const {
    Backend backend;
    backend.threads = threads;
    return datum::inspect(frame, inputs(), backend);
  }
};

inline Component box(const std::string& reference, double x_mm, double y_mm, double rotation_deg,
                     double height_um) {
  Component c;
  c.reference = reference;
  c.package = "box";
  c.body = {{x_mm, y_mm}, {2.0, 1.2}, rotation_deg};
  c.nominal_height_um = height_um;
  Check check;
  check.nominal = height_um;
  check.lower = height_um - 50;
  check.upper = height_um + 50;
  c.checks = {check};
  return c;
}

/// 12 x 8 mm board, 0.04 mm pixels, counts of 0.5 um, U1 400 um and U2 (rotated by 30 degrees) 600 um high.
inline Scene make_scene() {
  Scene s;
  s.recipe.name = "scene";
  s.recipe.sha256 = "0123";
  s.recipe.board_size_mm = {12, 8};
  s.recipe.in_machine_coordinates = false;
  s.recipe.sensor_serial = "S1";
  s.recipe.floor.inner_margin_mm = 0.2;
  s.recipe.floor.outer_margin_mm = 0.8;
  s.recipe.floor.neighbour_margin_mm = 0.2;
  s.recipe.components = {box("U1", 3, 4, 0, 400), box("U2", 8.5, 4, 30, 600)};
  s.sensor.serial = "S1";
  s.sensor.noise = {{0.0}, {2.0}};
  s.sensor.z_min_mm = -5;
  s.sensor.z_max_mm = 5;
  return s;
}

/// A body from above, with its sine and cosine at hand: a frame asks millions of times.
struct Footprint {
  double x_mm, y_mm, half_x_mm, half_y_mm, cosine, sine, height_mm;

  explicit Footprint(const Component& c)
      : x_mm(c.body.centre_mm.x()),
        y_mm(c.body.centre_mm.y()),
        half_x_mm(c.body.size_mm.x() / 2),
        half_y_mm(c.body.size_mm.y() / 2),
        cosine(std::cos(c.body.rotation_deg * M_PI / 180)),
        sine(std::sin(c.body.rotation_deg * M_PI / 180)),
        height_mm(c.nominal_height_um * 1e-3) {}
  bool has(double x, double y) const {
    const double dx = x - x_mm, dy = y - y_mm;
    return std::abs(cosine * dx + sine * dy) <= half_x_mm && std::abs(-sine * dx + cosine * dy) <= half_y_mm;
  }
};

inline std::vector<Footprint> footprints_of(const Recipe& recipe) {
  return {recipe.components.begin(), recipe.components.end()};
}

/// Height of the board's surface over its plane at a board point, in mm: of bodies that overlap the first one's.
inline double surface_mm(const std::vector<Footprint>& bodies, double x, double y) {
  for (const Footprint& body : bodies)
    if (body.has(x, y)) return body.height_mm;
  return 0;
}

/// Deterministic noise without a bias: uniform, standard deviation sigma.
inline double noise_of(int row, int col) {
  std::uint64_t h =
      (static_cast<std::uint64_t>(row) << 32) + static_cast<std::uint32_t>(col) + 0x9E3779B97F4A7C15ull;
  h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ull;
  h = (h ^ (h >> 27)) * 0x94D049BB133111EBull;
  h ^= h >> 31;
  return (static_cast<double>(h >> 11) / 9007199254740992.0 - 0.5) * std::sqrt(12.0);
}

/// Renders the scene's recipe: each pixel's ray meets the floor or a top. Frame x from -2, y from -2 mm.
inline void render(Scene& s, double noise_um = 2.0) {
  HeightFrame& f = s.frame;
  f.cols = 400;
  f.rows = 300;
  f.x = {0.04, -2};
  f.y = {0.04, -2};
  f.z = {0.0005, 0.1};
  f.sensor_serial = "S1";
  f.frame_id = "F1";
  f.content_sha256 = "beef";
  f.source = "scene";
  std::vector<std::int16_t> counts(f.size());
  f.classes.assign(f.size(), PixelClass::ok);
  const Eigen::Isometry3d board_from_sensor = s.sensor_from_board.inverse();
  const Eigen::Matrix3d r = board_from_sensor.linear();
  const auto z_on = [&](double x, double y, double height) {
    return (height - board_from_sensor.translation().z() - r(2, 0) * x - r(2, 1) * y) / r(2, 2);
  };
  const std::vector<Footprint> bodies = footprints_of(s.recipe);
  for (int row = 0; row < f.rows; ++row) {
    for (int col = 0; col < f.cols; ++col) {
      const double x = f.x.at(col), y = f.y.at(row);
      double z = z_on(x, y, 0);
      for (const Footprint& body : bodies) {
        const double top = z_on(x, y, body.height_mm);
        const Eigen::Vector3d p = board_from_sensor * Eigen::Vector3d(x, y, top);
        if (body.has(p.x(), p.y()) && surface_mm(bodies, p.x(), p.y()) == body.height_mm)
          z = std::max(z, top);
      }
      const double um = z * 1e3 + noise_um * noise_of(row, col);
      counts[static_cast<std::size_t>(row) * f.cols + col] =
          static_cast<std::int16_t>(std::lround((um * 1e-3 - f.z.offset_mm) / f.z.scale_mm));
    }
  }
  f.counts = std::move(counts);
}

/// Places the board in the sensor's coordinates, for the recipe in sensor coordinates.
inline void place(Scene& s, const Eigen::Isometry3d& sensor_from_board) {
  s.sensor_from_board = sensor_from_board;
  s.recipe.machine_from_board = Htm<Machine, Board>(sensor_from_board.matrix());
}

/// Calls change(row, col, count, class) for the pixels whose board point lies within the rectangle (unplaced
/// scenes).
template <class Change>
void change_pixels(Scene& s, double x0, double y0, double x1, double y1, Change change) {
  auto& counts = std::get<std::vector<std::int16_t>>(s.frame.counts);
  for (int row = 0; row < s.frame.rows; ++row)
    for (int col = 0; col < s.frame.cols; ++col) {
      const double x = s.frame.x.at(col), y = s.frame.y.at(row);
      if (x < x0 || x > x1 || y < y0 || y > y1) continue;
      const std::size_t i = static_cast<std::size_t>(row) * s.frame.cols + col;
      change(row, col, counts[i], s.frame.classes[i]);
    }
}

}  // namespace datum::testing
