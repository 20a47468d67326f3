#include "drivers/sensor/sidecar.h"

#include <nlohmann/json.hpp>

#include "drivers/sensor/height_file.h"
#include "drivers/sensor/sidecar_keys.h"

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

std::string sha256_if(JsonObject& object, const std::string& key) {
  return object.has(key) ? read_sha256(object, key) : "";
}

PanelStatement read_panel(JsonObject&& panel) {
  PanelStatement stated;
  if (panel.has("serials")) stated.serials = panel.texts("serials");
  if (panel.has("bad")) stated.bad = panel.texts("bad");
  panel.finish();
  return stated;
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
  check_schema_version(root);
  s.sensor_serial = root.text("sensor_serial");
  read_job(root, s.job_name, s.job_hash);
  s.frame_id = root.text("frame_id");
  if (root.has("unit_id")) s.unit_id = root.text("unit_id");
  if (root.has("panel")) s.panel = read_panel(root.object("panel"));
  s.captured = read_capture_time(root.object("capture_time"));
  s.x = read_axis(root.object("x"), false);
  s.y = read_axis(root.object("y"), false);
  s.z = read_axis(root.object("z"), true);
  s.invalid = read_invalid(root);
  s.handedness = read_handedness(root);
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
    s.height_sha256 = sha256_if(sums, "height");
    s.intensity_sha256 = sha256_if(sums, "intensity");
    s.header_sha256 = sha256_if(sums, "header");
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
  if (!s.job_name.empty()) out["job"]["name"] = s.job_name;
  if (!s.job_name.empty() && !s.job_hash.empty()) out["job"]["hash"] = s.job_hash;
  if (!s.unit_id.empty()) out["unit_id"] = s.unit_id;
  if (s.panel) {
    out["panel"] = nlohmann::ordered_json::object();
    if (!s.panel->serials.empty()) out["panel"]["serials"] = s.panel->serials;
    if (!s.panel->bad.empty()) out["panel"]["bad"] = s.panel->bad;
  }
  out["height_file"] = s.height_file;
  if (s.intensity_file) out["intensity_file"] = *s.intensity_file;
  if (s.header_file) out["header_file"] = *s.header_file;
  if (!s.height_sha256.empty()) out["sha256"]["height"] = s.height_sha256;
  if (!s.intensity_sha256.empty()) out["sha256"]["intensity"] = s.intensity_sha256;
  return out.dump(2) + "\n";
}

}  // namespace datum
