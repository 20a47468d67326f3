// The sidecar of a height file that has none: `datumctl frame describe --write`.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "daemon/ctl/frame_description.h"
#include "daemon/ctl/frame_image.h"
#include "drivers/frame/frame_error.h"
#include "drivers/sensor/sidecar.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

/// Collects what nobody stated, so that it is named at once.
class Lacking {
 public:
  void add(const std::string& line) { lines_ += "\n  " + line; }
  void refuse_if_any(const std::string& file) const {
    if (!lines_.empty())
      throw FrameError(fmt::format("{}: its sidecar can't be written without{}", file, lines_));
  }

 private:
  std::string lines_;
};

std::string stated_or(const std::string& answer, const std::string& of_profile) {
  return answer.empty() ? of_profile : answer;
}

void state_sensor(FrameSidecar& s, const std::optional<SensorProfile>& sensor, const SidecarAnswers& a,
                  Lacking& lacking) {
  s.sensor_serial = stated_or(a.serial, sensor ? sensor->serial : "");
  if (s.sensor_serial.empty())
    lacking.add("--serial SERIAL, or --sensor PROFILE: the sensor's serial number");
  const std::string of_profile = !sensor ? "" : sensor->handedness == Handedness::left ? "left" : "right";
  const std::string hand = stated_or(a.handedness, of_profile);
  if (hand.empty())
    lacking.add(
        "--handedness right|left, or --sensor PROFILE: \"right\" where the first row is the lower one as "
        "seen "
        "from above, \"left\" where it is the upper one");
  s.handedness = hand == "left" ? Handedness::left : Handedness::right;
}

/// Of a cloud, mm in one of its units; of samples, mm of one count.
std::optional<double> unit_of(const FrameImage& image, const SampleRange& range, const SidecarAnswers& a,
                              Lacking& lacking) {
  if (a.z_unit.empty()) {
    lacking.add("--z-unit m|mm|um|nm|inch|mil: unit of the heights");
    return std::nullopt;
  }
  if (!a.z_scale && !range.is_float && !image.is_cloud) {
    lacking.add("--z-scale NUMBER: height of one count, in the unit of --z-unit");
    return std::nullopt;
  }
  return to_mm(a.z_scale.value_or(1), a.z_unit);
}

void state_axes(FrameSidecar& s, const FrameImage& image, const std::optional<SensorProfile>& sensor,
                const SidecarAnswers& a, Lacking& lacking) {
  const StatedMap& map = image.map;
  const bool in_own_unit = image.is_cloud || !map.z;
  const auto unit = in_own_unit ? unit_of(image, range_of(map.raster), a, lacking) : 1.0;
  if (unit) s.z = in_own_unit ? AxisScale{*unit, 0} : *map.z;
  const auto axis = [&](const std::optional<AxisScale>& stated, const std::optional<double>& step,
                        std::size_t at) {
    if (stated) {
      const double mm = image.is_cloud ? std::abs(unit.value_or(1)) : 1;
      return std::optional(AxisScale{stated->scale_mm * mm, stated->offset_mm * mm});
    }
    if (!a.pixel_mm.empty())
      return std::optional(AxisScale{a.pixel_mm[std::min(at, a.pixel_mm.size() - 1)], 0});
    if (step) return std::optional(AxisScale{*step, 0});
    if (sensor && sensor->pixel_pitch_mm) return std::optional(AxisScale{*sensor->pixel_pitch_mm, 0});
    return std::optional<AxisScale>();
  };
  const auto x = axis(map.x, map.x_step, 0), y = axis(map.y, map.y_step, 1);
  if (!x || !y) lacking.add("--pixel-mm X [Y]: distance of two columns, and of two rows where it differs");
  s.x = x.value_or(AxisScale{});
  s.y = y.value_or(AxisScale{});
}

void state_invalid(FrameSidecar& s, const FrameImage& image, const SidecarAnswers& a, Lacking& lacking) {
  using Kind = InvalidMark::Kind;
  const bool is_float = range_of(image.map.raster).is_float;
  const auto& stated = image.map.invalid;
  if (a.invalid == "nan" || (a.invalid.empty() && (is_float || (stated && std::isnan(*stated))))) {
    s.invalid = {Kind::nan, 0};
  } else if (a.invalid == "none") {
    s.invalid = {Kind::none, 0};
  } else if (a.invalid.empty() && stated) {
    s.invalid = {Kind::value, static_cast<std::int64_t>(*stated)};
  } else if (a.invalid.empty()) {
    lacking.add("--invalid NUMBER|none: the sample of a pixel without a height");
  } else {
    std::int64_t value = 0;
    const char* end = a.invalid.data() + a.invalid.size();
    const auto [at, error] = std::from_chars(a.invalid.data(), end, value);
    if (error != std::errc{} || at != end)
      throw FrameError("--invalid '" + a.invalid + "': a whole number, nan or none is allowed");
    s.invalid = {Kind::value, value};
  }
}

void write_new(const fs::path& path, const std::string& text) {
  const auto refuse = [&](const std::string& why) { throw std::runtime_error(path.string() + ": " + why); };
  std::FILE* out = std::fopen(path.c_str(), "wxe");  // x: never an existing file
  if (!out) refuse(errno == EEXIST ? "is there already; --write never overwrites" : std::strerror(errno));
  const bool whole = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  if (std::fclose(out) == 0 && whole) return;
  const std::string why = std::strerror(errno);
  ::unlink(path.c_str());
  refuse(why);
}

}  // namespace

fs::path write_sidecar_beside(const fs::path& file, const std::optional<SensorProfile>& sensor,
                              const SidecarAnswers& answers) {
  const FrameImage image = frame_image_of(file);
  const std::string name = file.filename().string();
  FrameSidecar s;
  Lacking lacking;
  state_sensor(s, sensor, answers, lacking);
  state_axes(s, image, sensor, answers, lacking);
  state_invalid(s, image, answers, lacking);
  lacking.refuse_if_any(name);
  s.frame_id = stated_or(answers.frame_id, file.stem().string());
  s.unit_id = answers.unit_id;
  s.height_file = name;
  s.height_sha256 = image.sha256;
  if (!image.header.empty()) s.header_file = image.header.filename().string();
  const std::string text = write_sidecar(s);
  fs::path path = file;
  path.replace_extension(".json");
  parse_sidecar({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, path.filename().string());
  write_new(path, text);
  try {
    const FrameDescription read = describe_frame(path, sensor);
    if (!read.is_readable()) throw FrameError(read.faults.front());
  } catch (const FrameError&) {
    ::unlink(path.c_str());
    throw;
  }
  return path;
}

}  // namespace datum
