#include "drivers/sensor/sidecar.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "drivers/sensor/height_file.h"
#include "drivers/sensor/json_object.h"

namespace datum {
namespace {

constexpr const char* units = "one of: m, mm, um, nm, inch, mil";

AxisScale read_axis(JsonObject&& axis, bool may_be_negative) {
  const double scale = axis.number("scale");
  const double offset = axis.number("offset");
  const std::string unit = axis.text("unit");
  axis.finish();
  if (scale == 0)
    axis.refuse("scale", "is 0", may_be_negative ? "any other number is allowed" : "it must be positive");
  if (scale < 0 && !may_be_negative) axis.refuse("scale", "is negative", "it must be positive");
  const auto scale_mm = to_mm(scale, unit);
  if (!scale_mm) axis.refuse("unit", "'" + unit + "' is not known", units);
  return {*scale_mm, *to_mm(offset, unit)};
}

CaptureTime read_time(JsonObject&& time) {
  CaptureTime captured{time.integer("ns"), ClockDomain::unknown};
  const std::string clock = time.text("clock");
  time.finish();
  for (const ClockDomain c :
       {ClockDomain::unknown, ClockDomain::sensor, ClockDomain::host_monotonic, ClockDomain::utc}) {
    if (clock == name_of(c)) {
      captured.clock = c;
      return captured;
    }
  }
  time.refuse("clock", "'" + clock + "' is not known", "one of: unknown, sensor, host_monotonic, utc");
}

InvalidMark read_invalid(JsonObject& root) {
  if (root.is_number("invalid_value")) return {InvalidMark::Kind::value, root.integer("invalid_value")};
  const std::string word = root.text("invalid_value");
  if (word == "nan") return {InvalidMark::Kind::nan, 0};
  if (word == "none") return {InvalidMark::Kind::none, 0};
  root.refuse("invalid_value", "'" + word + "' is not known",
              "a whole number, \"nan\" or \"none\" is allowed");
}

// Only names beside the sidecar: a path would let a sidecar claim any file of the machine.
std::string read_file_name(JsonObject& root, const std::string& key) {
  const std::string name = root.text(key);
  if (name.find('/') != std::string::npos || name.front() == '.') {
    root.refuse(key, "'" + name + "' is not a plain file name", "name a file in the sidecar's own folder");
  }
  return name;
}

std::string read_sha256(JsonObject& object, const std::string& key) {
  if (!object.has(key)) return {};
  std::string hex = object.text(key);
  const bool good = hex.size() == 64 && std::all_of(hex.begin(), hex.end(), [](char c) {
                      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
                    });
  if (!good) object.refuse(key, "is not a SHA-256", "64 lower-case hexadecimal digits are needed");
  return hex;
}

nlohmann::ordered_json axis_json(const AxisScale& a) {
  return {{"scale", a.scale_mm}, {"offset", a.offset_mm}, {"unit", "mm"}};
}

}  // namespace

std::optional<double> to_mm(double value, const std::string& unit) {
  if (unit == "mm") return value;
  if (unit == "m") return value * 1000;
  if (unit == "um") return value / 1000;
  if (unit == "nm") return value / 1e6;
  if (unit == "inch") return value * 254 / 10;
  if (unit == "mil") return value * 254 / 1e4;
  return std::nullopt;
}

FrameSidecar parse_sidecar(ByteView text, const std::string& file) {
  JsonObject root = JsonObject::parse(text, file);
  FrameSidecar s;
  const std::int64_t version = root.integer("schema_version");
  if (version != 1)
    root.refuse("schema_version", "is " + std::to_string(version), "this version of datumd reads 1");
  s.sensor_serial = root.text("sensor_serial");
  JsonObject job = root.object("job");
  s.job_name = job.text("name");
  s.job_hash = job.text("hash");
  job.finish();
  s.frame_id = root.text("frame_id");
  s.captured = read_time(root.object("capture_time"));
  s.x = read_axis(root.object("x"), false);
  s.y = read_axis(root.object("y"), false);
  s.z = read_axis(root.object("z"), true);
  s.invalid = read_invalid(root);
  const std::string hand = root.text("handedness");
  if (hand != "right" && hand != "left")
    root.refuse("handedness", "'" + hand + "' is not known", "one of: right, left");
  s.handedness = hand == "left" ? Handedness::left : Handedness::right;
  s.height_file = read_file_name(root, "height_file");
  if (root.has("intensity_file")) s.intensity_file = read_file_name(root, "intensity_file");
  if (root.has("header_file")) s.header_file = read_file_name(root, "header_file");
  if (s.header_file.has_value() != needs_header(s.height_file))
    root.refuse("header_file", s.header_file ? "belongs to ENVI data alone" : "is missing beside ENVI data",
                "name the .hdr of a .img, .raw, .dat, .bsq, .bil or .bip, and of no other height file");
  if (s.header_file && (s.header_file == s.height_file || s.header_file == s.intensity_file))
    root.refuse("header_file", "is another file of the sidecar", "name another file");
  if (s.intensity_file == s.height_file)
    root.refuse("intensity_file", "is the height file", "name another file");
  if (root.has("sha256")) {
    JsonObject sums = root.object("sha256");
    s.height_sha256 = read_sha256(sums, "height");
    s.intensity_sha256 = read_sha256(sums, "intensity");
    s.header_sha256 = read_sha256(sums, "header");
    sums.finish();
    if (!s.intensity_sha256.empty() && !s.intensity_file)
      sums.refuse("intensity", "has no file", "name intensity_file");
    if (!s.header_sha256.empty() && !s.header_file) sums.refuse("header", "has no file", "name header_file");
  }
  root.finish();
  return s;
}

std::string write_sidecar(const FrameSidecar& s) {
  nlohmann::ordered_json out{
      {"schema_version", 1},
      {"sensor_serial", s.sensor_serial},
      {"job", {{"name", s.job_name}, {"hash", s.job_hash}}},
      {"frame_id", s.frame_id},
      {"capture_time", {{"ns", s.captured.ns}, {"clock", name_of(s.captured.clock)}}},
      {"x", axis_json(s.x)},
      {"y", axis_json(s.y)},
      {"z", axis_json(s.z)},
  };
  switch (s.invalid.kind) {
    case InvalidMark::Kind::none:
      out["invalid_value"] = "none";
      break;
    case InvalidMark::Kind::nan:
      out["invalid_value"] = "nan";
      break;
    case InvalidMark::Kind::value:
      out["invalid_value"] = s.invalid.value;
      break;
  }
  out["handedness"] = s.handedness == Handedness::left ? "left" : "right";
  out["height_file"] = s.height_file;
  if (s.intensity_file) out["intensity_file"] = *s.intensity_file;
  if (s.header_file) out["header_file"] = *s.header_file;
  if (!s.height_sha256.empty()) out["sha256"]["height"] = s.height_sha256;
  if (!s.intensity_sha256.empty()) out["sha256"]["intensity"] = s.intensity_sha256;
  return out.dump(2) + "\n";
}

}  // namespace datum
