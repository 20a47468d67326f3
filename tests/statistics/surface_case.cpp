#include "tests/statistics/surface_case.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "config/toml_reader.h"
#include "tests/virtual_cell/part_scene.h"
#include "tests/virtual_cell/twin_render.h"

namespace datum::statistics {
namespace {

using Eigen::Vector3d;

constexpr double pitch_mm = 0.15;
constexpr int side_px = 260;

TwinView view() {
  TwinView v;
  v.rows = v.cols = side_px;
  v.x = v.y = {pitch_mm, -pitch_mm * (side_px - 1) / 2};
  return v;
}

Vector3d nearest_place(const Vector3d& p, const PartFacet& t) {
  const Vector3d n = (t[1] - t[0]).cross(t[2] - t[0]);
  bool inside = true;
  for (std::size_t k = 0; k < 3; ++k) inside = inside && n.dot((t[(k + 1) % 3] - t[k]).cross(p - t[k])) >= 0;
  if (inside) return p - n * (n.dot(p - t[0]) / n.squaredNorm());
  Vector3d best = t[0];
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3d &a = t[k], side = t[(k + 1) % 3] - a;
    const Vector3d q = a + side * std::clamp((p - a).dot(side) / side.squaredNorm(), 0.0, 1.0);
    if ((p - q).norm() < (p - best).norm()) best = q;
  }
  return best;
}

/// Facets that face the sensor, in its coordinates.
class Oracle {
 public:
  Oracle(const std::vector<PartFacet>& drawn, const Eigen::Matrix4d& sensor_from_part) {
    for (PartFacet f : drawn) {
      for (Vector3d& v : f) v = (sensor_from_part * v.homogeneous()).head<3>();
      if ((f[1] - f[0]).cross(f[2] - f[0]).normalized().z() <= std::cos(75 * M_PI / 180)) continue;
      const Vector3d low = f[0].cwiseMin(f[1]).cwiseMin(f[2]), high = f[0].cwiseMax(f[1]).cwiseMax(f[2]);
      for (int x = cell(low.x()); x <= cell(high.x()); ++x)
        for (int y = cell(low.y()); y <= cell(high.y()); ++y) cells_[{x, y}].push_back(facets_.size());
      facets_.push_back(f);
    }
  }
  /// Distance to the nearest facet, at most `most`.
  double distance(const Vector3d& p, double most) const {
    double least = most;
    const int x = cell(p.x()), y = cell(p.y()), rings = static_cast<int>(most) + 1;
    for (int ring = 0; ring <= rings && ring - 1 <= least; ++ring)
      for (int i = x - ring; i <= x + ring; ++i)
        for (int k = y - ring; k <= y + ring; ++k) {
          if (std::max(std::abs(i - x), std::abs(k - y)) != ring) continue;
          const auto found = cells_.find({i, k});
          if (found == cells_.end()) continue;
          for (const std::size_t f : found->second)
            least = std::min(least, (p - nearest_place(p, facets_[f])).norm());
        }
    return least;
  }

 private:
  static int cell(double mm) { return static_cast<int>(std::floor(mm)); }
  std::vector<PartFacet> facets_;
  std::map<std::pair<int, int>, std::vector<std::size_t>> cells_;
};

double normal_z(const TwinSurface& good, int row, int col) {
  const auto z = [&](int r, int c) { return good.z_mm[static_cast<std::size_t>(r * side_px + c)]; };
  const int r = std::clamp(row, 1, side_px - 2), c = std::clamp(col, 1, side_px - 2);
  // The flatter side, since the other may cross a step.
  const auto slope = [&](double a, double b, double d) {
    return std::min(std::abs(b - a), std::abs(d - b)) / pitch_mm;
  };
  const double x = slope(z(r, c - 1), z(r, c), z(r, c + 1)), y = slope(z(r - 1, c), z(r, c), z(r + 1, c));
  return 1 / std::sqrt(1 + x * x + y * y);
}

}  // namespace

SurfaceCell::SurfaceCell(const Solid& solid, double limit_um) : solid_(solid), limit_um_(limit_um) {
  calibration_ = testing::a_calibration("c");
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topLeftCorner<3, 3>() =
      (Eigen::AngleAxisd(0.06, Vector3d::UnitX()) * Eigen::AngleAxisd(-0.09, Vector3d::UnitY()) *
       Eigen::AngleAxisd(0.31, Vector3d::UnitZ()))
          .toRotationMatrix();
  calibration_.machine_from_sensor = Htm<Machine, Sensor>(m);
  calibration_.stage.q_cal_mm << 0, 0, 0;
  sensor_.serial = "S7";
  sensor_.noise.z_mm = {0};
  sensor_.noise.sigma_um = {3.36};
  sensor_.z_min_mm = -20;
  sensor_.z_max_mm = 20;
  positions_mm_ = {{0, 0, 0}, {2.3, -1.7, 0}};
  machine_from_part_ = Eigen::Matrix4d::Identity();
  machine_from_part_.topLeftCorner<3, 3>() = Eigen::AngleAxisd(0.02, Vector3d::UnitZ()).toRotationMatrix();
  machine_from_part_.topRightCorner<3, 1>() << -solid.view_mm, 1;
  drawn_ = solid.facets({});
  write_stl(folder_ / "part.stl", drawn_);
  std::ifstream file(folder_ / "part.stl", std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  std::string numbers, poses;
  for (int i = 0; i < 16; ++i)
    numbers += fmt::format("{}{:.17g}", i > 0 ? ", " : "", machine_from_part_(i / 4, i % 4));
  for (std::size_t i = 0; i < positions_mm_.size(); ++i)
    poses += fmt::format("[[snapshots.pose]]\nname = \"{}\"\nposition_mm = [{}]\ntolerance_mm = 0.1\n", i,
                         fmt::join(positions_mm_[i], ", "));
  const Vector3d size = solid.high_mm - solid.low_mm;
  recipe_ = load_recipe(folder_.write(
      "part.toml",
      fmt::format(
          "schema = 1\nkind = \"surface\"\nname = \"part\"\nsensor_serial = \"S7\"\n"
          "[model]\nfile = \"part.stl\"\nsha256 = \"{}\"\nunit = \"mm\"\nsize_mm = [{}, {}, {}]\n"
          "size_tolerance_mm = 0.1\n[placement]\ncoordinates = \"machine\"\nmachine_from_model = [{}]\n"
          "[snapshots]\ntimeout_ms = 1000\none_board = \"time\"\n{}[surface]\nsearch_mm = 1\nreach_mm = "
          "{}\n[decision]\nrule = "
          "\"14253\"\n{}",
          config::sha256_hex(bytes.str()), size.x(), size.y(), size.z(), numbers, poses, solid.reach_mm,
          solid.regions(limit_um))));
}

SurfaceCell::Seen SurfaceCell::look(const SeededDefect& defect, std::uint64_t seed, double beyond) const {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  // the part is at the recipe's pose, or at that of its datums
  Eigen::Matrix4d off = Eigen::Matrix4d::Identity();
  if (recipe_.surface->alignment) {
    off.topLeftCorner<3, 3>() =
        rotation_from_vector({0.002 * unit(random), 0.002 * unit(random), 0.003 * unit(random)});
    off.topRightCorner<3, 1>() << 0.2 * unit(random), 0.2 * unit(random), 0.1 * unit(random);
  }
  std::vector<PartFacet> made = as_made(solid_, defect), good = drawn_;
  const double z = solid_.low_mm.z();
  const PartFacet table[] = {{Vector3d(-200, -200, z), {200, -200, z}, {200, 200, z}},
                             {Vector3d(-200, -200, z), {200, 200, z}, {-200, 200, z}}};
  for (const PartFacet& f : table) made.push_back(f), good.push_back(f);
  TwinSensor sensor;
  sensor.serial = "S7";
  sensor.z = {0.0006, 0};
  sensor.noise.white_um = 3;
  sensor.noise.correlated_um = 1.5;
  sensor.noise.dropout_ratio = 0.002;
  Seen seen;
  for (std::size_t i = 0; i < positions_mm_.size(); ++i) {
    const Vector3d q(positions_mm_[i].data());
    const Eigen::Matrix4d sensor_from_part = calibration_.at(q).inverse().matrix() * machine_from_part_ * off;
    const TwinSurface as_drawn = look_at(good, sensor_from_part, view()),
                      as_is = look_at(made, sensor_from_part, view());
    const TwinSurface model = look_at(drawn_, sensor_from_part, view());
    const Oracle oracle(drawn_, sensor_from_part);
    const double zone_mm = pitch_mm / 2 + 0.015;
    int pixels = 0;
    for (int row = 0; row < side_px; ++row)
      for (int col = 0; col < side_px; ++col) {
        const auto at = static_cast<std::size_t>(row * side_px + col);
        if (as_is.classes[at] != PixelClass::ok || model.classes[at] != PixelClass::ok) continue;
        const double ray_mm = std::abs(as_is.z_mm[at] - as_drawn.z_mm[at]) * normal_z(as_drawn, row, col);
        if (ray_mm <= beyond * limit_um_ / 2000) continue;
        const TwinView v = view();
        const double near_mm = oracle.distance({v.x.at(col), v.y.at(row), as_is.z_mm[at]}, ray_mm);
        double told_mm = std::min(ray_mm, near_mm);
        if (told_mm < 0.9 * ray_mm && near_mm <= zone_mm) continue;
        // a ray that passes a bent edge may meet the table; the edge itself deviates by at most this
        if (defect.kind == Defect::bent) told_mm = std::min(told_mm, defect.size_mm);
        if (told_mm <= beyond * limit_um_ / 2000) continue;
        ++pixels;
        seen.truth.worst_um = std::max(seen.truth.worst_um, 1000 * told_mm);
      }
    seen.truth.pixels = std::max(seen.truth.pixels, pixels);
    HeightFrame frame = render(as_is, view(), sensor, 2 * seed + i);
    frame.frame_id = std::to_string(i + 1);
    frame.content_sha256 = fmt::format("sha-{}", i);
    frame.source = "seeded";
    seen.frames.push_back(std::move(frame));
    Pose pose;
    pose.used = true;
    pose.q_mm = positions_mm_[i];
    seen.poses.push_back(pose);
  }
  return seen;
}

BoardVerdict SurfaceCell::inspect(const Seen& seen) {
  InspectionInputs in;
  in.recipe = &recipe_;
  in.sensor = &sensor_;
  in.calibration = &calibration_;
  in.now_utc_s = calibration_.made_utc_s + 1;
  std::vector<SurfaceFrame> frames;
  for (std::size_t i = 0; i < seen.frames.size(); ++i) frames.push_back({&seen.frames[i], seen.poses[i]});
  return inspect_surface(frames, in, models_, cpu_backend(1)).verdict;
}

}  // namespace datum::statistics
