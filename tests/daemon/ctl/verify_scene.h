// Frames of a sensor S7 written as its deliveries, for commands that read them again.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "calib/artefact/sphere_artefact_drawing.h"
#include "daemon/ctl/verify.h"
#include "tests/a_calibration.h"
#include "tests/calib/registration/board_scene.h"
#include "tests/fresh_folder.h"
#include "tests/virtual_cell/virtual_sensor_drop.h"

namespace datum {

inline constexpr double count_mm = 0.002;

struct DatumctlVerify : ::testing::Test {
  DatumctlVerify() {
    o.sensor = folder
                   .write("s7.toml",
                          "schema = 1\nserial = \"S7\"\nmodel = \"scene\"\nhandedness = \"right\"\n"
                          "z_min_mm = -40.0\nz_max_mm = 40.0\nscale_uncertainty_ppm = 0.0\n"
                          "linearity_um = 0.0\n[noise]\nz_mm = [0.0]\nsigma_um = [10.0]\n")
                   .string();
    o.calibration = folder.write("c.toml", to_toml(calibration())).string();
    o.now_utc_s = *utc_from_iso8601("2026-05-01T00:00:00Z");
    o.position_u_um = 1;
  }
  static Calibration calibration() {
    Calibration c = testing::a_calibration("may");
    Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
    m.topLeftCorner<3, 3>() = (Eigen::AngleAxisd(0.03, Eigen::Vector3d::UnitX()) *
                               Eigen::AngleAxisd(0.09, Eigen::Vector3d::UnitZ()))
                                  .toRotationMatrix();
    c.machine_from_sensor = Htm<Machine, Sensor>(m);
    return c;
  }
  /// Writes heights in mm as a delivery of sensor S7 with int16 counts of 2 um; returns the file.
  std::string delivered(HeightFrame frame, const std::string& id) {
    std::vector<std::int16_t> counts;
    for (int row = 0; row < frame.rows; ++row)
      for (int col = 0; col < frame.cols; ++col)
        counts.push_back(frame.class_at(row, col) == PixelClass::ok
                             ? static_cast<std::int16_t>(std::lround(frame.z_mm(row, col) / count_mm))
                             : std::int16_t{-32768});
    frame.counts = counts;
    frame.z = {count_mm, 0};
    frame.sensor_serial = "S7";
    frame.job = "scene";
    frame.frame_id = id;
    frame.captured = {1, ClockDomain::utc};
    deliver(frame, DropFormat::tiff16, DropFault::none, folder.path(), id);
    return (folder.path() / (id + ".json")).string();
  }
  /// The frame of S7 on a surface with the stage at q.
  std::string at(const testing::Surface& surface, const Eigen::Vector3d& q, std::uint64_t seed) {
    return delivered(testing::seen(surface, calibration().at(q).matrix(), seed), fmt::format("f{}", seed));
  }
  std::string refusal_of(Verified (*step)(const VerifyOptions&)) {
    try {
      return step(o).text;
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  testing::FreshFolder folder;
  VerifyOptions o;
};

struct DatumctlVerifyArtefact : DatumctlVerify {
  DatumctlVerifyArtefact() {
    o.drawing = std::string(DATUM_SOURCE_DIR) + "/config/sphere_artefacts/three-spheres.toml";
  }
  /// Pixels of 0.2 mm over 112 x 100 mm; height in mm of each place.
  std::string scene(const testing::Surface& height, const std::string& id) {
    HeightFrame f;
    f.rows = 500;
    f.cols = 560;
    f.x = {0.2, -20};
    f.y = {0.2, -20};
    f.z = {1, 0};
    std::mt19937_64 random(5);
    std::normal_distribution<double> noise(0, 0.003);
    std::vector<float> heights;
    for (int row = 0; row < f.rows; ++row)
      for (int col = 0; col < f.cols; ++col)
        heights.push_back(static_cast<float>(height(f.x.at(col), f.y.at(row)) + noise(random)));
    f.counts = heights;
    f.classes.assign(f.size(), PixelClass::ok);
    return delivered(f, id);
  }
  /// The spheres of the drawing above a table, each `larger_mm` larger in diameter, all positions stretched.
  testing::Surface spheres(double larger_mm, double stretch) const {
    const SphereDrawing drawing = load_sphere_drawing(o.drawing);
    return [=](double x, double y) {
      double z = -30;
      for (const DrawnSphere& s : drawing.spheres) {
        const Eigen::Vector3d c = stretch * s.center_mm + Eigen::Vector3d(4, 8, -6);
        const double d2 = std::pow(x - c.x(), 2) + std::pow(y - c.y(), 2),
                     r = (s.diameter_mm + larger_mm) / 2;
        if (d2 < r * r) z = std::max(z, c.z() + std::sqrt(r * r - d2));
      }
      return z;
    };
  }
};

}  // namespace datum
