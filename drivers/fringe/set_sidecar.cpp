#include "drivers/fringe/set_sidecar.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "drivers/sensor/sidecar_keys.h"

namespace datum {
namespace {

void put(std::string& pattern, const std::string& mark, const std::string& text) {
  for (std::size_t at = pattern.find(mark); at != std::string::npos;
       at = pattern.find(mark, at + text.size()))
    pattern.replace(at, mark.size(), text);
}

}  // namespace

std::vector<std::string> image_names(const FringeSettings& settings, const std::string& set) {
  std::vector<std::string> names;
  for (std::size_t period = 1; period <= settings.periods_px.size(); ++period)
    for (int step = 1; step <= settings.steps; ++step) {
      std::string name = settings.image_names;
      put(name, "{period}", fmt::format("{}", period));
      put(name, "{step}", fmt::format("{:02}", step));
      put(name, "{set}", set);  // last, because a set may be named "{step}"
      names.push_back(name);
    }
  return names;
}

std::string pattern_problem(const FringeSettings& settings) {
  const std::string& pattern = settings.image_names;
  if (pattern.rfind("{set}", 0) != 0) return "does not begin with {set}";
  if (pattern.find('/') != std::string::npos) return "names another folder";
  const std::string kind = std::filesystem::path(pattern).extension().string();
  if (kind != ".png" && kind != ".tif" && kind != ".tiff") return "names no .png, .tif or .tiff";
  const auto names = image_names(settings, "a");
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size())
    return "gives two images the same name";
  return "";
}

SetSidecar parse_set_sidecar(ByteView text, const std::string& file, const FringeSettings& settings) {
  JsonObject root = JsonObject::parse(text, file);
  SetSidecar s;
  check_schema_version(root);
  s.sensor_serial = root.text("sensor_serial");
  read_job(root, s.job_name, s.job_hash);
  s.frame_id = root.text("frame_id");
  if (root.has("unit_id")) s.unit_id = root.text("unit_id");
  s.captured = read_capture_time(root.object("capture_time"));
  s.handedness = read_handedness(root);
  JsonObject images = root.object("images");
  for (const std::string& name : image_names(settings, std::filesystem::path(file).stem().string()))
    s.images.push_back({name, read_sha256(images, name)});
  images.finish();
  root.finish();
  return s;
}

std::string write_set_sidecar(const SetSidecar& s) {
  nlohmann::ordered_json images;
  for (const SetImage& image : s.images) images[image.name] = image.sha256;
  nlohmann::ordered_json out{
      {"schema_version", 1},
      {"sensor_serial", s.sensor_serial},
      {"frame_id", s.frame_id},
      {"capture_time", {{"ns", s.captured.ns}, {"clock", name_of(s.captured.clock)}}},
      {"handedness", s.handedness == Handedness::left ? "left" : "right"},
      {"images", images},
  };
  if (!s.job_name.empty()) out["job"]["name"] = s.job_name;
  if (!s.job_name.empty() && !s.job_hash.empty()) out["job"]["hash"] = s.job_hash;
  if (!s.unit_id.empty()) out["unit_id"] = s.unit_id;
  return out.dump(2) + "\n";
}

}  // namespace datum
