// Faults of a sidecar, all at once: each one is noted, mended by a template and the text parsed again.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/suggestion.h"
#include "daemon/ctl/frame_description.h"
#include "drivers/frame/frame_error.h"
#include "drivers/sensor/height_file.h"
#include "drivers/sensor/sidecar.h"
#include "drivers/sensor/sidecar_table.h"

namespace datum {
namespace {

using Json = nlohmann::ordered_json;

const SidecarRow* row_of(const std::string& key) {
  for (const SidecarRow& row : sidecar_rows())
    if (row.key == key) return &row;
  return nullptr;
}

/// Whether `key` is a member of the object `of` ("" is the sidecar itself).
bool is_member(const std::string& key, const std::string& of) {
  const auto point = key.rfind('.');
  return of.empty() ? point == std::string::npos : point == of.size() && key.starts_with(of);
}

bool has_members(const std::string& key) {
  return std::any_of(sidecar_rows().begin(), sidecar_rows().end(),
                     [&](const SidecarRow& row) { return is_member(row.key, key); });
}

Json::json_pointer pointer_of(std::string key) {
  std::replace(key.begin(), key.end(), '.', '/');
  return Json::json_pointer("/" + key);
}

/// Values that a sidecar may have, for the keys of one that has none.
Json allowed_values() {
  FrameSidecar s;
  s.sensor_serial = s.frame_id = s.job_name = "-";
  s.x = s.y = s.z = {1, 0};
  s.height_file = "a.tif";
  return Json::parse(write_sidecar(s));
}

void add_missing(std::vector<std::string>& faults, const std::string& key) {
  const SidecarRow* row = row_of(key);
  if (!row) return;
  if (!has_members(key)) {
    faults.push_back(fmt::format("{}: is missing; {}. {}", key, row->allowed, row->meaning));
    return;
  }
  for (const SidecarRow& member : sidecar_rows())
    if (member.needed && is_member(member.key, key)) add_missing(faults, member.key);
}

/// Notes and removes unknown keys. A misspelt one gives its value to the key that was meant.
void take_unknown(Json& object, const std::string& of, std::vector<std::string>& faults) {
  config::Words absent;
  for (const SidecarRow& row : sidecar_rows())
    if (is_member(row.key, of)) {
      const std::string name = std::string(row.key).substr(of.empty() ? 0 : of.size() + 1);
      if (!object.contains(name)) absent.insert(name);
    }
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  for (const std::string& name : names) {
    const std::string key = of.empty() ? name : of + "." + name;
    if (name.find_first_of("./~") == std::string::npos && row_of(key)) {
      if (object[name].is_object() && has_members(key)) take_unknown(object[name], key, faults);
      continue;
    }
    faults.push_back(fmt::format("{}: is not known{}",
                                 Json(key).dump(-1, ' ', true, Json::error_handler_t::replace),
                                 config::did_you_mean(name, absent)));
    const std::string meant = config::nearest(name, absent);
    if (!meant.empty()) {
      Json value = object[name];
      object[meant] = std::move(value);
    }
    object.erase(name);
  }
}

/// Puts an allowed value in the place of a refused one. False: nothing more can be done.
bool mend(Json& root, const std::string& key, const Json& allowed) {
  const SidecarRow* row = row_of(key);
  if (!row) return false;
  if (key == "header_file") {
    const std::string heights = root.value("height_file", "");
    root.erase(key);
    if (needs_header(heights)) root[key] = "a.hdr";
    return true;
  }
  if (key == "height_file" && root.contains("header_file")) {
    root[key] = "a.img";  // a header belongs to no other
    return true;
  }
  const auto at = pointer_of(key);
  if (allowed.contains(at)) {
    root[at] = allowed[at];
    return true;
  }
  if (!root.contains(at)) return false;
  Json& above = key.find('.') == std::string::npos ? root : root[at.parent_pointer()];
  above.erase(at.back());
  return true;
}

}  // namespace

std::vector<std::string> sidecar_faults(const std::string& text, const std::string& file) {
  const auto fault_of = [&](const std::string& sidecar) -> std::string {
    try {
      parse_sidecar({reinterpret_cast<const std::uint8_t*>(sidecar.data()), sidecar.size()}, file);
      return "";
    } catch (const FrameError& error) {
      const std::string said = error.what();
      return said.starts_with(file + ": ") ? said.substr(file.size() + 2) : said;
    }
  };
  std::string fault = fault_of(text);
  if (fault.empty()) return {};
  std::vector<std::string> faults;
  Json root = Json::parse(text, nullptr, false);
  if (root.is_discarded())
    return {fault +
            "; JSON has texts in \"double quotes\", numbers with a point, no comments and no comma behind "
            "the last value"};
  if (!root.is_object() || fault.find("is given twice") != std::string::npos) return {fault};
  take_unknown(root, "", faults);
  const Json allowed = allowed_values();
  for (std::size_t left = 2 * sidecar_rows().size(); left > 0; --left) {
    fault = fault_of(root.dump(-1, ' ', true, Json::error_handler_t::replace));
    if (fault.empty()) break;
    const std::string key = fault.substr(0, fault.find(": "));
    if (fault.find(": is missing; it is needed") != std::string::npos)
      add_missing(faults, key);
    else
      faults.push_back(fault);
    if (!mend(root, key, allowed)) break;
  }
  return faults;
}

}  // namespace datum
