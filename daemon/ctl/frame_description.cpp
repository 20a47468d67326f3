#include "daemon/ctl/frame_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "daemon/ctl/frame_image.h"
#include "drivers/frame/frame_error.h"
#include "drivers/sensor/height_file.h"
#include "drivers/sensor/read_frame.h"
#include "drivers/sensor/sidecar_table.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

double percent(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

/// NAME.json, or STEM.json of STEM_z.tif where that one is there.
fs::path sidecar_of(const fs::path& file) {
  fs::path sidecar = file;
  sidecar.replace_extension(".json");
  const std::string stem = file.stem().string();
  if (!is_there(sidecar) && stem.ends_with("_z")) {
    const fs::path shorter = file.parent_path() / (stem.substr(0, stem.size() - 2) + ".json");
    if (is_there(shorter)) return shorter;
  }
  return sidecar;
}

std::string share_of_extreme(const SampleRange& r) {
  const auto note = [&](double value, std::size_t count, const char* which) {
    return count * 1000 < r.samples || count == r.samples
               ? ""
               : fmt::format("; {:.1f} % are {:g}, the {}: a mark of pixels without a height?",
                             percent(count, r.samples), value, which);
  };
  return note(r.least, r.at_least, "lowest") + note(r.most, r.at_most, "highest");
}

void add_image(FrameDescription& d, const fs::path& file) {
  const FrameImage image = frame_image_of(file);
  const SampleRange r = range_of(image.map.raster);
  d.rows.emplace_back("format", image.format);
  d.rows.emplace_back("size",
                      fmt::format("{} rows, {} columns", image.map.raster.rows, image.map.raster.cols));
  d.rows.emplace_back(
      "samples",
      fmt::format("{}, {:g} to {:g}{}{}", r.type, r.least, r.most,
                  r.not_numbers == 0 ? "" : fmt::format(", {:.2f} % NaN", percent(r.not_numbers, r.samples)),
                  share_of_extreme(r)));
  d.rows.emplace_back("sha256", image.sha256);
}

std::string axis_text(const AxisScale& axis, int count) {
  return fmt::format("{:g} to {:g} mm, {:g} mm apart", axis.offset_mm, axis.at(count - 1), axis.scale_mm);
}

std::string heights_text(const HeightFrame& frame) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (int row = 0; row < frame.rows; ++row)
    for (int col = 0; col < frame.cols; ++col)
      if (frame.class_at(row, col) == PixelClass::ok) {
        least = std::min(least, frame.z_mm(row, col));
        most = std::max(most, frame.z_mm(row, col));
      }
  std::string text = std::isfinite(least) ? fmt::format("{:.6g} to {:.6g} mm", least, most) : "none";
  text += fmt::format("; {:.2f} % of {} pixels", percent(frame.count_of(PixelClass::ok), frame.size()),
                      frame.size());
  for (auto c = PixelClass::no_data; c <= PixelClass::unwrap;
       c = static_cast<PixelClass>(static_cast<int>(c) + 1))
    if (const auto count = frame.count_of(c); count > 0)
      text += fmt::format(", {:.2f} % {}", percent(count, frame.size()), name_of(c));
  return text;
}

void add_frame(FrameDescription& d, const HeightFrame& frame, bool compared) {
  d.rows.emplace_back(
      "sensor", frame.sensor_serial +
                    (compared ? ", as the profile says" : "; --sensor PROFILE compares it with a profile"));
  d.rows.emplace_back("frame", frame.frame_id + (frame.unit_id.empty() ? "" : ", of unit " + frame.unit_id));
  d.rows.emplace_back("handedness", frame.mirrored ? "left, mirrored once when it is read" : "right");
  d.rows.emplace_back("x", axis_text(frame.x, frame.cols));
  d.rows.emplace_back("y", axis_text(frame.y, frame.rows));
  d.rows.emplace_back("heights", heights_text(frame));
}

/// A profile that believes the sidecar.
SensorProfile believed(const FrameSidecar& sidecar) {
  SensorProfile profile;
  profile.serial = sidecar.sensor_serial;
  profile.handedness = sidecar.handedness;
  profile.z_min_mm = -1e9;
  profile.z_max_mm = 1e9;
  // Of a cloud, a tenth of a pixel beside its grid is allowed.
  profile.noise = {{0}, {std::max(100 * sidecar.x.scale_mm, 1e-3)}};
  return profile;
}

void add_sidecar(FrameDescription& d, const std::optional<SensorProfile>& sensor) {
  const std::string name = d.sidecar.filename().string();
  const Bytes bytes = read_bytes(link_followed(d.sidecar), max_sidecar_bytes);
  d.faults = sidecar_faults({bytes.begin(), bytes.end()}, name);
  if (!d.faults.empty()) return;
  const SensorProfile profile = sensor ? *sensor : believed(parse_sidecar(bytes, name));
  add_frame(d, read_frame(d.sidecar, profile), sensor.has_value());
}

void describe_without_sidecar(FrameDescription& d, const fs::path& file,
                              const std::optional<SensorProfile>& sensor) {
  d.rows.emplace_back("format", height_format_of(file.filename().string())->name);
  d.rows.emplace_back("sidecar", "none is needed");
  if (sensor)
    add_frame(d, read_frame(file, *sensor), true);
  else
    d.faults.emplace_back("--sensor PROFILE: is needed; the file does not state its handedness and noise");
}

/// The height file that a sidecar names; empty: it names none that is there.
fs::path heights_named_in(const fs::path& sidecar) {
  try {
    const Bytes bytes = read_bytes(link_followed(sidecar), max_sidecar_bytes);
    const fs::path file = sidecar.parent_path() / parse_sidecar(bytes, "").height_file;
    return is_there(file) ? file : fs::path();
  } catch (const FrameError&) {
    return {};
  }
}

}  // namespace

FrameDescription describe_frame(const fs::path& file, const std::optional<SensorProfile>& sensor) {
  const std::string name = file.filename().string(), extension = lower_extension(file);
  FrameDescription d;
  d.rows.emplace_back("file", name);
  if (extension == ".ptr" || extension == ".csv" || extension == ".gdp") {
    describe_without_sidecar(d, file, sensor);
    return d;
  }
  const bool is_sidecar = extension == ".json";
  if (!is_sidecar && !height_format_of(name))
    throw FrameError(
        fmt::format("{}: datumd reads no files of this kind; man datumd-frames lists the formats", name));
  d.sidecar = is_sidecar ? file : sidecar_of(file);
  d.has_sidecar = is_there(d.sidecar);
  const fs::path image = is_sidecar ? heights_named_in(file) : file;
  if (!image.empty()) add_image(d, image);
  d.rows.emplace_back("sidecar", d.sidecar.filename().string() + (d.has_sidecar ? "" : ", which is missing"));
  if (d.has_sidecar) {
    try {
      add_sidecar(d, sensor);
    } catch (const FrameError& error) {
      d.faults.emplace_back(error.what());
    }
    return d;
  }
  d.faults = sidecar_faults(
      nlohmann::json{{"height_file", name}}.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace),
      d.sidecar.filename().string());
  return d;
}

}  // namespace datum
