#include "tests/bench/bench_part.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "config/toml_reader.h"
#include "tests/bench/match_workloads.h"

namespace datum::bench {

namespace {

constexpr Frustum part_cone{30, 80, 50};

/// Returns the file's SHA-256.
std::string write_stl(const std::filesystem::path& file, const RawModel& model) {
  std::string bytes(80, ' ');
  const auto put = [&](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  put(static_cast<std::uint32_t>(model.facets.size()));
  for (const auto& f : model.facets) {
    const Eigen::Vector3d p[3] = {Eigen::Vector3d(model.vertices[f[0]].data()),
                                  Eigen::Vector3d(model.vertices[f[1]].data()),
                                  Eigen::Vector3d(model.vertices[f[2]].data())};
    for (const Eigen::Vector3d& v : {(p[1] - p[0]).cross(p[2] - p[0]).normalized().eval(), p[0], p[1], p[2]})
      for (int k = 0; k < 3; ++k) put(static_cast<float>(v[k]));
    put(std::uint16_t{0});
  }
  std::ofstream out(file, std::ios::binary);
  if (!out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush())
    throw std::runtime_error("can't write " + file.string());
  return config::sha256_hex(bytes);
}

constexpr const char* recipe_format = R"(schema = 1
kind = "surface"
name = "bench"
sensor_serial = "{}"
[model]
file = "bench-part.stl"
sha256 = "{}"
unit = "mm"
size_mm = [160.0, 160.0, 50.0]
size_tolerance_mm = 0.01
[placement]
coordinates = "sensor"
origin_mm = [0.0, 0.0, -25.0]
u_mm = 0.002
[surface]
search_mm = 1.0
reach_mm = 0.6
[facet_map]
longest_mm = 0.5
gate_mm = 1.0
least_points = 1
[decision]
rule = "14253"
[uncertainty]
[[region]]
name = "flank"
min_coverage = 0.8
max_gap_mm = 3.0
[[region.check]]
characteristic = "profile"
upper_um = 120.0
[[region.check]]
characteristic = "deviation_mean"
lower_um = -20.0
upper_um = 20.0
[[region.check]]
characteristic = "deviation_percentile"
quantile = 0.9
lower_um = -50.0
upper_um = 50.0
[[region.check]]
characteristic = "pfm_mean"
lower_um = -20.0
upper_um = 20.0
[[region.check]]
characteristic = "pfm_maximum"
upper_um = 80.0
)";

}  // namespace

std::filesystem::path write_part_recipe(const std::filesystem::path& folder, const std::string& sensor_serial,
                                        std::size_t facets) {
  const std::string sha256 = write_stl(folder / "bench-part.stl", frustum_model(part_cone, facets));
  const std::filesystem::path file = folder / "bench.toml";
  std::ofstream out(file);
  out << fmt::format(fmt::runtime(recipe_format), sensor_serial, sha256);
  if (!out.flush()) throw std::runtime_error("can't write " + file.string());
  return file;
}

HeightFrame make_part_frame() {
  HeightFrame f;
  f.rows = f.cols = part_side_px;
  f.x = f.y = {part_pitch_mm, -part_pitch_mm * (part_side_px - 1) / 2};
  f.z = {part_count_mm, 0};
  f.sensor_serial = f.frame_id = f.source = "bench";
  std::vector<std::int16_t> counts(f.size());
  f.classes.assign(f.size(), PixelClass::no_data);
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    double noise = -6;  // twelve uniform numbers have variance 1
    for (int k = 0; k < 12; ++k) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      noise += static_cast<double>(state >> 40) / (1 << 24);
    }
    const double radius = std::hypot(f.x.at(static_cast<double>(i % part_side_px)),
                                     f.y.at(static_cast<double>(i / part_side_px)));
    if (radius < part_cone.small || radius > part_cone.large || (state >> 33) % 100 == 0) continue;
    const double z_mm = part_cone.large - radius - part_cone.height / 2;
    counts[i] = static_cast<std::int16_t>(std::lround((z_mm + 0.003 * noise) / part_count_mm));
    f.classes[i] = PixelClass::ok;
  }
  f.counts = std::move(counts);
  return f;
}

std::string part_profile_text(const std::string& sensor_serial, const std::string& handedness) {
  return fmt::format(
      "schema = 1\nserial = \"{}\"\nmodel = \"bench\"\nhandedness = \"{}\"\nz_min_mm = -30.0\nz_max_mm = "
      "30.0\n"
      "scale_uncertainty_ppm = 100.0\nlinearity_um = 0.3\n[noise]\nz_mm = [0.0]\nsigma_um = [3.0]\n",
      sensor_serial, handedness);
}

}  // namespace datum::bench
