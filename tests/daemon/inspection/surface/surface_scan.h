// A part whose every facet is off by a known distance along its own normal, as a sensor sees it, and the whole stage on it.
#pragma once

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cstring>
#include <functional>

#include "config/toml_reader.h"
#include "daemon/inspection/surface/pipeline_surface.h"
#include "tests/a_calibration.h"
#include "tests/fresh_folder.h"
#include "tests/gpu/model_scenes.h"

namespace datum::testing {

/// Binary STL; corners as they are, so that model and scan have the same.
inline std::string stl_of(const RawModel& m) {
  std::string bytes(80, ' ');
  const auto put = [&](const void* from, std::size_t size) {
    bytes.append(static_cast<const char*>(from), size);
  };
  const auto count = static_cast<std::uint32_t>(m.facets.size());
  put(&count, 4);
  for (const auto& f : m.facets) {
    bytes.append(12, '\0');  // no normals: the corners tell them
    for (const std::uint32_t k : f)
      for (const double c : m.vertices[k]) {
        const auto rounded = static_cast<float>(c);
        put(&rounded, 4);
      }
    bytes.append(2, '\0');
  }
  return bytes;
}

/// mm along a facet's normal, by the place of its middle.
using Offset = std::function<double(const Eigen::Vector3d& middle_mm)>;

/// 260 x 260 pixels of 0.1 mm about the sensor's axis. `convex` parts only: outwards the highest of all facets is seen,
/// inwards the lowest.
inline HeightFrame scan_of(const RawModel& m, const Eigen::Matrix4d& sensor_from_model,
                           const Offset& offset_mm) {
  HeightFrame f;
  f.rows = f.cols = 260;
  f.x = f.y = {0.1, -12.95};
  f.z = {1, 0};
  std::vector<float> z(f.size(), 0.f);
  f.classes.assign(f.size(), PixelClass::no_data);
  for (const auto& facet : m.facets) {
    Eigen::Vector3d p[3];
    for (std::size_t k = 0; k < 3; ++k) {
      const auto& v = m.vertices[facet[k]];
      p[k] = Eigen::Vector3f(float(v[0]), float(v[1]), float(v[2])).cast<double>();
    }
    const double off = offset_mm((p[0] + p[1] + p[2]) / 3);
    Eigen::Vector3d n = (p[1] - p[0]).cross(p[2] - p[0]);
    if (n.norm() == 0) continue;
    n.normalize();
    for (auto& v : p) v = (sensor_from_model * (v + off * n).homogeneous()).head<3>();
    n = sensor_from_model.topLeftCorner<3, 3>() * n;
    if (n.z() < 0.3) continue;
    const auto side = [](const Eigen::Vector3d& a, const Eigen::Vector3d& b, double x, double y) {
      return (b.x() - a.x()) * (y - a.y()) - (b.y() - a.y()) * (x - a.x());
    };
    const auto pixel = [&](double mm) { return static_cast<int>(std::floor((mm + 12.95) / 0.1)); };
    const auto [x0, x1] = std::minmax({p[0].x(), p[1].x(), p[2].x()});
    const auto [y0, y1] = std::minmax({p[0].y(), p[1].y(), p[2].y()});
    for (int row = std::max(0, pixel(y0)); row <= std::min(f.rows - 1, pixel(y1) + 1); ++row)
      for (int col = std::max(0, pixel(x0)); col <= std::min(f.cols - 1, pixel(x1) + 1); ++col) {
        const double x = f.x.at(col), y = f.y.at(row);
        if (side(p[0], p[1], x, y) < 0 || side(p[1], p[2], x, y) < 0 || side(p[2], p[0], x, y) < 0) continue;
        const auto at =
            static_cast<float>(p[0].z() - (n.x() * (x - p[0].x()) + n.y() * (y - p[0].y())) / n.z());
        const auto i = static_cast<std::size_t>(row) * 260 + static_cast<std::size_t>(col);
        const bool first = f.classes[i] != PixelClass::ok;
        if (first || (off > 0 ? at > z[i] : at < z[i])) z[i] = at;
        f.classes[i] = PixelClass::ok;
      }
  }
  f.counts = std::move(z);
  f.sensor_serial = "S7";
  f.frame_id = "1";
  f.content_sha256 = "sha-1";
  f.source = "scan";
  return f;
}

/// Is told of each inspection by this program's threads; empty: nobody asks.
inline std::function<void(const SurfaceInspection& found, const std::vector<SurfaceFrame>& frames,
                          const InspectionInputs& in, SurfaceModels& models)>
    inspected;

/// A cell, a part in it and its recipe; what a test needs it changes before inspect().
struct SurfaceScene {
  explicit SurfaceScene(const RawModel& part) : model(part) {
    calibration = a_calibration("c");
    Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
    m.topLeftCorner<3, 3>() =
        (Eigen::AngleAxisd(0.4, Eigen::Vector3d(1, -2, 0.5).normalized())).toRotationMatrix();
    m.topRightCorner<3, 1>() << 310, 205, 95;
    calibration.machine_from_sensor = Htm<Machine, Sensor>(m);
    calibration.stage.q_cal_mm << 100, 80, 30;
    sensor.serial = "S7";
    sensor.noise.z_mm = {0};
    sensor.noise.sigma_um = {0.01};
    sensor.z_min_mm = -50;
    sensor.z_max_mm = 50;
    sensor_from_model = Eigen::Matrix4d::Identity();
    sensor_from_model.topLeftCorner<3, 3>() = (Eigen::AngleAxisd(0.11, Eigen::Vector3d::UnitX()) *
                                               Eigen::AngleAxisd(-0.07, Eigen::Vector3d::UnitY()) *
                                               Eigen::AngleAxisd(0.6, Eigen::Vector3d::UnitZ()))
                                                  .toRotationMatrix();
    sensor_from_model.topRightCorner<3, 1>() << 0.31, -0.22, 1.7;
    pose.used = true;
    pose.q_mm = {112.5, 71.25, 33.0};
  }

  void scan(const Offset& offset_mm) { frame = scan_of(model, sensor_from_model, offset_mm); }
  float& height(int row, int col) {
    return std::get<std::vector<float>>(
        frame.counts)[static_cast<std::size_t>(row) * 260 + static_cast<std::size_t>(col)];
  }
  PixelClass& pixel(int row, int col) {
    return frame.classes[static_cast<std::size_t>(row) * 260 + static_cast<std::size_t>(col)];
  }

  Recipe recipe(const std::string& regions, const std::string& file = "") {
    const std::string bytes = file.empty() ? stl_of(model) : file;
    folder.write("part.stl", bytes);
    const Eigen::Matrix4d placed =
        calibration.at(Eigen::Vector3d(pose.q_mm[0], pose.q_mm[1], pose.q_mm[2])).matrix() *
        sensor_from_model;
    std::string numbers;
    for (int i = 0; i < 16; ++i) numbers += fmt::format("{}{:.17g}", i > 0 ? ", " : "", placed(i / 4, i % 4));
    const std::string text = fmt::format(
        "schema = 1\nkind = \"surface\"\nname = \"part\"\nsensor_serial = \"S7\"\n"
        "[model]\nfile = \"part.stl\"\nsha256 = \"{}\"\nunit = \"{}\"\nsize_mm = [{}]\nsize_tolerance_mm = "
        "0.001\n"
        "[placement]\ncoordinates = \"machine\"\nmachine_from_model = [{}]\n{}"
        "[surface]\nsearch_mm = 1\nreach_mm = 0.5\nwindow_px = {}\n{}[decision]\nrule = \"simple\"\n{}",
        config::sha256_hex(bytes), unit, size, numbers, snapshots, window_px, surface_keys, regions);
    return load_recipe(folder.write("part.toml", text));
  }

  SurfaceInspection inspect(const Recipe& recipe, unsigned threads = 1) {
    return inspect(recipe, {{&frame, pose}}, threads);
  }
  SurfaceInspection inspect(const Recipe& recipe, const std::vector<SurfaceFrame>& frames,
                            unsigned threads = 1) {
    InspectionInputs in;
    in.recipe = &recipe;
    in.sensor = &sensor;
    in.calibration = &calibration;
    in.now_utc_s = calibration.made_utc_s + 1;
    in.finder = finder;
    in.matcher = matcher;
    in.sharer = sharer;
    in.comparer = comparer;
    SurfaceInspection found = inspect_surface(frames, in, models, cpu_backend(threads));
    if (inspected && !comparer && !sharer && !matcher) inspected(found, frames, in, models);
    return found;
  }

  RawModel model;
  Calibration calibration;
  SensorProfile sensor;
  Eigen::Matrix4d sensor_from_model;
  Pose pose;
  HeightFrame frame;
  std::string unit = "mm", size = "0, 0, 0", snapshots = "", surface_keys = "";
  int window_px = 1;
  DistanceFinder* finder = nullptr;
  FacetMatcher* matcher = nullptr;
  AreaSharer* sharer = nullptr;
  SurfaceComparer* comparer = nullptr;
  SurfaceModels models;  // as the daemon keeps them from part to part
  FreshFolder folder;
};

inline std::string region(const std::string& name, const std::string& place, const std::string& checks) {
  return "[[region]]\nname = \"" + name + "\"\nmin_coverage = 0.5\nmax_gap_mm = 3\n" + place + checks;
}

inline std::string check(const std::string& text) {
  return "[[region.check]]\ncharacteristic = " + text + "\n";
}

}  // namespace datum::testing
