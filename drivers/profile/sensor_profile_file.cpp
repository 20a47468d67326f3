#include "drivers/profile/sensor_profile_file.h"

#include <algorithm>
#include <functional>

#include "config/toml_reader.h"
#include "drivers/frame/fringe_settings.h"
#include "drivers/fringe/set_sidecar.h"

namespace datum::config {
namespace {

/// Three samples fit any sine: the second harmonic of projector and camera enters the phase undetected, by
/// 0.12 rad in the real scenes of the tests, and the periods then agree on a wrong fringe order.
[[noreturn]] void refuse_three_steps(TomlTable& table) {
  table.refuse(
      "steps",
      "3 can't prove the fringe order: of real scenes 25 to 33 % of the pixels stay, and up to 4.2 % of "
      "those take a wrong order",
      "4 to 32; project a fourth step, or one image with mode = \"fourier\"");
}

/// Relative paths are resolved against `folder`. Throws ConfigError.
FringeSettings read_fringe(TomlTable table, const std::filesystem::path& folder) {
  table.only_keys({"periods_px", "mode", "steps", "shift", "projector_px", "camera_maximum",
                   "min_modulation_grey", "agreement_px", "camera_noise_grey", "camera_noise_per_grey",
                   "image_names", "origin_mm", "calibration"});
  FringeSettings s;
  s.periods_px = table.numbers_between("periods_px", 1, 3, {2, 100'000});
  for (std::size_t i = 0; i < s.periods_px.size(); ++i)
    if (std::count(s.periods_px.begin(), s.periods_px.end(), s.periods_px[i]) > 1)
      table.refuse("periods_px", shown(s.periods_px[i]) + " stands twice", "1 to 3 different periods");
  if (table.choice_or<bool>("mode", false, {{"phase_shift", false}, {"fourier", true}})) {
    s.steps = 1;
    if (table.has("steps"))
      table.refuse("steps", "is given beside mode = \"fourier\"", "no such key: it is one image");
    if (s.periods_px.size() != 1)
      table.refuse("periods_px", "has several periods", "one: a single image has one");
  } else {
    if (table.number("steps") == 3) refuse_three_steps(table);
    s.steps = static_cast<int>(table.integer("steps", 4, 32));
  }
  s.shift = table.choice_or<int>("shift", s.shift, {{"forward", 1}, {"backward", -1}});
  s.projector_px = table.number("projector_px", {1, 100'000});
  s.camera_maximum = static_cast<int>(table.integer("camera_maximum", 1, 65'535));
  const double most = s.camera_maximum;
  s.min_modulation = table.number("min_modulation_grey", {1e-3, most / 2});
  s.agreement_px = table.number("agreement_px", {1e-3, 1000});
  s.camera_noise_grey = table.number("camera_noise_grey", {1e-6, most});
  s.camera_noise_per_grey = table.number_or("camera_noise_per_grey", s.camera_noise_per_grey, {0, most});
  s.image_names = table.text("image_names");
  if (const std::string why = pattern_problem(s); !why.empty())
    table.refuse("image_names", "'" + s.image_names + "' " + why,
                 "{set} in front, {period} and {step} where they differ, .png, .tif or .tiff, such as "
                 "{set}_{period}_{step}.png");
  const std::vector<double> origin = table.numbers("origin_mm", 2);
  std::copy(origin.begin(), origin.end(), s.origin_mm.begin());
  const std::string calibration = table.text("calibration");
  if (calibration.empty())
    table.refuse("calibration", "is empty", "a path, absolute or from the folder of this file");
  s.calibration = (folder / calibration).lexically_normal();
  table.finish();
  return s;
}

constexpr std::int64_t schema = 1;
constexpr std::size_t most_points = 1000;

NoiseProfile noise_profile(TomlTable noise) {
  noise.only_keys({"z_mm", "sigma_um"});
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

namespace {

constexpr double um_per_mm = 1000;

/// Noise in another unit makes every uncertainty wrong by its factor.
void doubt_noise(const TomlTable& noise, const SensorProfile& sensor, Problems& problems) {
  const double range_um = (sensor.z_max_mm - sensor.z_min_mm) * um_per_mm;
  const auto [least, most] = std::minmax_element(sensor.noise.sigma_um.begin(), sensor.noise.sigma_um.end());
  if (*most > range_um / 10)
    noise.refuse("sigma_um",
                 shown(*most) + " um is more than a tenth of the measuring range, " + shown(range_um) +
                     " um (z_min_mm to z_max_mm)",
                 "a standard deviation in um");
  const bool usual_range = range_um < 1e6;  // beyond, the range is in doubt
  if ((usual_range && *least < 1e-6 * range_um) || *least < 0.001)
    problems.warn({noise.where("sigma_um"), noise.path("sigma_um"),
                   shown(*least) + " um is " + shown(*least * um_per_mm) + " nm; if " + shown(*least) +
                       " mm are meant, it is " + shown(*least * um_per_mm),
                   ""});
}

void doubt_lengths(const TomlTable& file, const SensorProfile& sensor, Problems& problems) {
  const auto warn = [&](const char* key, const std::string& doubt) {
    problems.warn({file.where(key), key, doubt, ""});
  };
  const double range_mm = sensor.z_max_mm - sensor.z_min_mm;
  if (range_mm > 1000)
    warn("z_max_mm", "the measuring range is " + shown(range_mm / um_per_mm) + " m; if um are meant, it is " +
                         shown(sensor.z_max_mm / um_per_mm) + " mm");
  if (range_mm < 0.02)
    warn("z_max_mm", "the measuring range is " + shown(range_mm * um_per_mm) + " um; lengths are in mm");
  if (sensor.pixel_pitch_mm && *sensor.pixel_pitch_mm > 5)
    warn("pixel_pitch_mm", shown(*sensor.pixel_pitch_mm) + " mm; if um are meant, it is " +
                               shown(*sensor.pixel_pitch_mm / um_per_mm));
  if (sensor.pixel_pitch_mm && *sensor.pixel_pitch_mm < 0.0002)
    warn("pixel_pitch_mm", shown(*sensor.pixel_pitch_mm) + " mm is less than the wavelength of light");
  if (sensor.linearity_um > range_mm * um_per_mm / 10)
    warn("linearity_um", shown(sensor.linearity_um) + " um is more than a tenth of the measuring range");
}

Interval read_interval(TomlTable& file, const char* key) {
  const std::vector<double> ends = file.numbers(key, 2);
  if (ends[1] <= ends[0])
    file.refuse(key, shown(ends[1]) + " is not above " + shown(ends[0]), "[smallest, largest] in mm");
  return {ends[0], ends[1]};
}

void read_field(TomlTable& file, SensorProfile& sensor) {
  if (!file.has("field_x_mm") && !file.has("field_y_mm")) return;
  for (const char* key : {"field_x_mm", "field_y_mm"})
    if (!file.has(key)) file.refuse(key, "missing", "field_x_mm and field_y_mm, or neither of them");
  sensor.field_x = read_interval(file, "field_x_mm");
  sensor.field_y = read_interval(file, "field_y_mm");
}

}  // namespace

SensorProfile load_sensor_profile(const std::filesystem::path& path) {
  Problems problems;
  return load_sensor_profile(path, problems);
}

SensorProfile load_sensor_profile(const std::filesystem::path& path, Problems& problems) {
  auto file = TomlTable::from_file(path);
  file.only_keys({"schema", "serial", "model", "handedness", "pixel_pitch_mm", "z_min_mm", "z_max_mm",
                  "field_x_mm", "field_y_mm", "scale_uncertainty_ppm", "linearity_um", "noise", "fringe"});
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
  read_field(file, sensor);
  sensor.scale_uncertainty_ppm = file.number("scale_uncertainty_ppm", {0, 1e5});
  sensor.linearity_um = file.number("linearity_um", not_negative);
  sensor.noise = noise_profile(file.table("noise"));
  doubt_noise(file.table("noise"), sensor, problems);
  doubt_lengths(file, sensor, problems);
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
