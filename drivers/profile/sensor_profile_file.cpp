#include "drivers/profile/sensor_profile_file.h"

#include <algorithm>
#include <functional>

#include "config/toml_reader.h"
#include "drivers/profile/fringe_settings_file.h"

namespace datum::config {

namespace {

constexpr std::int64_t schema = 1;
constexpr std::size_t most_points = 1000;

NoiseProfile noise_profile(TomlTable noise) {
  NoiseProfile profile;
  profile.z_mm = noise.numbers_between("z_mm", 1, most_points);
  profile.sigma_um = noise.numbers("sigma_um", profile.z_mm.size(), positive);
  const auto& z = profile.z_mm;
  if (std::adjacent_find(z.begin(), z.end(), std::greater_equal<>()) != z.end()) {
    noise.refuse("z_mm", "does not rise", "heights in rising order, each once");
  }
  noise.finish();
  return profile;
}

}  // namespace

SensorProfile load_sensor_profile(const std::filesystem::path& path) {
  auto file = TomlTable::from_file(path);
  file.integer("schema", schema, schema);
  SensorProfile sensor;
  sensor.serial = file.text("serial");
  if (sensor.serial.empty()) file.refuse("serial", "is empty", "the serial number that the frames carry");
  sensor.model = file.text("model");
  sensor.handedness =
      file.choice<Handedness>("handedness", {{"right", Handedness::right}, {"left", Handedness::left}});
  sensor.pixel_pitch_mm = file.number_if("pixel_pitch_mm", positive);
  sensor.z_min_mm = file.number("z_min_mm");
  sensor.z_max_mm = file.number("z_max_mm");
  if (sensor.z_max_mm <= sensor.z_min_mm) {
    file.refuse("z_max_mm", shown(sensor.z_max_mm) + " is not above z_min_mm",
                "more than " + shown(sensor.z_min_mm));
  }
  sensor.scale_uncertainty_ppm = file.number("scale_uncertainty_ppm", {0, 1e5});
  sensor.linearity_um = file.number("linearity_um", not_negative);
  sensor.noise = noise_profile(file.table("noise"));
  if (auto fringe = file.table_if("fringe")) {
    sensor.fringe = read_fringe(std::move(*fringe), std::filesystem::absolute(path).parent_path());
    if (!sensor.pixel_pitch_mm)
      file.refuse("pixel_pitch_mm", "missing beside [fringe]",
                  "the camera's, on the object: its images do not carry it");
  }
  sensor.sha256 = file.sha256();
  file.finish();
  return sensor;
}

}  // namespace datum::config
