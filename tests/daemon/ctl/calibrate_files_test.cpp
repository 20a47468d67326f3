// datumctl calibrate align, squareness, spheres and lines: from files alone.
#include "daemon/ctl/calibrate_files.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "calib/artefact/lines_drawing.h"
#include "calib/calibration.h"
#include "tests/calib/artefact/artefact_poses.h"
#include "tests/calib/artefact/lines_picture.h"
#include "tests/daemon/ctl/verify_scene.h"
#include "tests/drivers/sensor/tiny_files.h"

namespace datum {
namespace calibrate_files_test {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

/// A cell whose probe is calibrated, and touches of the spheres as its scales read them.
struct DatumctlCalibrate : DatumctlVerifyArtefact {
  DatumctlCalibrate() {
    files.sensor = o.sensor;
    files.drawing = o.drawing;
    files.operator_name = "J. Miller";
    files.degc = 20;
    files.stage = "100,80,30";
    files.now_utc_s = o.now_utc_s;
    files.output = (folder.path() / "spheres.toml").string();
    for (const char* name : {"recipes", "calibrations", "artefacts", "drop"})
      std::filesystem::create_directories(folder.path() / name);
    files.config = folder
                       .write("datumd.toml", R"(schema = 1
cell = "c"
[sensor]
profile = "s7.toml"
drop_folder = "drop"
[inspection]
recipes_folder = "recipes"
calibrations_folder = "calibrations"
trigger = "bus"
frame_timeout_ms = 20000
[results]
store_file = "results.db"
[host.tcp]
port = 47123
[calibration]
artefacts_folder = "artefacts"
probe_radius_mm = 1.5
probe_u_radius_um = 0.5
probe_u_touch_um = 1.0
[cmm]
preset = "grbl_1_1"
unit = "mm"
[cmm.serial]
path = "/dev/null"
baud = 115200
)")
                       .string();
    machine_from_sensor.translate(Eigen::Vector3d(310, 205, 95));
    machine_from_sensor.rotate(Eigen::AngleAxisd(2.0, Eigen::Vector3d(1, 0.2, -0.3).normalized()));
  }
  void touch(double larger_mm = 0) {
    std::mt19937 random(9);
    std::normal_distribution<double> noise(0, 0.001);
    std::string text = "# tip centres\nx_mm,sphere,y_mm,z_mm\n";
    const SphereDrawing drawing = load_sphere_drawing(o.drawing);
    for (std::size_t i = 0; i < drawing.spheres.size(); ++i)
      for (int k = 0; k < 9; ++k) {
        const double theta = k == 8 ? 0 : (k % 2 ? 0.5 : 1.3), phi = 0.785 * k;
        const Eigen::Vector3d n(std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi),
                                std::cos(theta));
        const Eigen::Vector3d centre = drawing.spheres[i].center_mm + Eigen::Vector3d(4, 8, -6);
        const double r = drawing.spheres[i].diameter_mm / 2 + 1.5 + larger_mm + noise(random);
        const Eigen::Vector3d tip = machine_from_sensor * (centre + r * n);
        text += fmt::format("{:.6f},{},{:.6f},{:.6f}\n", tip.x(), i + 1, tip.y(), tip.z());
      }
    files.touches = folder.write("touches.csv", text).string();
  }
  std::string refusal(Verified (*step)(const FileSteps&)) {
    try {
      return step(files).text;
    } catch (const std::exception& error) {
      return error.what();
    }
  }
  FileSteps files;
  Eigen::Isometry3d machine_from_sensor = Eigen::Isometry3d::Identity();
};

// The sensor stands turned by 2 rad: a pose like any other. Centres are known to some um (allowed 2.5 each), 72 mm apart.
TEST_F(DatumctlCalibrate, SpheresTouchedAndSeenAreACalibration) {
  files.frame = scene(spheres(0, 1), "spheres");
  touch();
  const Verified v = calibrate_by_spheres(files);
  EXPECT_THAT(
      v.text,
      HasSubstr("spheres.toml: written\ncurrent by: datumctl calibrate accept spheres_20260501T000000Z"));
  const Calibration c = load_calibration(files.output);
  EXPECT_EQ(c.method, CalibrationMethod::sphere);
  EXPECT_EQ(c.sensor_serial, "S7");
  EXPECT_EQ(datum::refusal(c, "S7", files.now_utc_s), "");
  const Eigen::Vector3d place(40, 30, -6);
  const Eigen::Vector3d off = c.machine_from_sensor * place - machine_from_sensor * place;
  const Eigen::Matrix3d u2 =
      point_covariance(HtmEstimate<Machine, Sensor>{c.machine_from_sensor, c.covariance}, place);
  EXPECT_LT(off.norm(), 4 * std::sqrt(u2.trace())) << "of U with k = 4";
  EXPECT_LT(std::sqrt(u2.trace()), 0.005);
  EXPECT_THAT(refusal(calibrate_by_spheres), HasSubstr("spheres.toml: exists"));
}

TEST_F(DatumctlCalibrate, SpheresThatContradictAreRefused) {
  files.frame = scene(spheres(0, 1), "spheres");
  touch(0.05);  // another tip than the configuration's
  EXPECT_THAT(refusal(calibrate_by_spheres), HasSubstr("sphere 1: "));
  touch();
  files.touches = folder.write("two.csv", "sphere,x_mm,y_mm,z_mm\n1,0,0,0\n4,0,0,0\n").string();
  EXPECT_THAT(refusal(calibrate_by_spheres),
              HasSubstr("sphere '4'; wanted: its number in the drawing, 1 to 3"));
  files.touches = folder.write("two.csv", "sphere,x_mm,y_mm,z_mm\n1,0,0,0\n2,0,0,0\n").string();
  EXPECT_THAT(refusal(calibrate_by_spheres), HasSubstr("touches of 2 spheres; wanted: of all 3"));
  files.touches = folder.write("two.csv", "sphere,x_mm,y_mm\n").string();
  EXPECT_THAT(refusal(calibrate_by_spheres),
              HasSubstr("two.csv:1: 3 fields; wanted: 4: sphere,x_mm,y_mm,z_mm"));
  files.touches = folder.write("two.csv", "sphere,x_mm,y_mm,z_mm\n1,0,zero,0\n").string();
  EXPECT_THAT(refusal(calibrate_by_spheres), HasSubstr("two.csv:2: 'zero'; wanted: a number in mm"));
  EXPECT_FALSE(std::filesystem::exists(files.output)) << "nothing is written where it refuses";
}

/// A plane-and-lines plate turned by 5 degrees before the sensor, which stands turned by 2 rad on the machine.
struct DatumctlCalibrateLines : DatumctlCalibrate {
  DatumctlCalibrateLines() {
    files.drawing = std::string(DATUM_SOURCE_DIR) + "/config/artefacts/plane-and-lines.toml";
    std::string config = read_file(files.config);
    // Out of the plate's upper side: the sensor looks at it along its own -z.
    const Eigen::Vector3d out = machine_from_sensor.rotation().col(2);
    config.replace(config.find("probe_u_touch_um = 1.0"), 0,
                   fmt::format("outwards = [{}, {}, {}]\n", out.x(), out.y(), out.z()));
    files.config = folder.write("datumd.toml", config).string();
    Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
    m.topLeftCorner<3, 3>() = Eigen::AngleAxisd(0.087, Eigen::Vector3d::UnitZ()).toRotationMatrix();
    m.topRightCorner<3, 1>() << 1.5, -2.5, 0.4;
    sensor_from_plate = Htm<Sensor, Artefact>(m);
    const HeightFrame seen = testing::picture(load_lines_drawing(files.drawing), sensor_from_plate, {});
    files.frame = delivered(seen, "lines");
    std::vector<std::uint8_t> grey(seen.intensity->grey.begin(), seen.intensity->grey.end());
    write_png<std::uint8_t>(folder.path() / "lines_i.png", seen.rows, seen.cols, grey);
    auto sidecar = nlohmann::json::parse(read_file(files.frame));
    sidecar["intensity_file"] = "lines_i.png";
    sidecar["sha256"].erase("intensity");  // of the image that this one replaces
    write_file(files.frame, sidecar.dump());
  }
  void touch_plate(const char* left = "left") {
    std::mt19937 random(4);
    std::normal_distribution<double> noise(0, 0.001);
    std::string text = "face,x_mm,y_mm,z_mm\n";
    const auto add = [&](const std::string& face, const Eigen::Vector3d& at, const Eigen::Vector3d& n) {
      const Eigen::Vector3d tip =
          machine_from_sensor * Eigen::Vector3d(sensor_from_plate * (at + (1.5 + noise(random)) * n));
      text += fmt::format("{},{:.6f},{:.6f},{:.6f}\n", face, tip.x(), tip.y(), tip.z());
    };
    for (const double x : {-20.0, 30.0})
      for (const double y : {-15.0, 25.0}) add("top", {x, y, 0}, {0, 0, 1});
    for (const double y : {-18.0, 5.0, 28.0}) add(left, {-28, y, -3}, {-1, 0, 0});
    for (const double x : {-20.0, 30.0}) add("lower", {x, -22, -3}, {0, -1, 0});
    files.touches = folder.write("edges.csv", text).string();
  }
  Htm<Sensor, Artefact> sensor_from_plate;
};

TEST_F(DatumctlCalibrateLines, APlateSeenAndTouchedIsACalibration) {
  touch_plate();
  const Verified v = calibrate_by_lines(files);
  EXPECT_THAT(v.text, HasSubstr("current by: datumctl calibrate accept lines_20260501T000000Z"));
  const Calibration c = load_calibration(files.output);
  EXPECT_EQ(c.method, CalibrationMethod::lines);
  EXPECT_EQ(c.artefact_serial, "PL-0001");
  EXPECT_EQ(c.residuals[0].feature, "top touch");
  EXPECT_EQ(datum::refusal(c, "S7", files.now_utc_s), "");
  const Eigen::Vector3d place(5, 3, 0);
  const Eigen::Vector3d off = c.machine_from_sensor * place - machine_from_sensor * place;
  const Eigen::Matrix3d u2 =
      point_covariance(HtmEstimate<Machine, Sensor>{c.machine_from_sensor, c.covariance}, place);
  EXPECT_LT(off.norm(), 4 * std::sqrt(u2.trace())) << "of U with k = 4";
  EXPECT_LT(std::sqrt(u2.trace()), 0.03) << "edges of 10 um against their lines";
}

TEST_F(DatumctlCalibrateLines, WhatDoesNotFitIsRefused) {
  touch_plate("right");
  EXPECT_THAT(refusal(calibrate_by_lines), HasSubstr("its touches lie on the other side of the plate"));
  touch_plate("side");
  EXPECT_THAT(refusal(calibrate_by_lines),
              HasSubstr("face 'side'; wanted: top, left, right, lower or upper"));
  touch_plate();
  std::string drawing = read_file(files.drawing);
  drawing.erase(drawing.find("outline_um"),
                drawing.find('\n', drawing.find("outline_um")) - drawing.find("outline_um"));
  files.drawing = folder.write("plate.toml", drawing).string();
  EXPECT_THAT(refusal(calibrate_by_lines), HasSubstr("tolerance.outline_um is missing"));
  EXPECT_FALSE(std::filesystem::exists(files.output)) << "nothing is written where it refuses";
}

// 0.3 degrees about x, by the printed convention: y is lifted by 5.236 um a mm.
TEST_F(DatumctlCalibrate, AFlatTellsWhatToTurnBack) {
  const double slope = std::tan(0.3 * 3.14159265358979 / 180);
  files.drawing.clear();
  files.frame = scene([=](double, double y) { return -slope * y; }, "flat");
  const Verified v = align_sensor(files);
  EXPECT_THAT(v.text, MatchesRegex("roll   .0.(2999|3000)(.|\n)*"));
  EXPECT_THAT(v.text, HasSubstr("turn the sensor by -0."));
  EXPECT_THAT(v.text, HasSubstr("yaw    a flat has none"));
  EXPECT_EQ(v.found, Found::good);
  files.limit_deg = 0.1;
  EXPECT_EQ(align_sensor(files).found, Found::not_good);
  files.limit_deg = 0.4;
  EXPECT_EQ(align_sensor(files).found, Found::good);
}

TEST_F(DatumctlCalibrate, BarsTellTheLinesOfTheConfiguration) {
  std::string text = "bar,ball,x_mm,y_mm,z_mm\n";
  for (const double side : {1.0, -1.0})
    for (const double ball : {0.0, 1.0})
      for (int k = 0; k < 9; ++k) {
        const double theta = k == 8 ? 0 : (k % 2 ? 0.5 : 1.3), phi = 0.785 * k;
        const Eigen::Vector3d true_tip =
            Eigen::Vector3d(ball, side * ball, 0) * 300 / std::sqrt(2.0) +
            13.5 * Eigen::Vector3d(std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi),
                                   std::cos(theta));
        const double s = 8.073e-4;  // the thesis' machine
        text += fmt::format("{},{},{:.6f},{:.6f},{:.6f}\n", side > 0 ? "plus" : "minus", ball + 1,
                            true_tip.x() + s * true_tip.y(), true_tip.y(), true_tip.z());
      }
  files.touches = folder.write("bars.csv", text).string();
  files.u_touch_um = 1;
  const Verified v = measure_squareness(files);
  EXPECT_THAT(v.text, MatchesRegex("(.|\n)*squareness of xy: .8.0[67][0-9]*e-04 rad(.|\n)*"));
  EXPECT_THAT(v.text, MatchesRegex("(.|\n)*\nsquareness_rad = .8.0[67][0-9]*e-04, 0.0, 0.0.(.|\n)*"));
  files.touches = folder.write("bars.csv", "bar,ball,x_mm,y_mm,z_mm\nup,1,0,0,0\n").string();
  EXPECT_THAT(refusal(measure_squareness), HasSubstr("bar 'up', ball '1'; wanted: bar plus or minus"));
}

}  // namespace calibrate_files_test
}  // namespace datum
