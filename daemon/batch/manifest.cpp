#include "daemon/batch/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "config/toml_reader.h"

namespace datum {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::string_view key_begin = "{\"key\":\"";
constexpr const char* remake = "make the manifest anew: 'datumd-batch manifest'";

[[noreturn]] void refuse(const std::string& name, std::size_t line, const std::string& what) {
  throw std::runtime_error(fmt::format("{}:{}: {}; {}", name, line, what, remake));
}

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json object_in(std::string_view line) {
  Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) throw std::runtime_error("is no JSON object");
  return json;
}

ManifestHead head_in(const Json& json) {
  if (json.value("datumd_batch_manifest", 0) != 1)
    throw std::runtime_error("is no head of a manifest of version 1");
  ManifestHead head;
  head.backend = json.at("backend").get<std::string>();
  if (head.backend != cpu_backend_name && head.backend != cuda_backend_name)
    throw std::runtime_error("backend '" + head.backend + "'; allowed: cpu, cuda");
  head.code = json.at("code").get<std::string>();
  head.contract = json.at("contract").get<int>();
  head.frames = json.at("frames").get<std::string>();
  head.sensor = json.at("sensor").get<std::string>();
  head.sensor_sha256 = json.at("sensor_sha256").get<std::string>();
  head.calibration_replaced = json.at("calibration_replaced").get<bool>();
  head.before_sha256 = json.at("before_sha256").get<std::string>();
  head.units = json.at("units").get<std::uint64_t>();
  head.unmeasurable = json.at("unmeasurable").get<std::uint64_t>();
  if (!head.frames.is_absolute()) throw std::runtime_error("frames: not an absolute folder");
  if (!head.sensor.is_absolute() && head.sensor != "sensor.toml")
    throw std::runtime_error("sensor: neither sensor.toml nor an absolute path");
  return head;
}

std::string text_of(const ManifestHead& head) {
  return dumped({{"datumd_batch_manifest", 1},
                 {"what_if", true},
                 {"backend", head.backend},
                 {"code", head.code},
                 {"contract", head.contract},
                 {"frames", head.frames.string()},
                 {"sensor", head.sensor.string()},
                 {"sensor_sha256", head.sensor_sha256},
                 {"calibration_replaced", head.calibration_replaced},
                 {"before_sha256", head.before_sha256},
                 {"units", head.units},
                 {"unmeasurable", head.unmeasurable}});
}

std::string text_of(const BatchUnit& unit) {
  return fmt::format("{}{}\",\"asked\":{}}}", key_begin, key_of(unit.asked), to_json(unit.asked));
}

/// The last line states the sum of all bytes before it.
std::string checked_sum(const std::string& text, const std::string& name) {
  const std::size_t last = text.size() < 2 ? std::string::npos : text.rfind('\n', text.size() - 2);
  if (last == std::string::npos || text.back() != '\n')
    throw std::runtime_error(fmt::format("{}: is cut off; {}", name, remake));
  const std::string_view lines = std::string_view(text).substr(0, last + 1);
  if (text.compare(last + 1, std::string::npos, manifest_sum(lines)) != 0)
    throw std::runtime_error(fmt::format(
        "{}: was changed or is cut off: its last line does not state its SHA-256; {}", name, remake));
  return config::sha256_hex(lines);
}

std::string text_of_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw std::runtime_error(
        fmt::format("{}: can't be read; name the folder that 'datumd-batch manifest' made", file.string()));
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

Manifest Manifest::load(const fs::path& batch) {
  const fs::path file = batch / "manifest.jsonl";
  return manifest_from_text(text_of_file(file), file.string());
}

Manifest manifest_from_text(std::string text, const std::string& name) {
  Manifest m;
  m.sha256_ = checked_sum(text, name);
  m.text_ = std::move(text);
  m.name_ = name;
  const std::size_t end = m.text_.rfind('\n', m.text_.size() - 2) + 1;
  std::size_t number = 1;
  for (std::size_t at = 0; at < end; ++number) {
    const std::size_t length = m.text_.find('\n', at) - at;
    const std::string_view line = std::string_view(m.text_).substr(at, length);
    try {
      if (number == 1) {
        m.head_ = head_in(object_in(line));
      } else if (line.starts_with(key_begin)) {
        if (!m.unmeasurable_.empty()) throw std::runtime_error("a unit behind what can't be measured");
        m.lines_.emplace_back(at, length);
        const std::size_t count = m.lines_.size();
        if (!is_key(m.key(count - 1))) throw std::runtime_error("its key is no SHA-256");
        if (count > 1 && m.key(count - 2) >= m.key(count - 1))
          throw std::runtime_error("its key is not above that of the line before");
      } else {
        const Json json = object_in(line);
        m.unmeasurable_.push_back(
            {json.at("unmeasurable").get<std::string>(), json.at("why").get<std::string>()});
      }
    } catch (const std::exception& error) {
      refuse(name, number, error.what());
    }
    at += length + 1;
  }
  if (number == 1) refuse(name, 1, "has no head");
  if (m.head_.units != m.lines_.size() || m.head_.unmeasurable != m.unmeasurable_.size())
    refuse(name, 1,
           fmt::format("names {} units and {} unmeasurable, has {} and {}", m.head_.units,
                       m.head_.unmeasurable, m.lines_.size(), m.unmeasurable_.size()));
  return m;
}

std::string Manifest::key(std::size_t i) const {
  return text_.substr(lines_.at(i).first + key_begin.size(), std::min<std::size_t>(64, lines_[i].second));
}

BatchUnit Manifest::unit(std::size_t i) const {
  const std::string_view line = std::string_view(text_).substr(lines_.at(i).first, lines_[i].second);
  try {
    const Json json = object_in(line);
    BatchUnit unit;
    unit.key = key(i);
    unit.asked = verdict_from_json(json.at("asked").dump());
    if (key_of(unit.asked) != unit.key)
      throw std::runtime_error("is not what its key names: it was changed, or made by another datumd-batch");
    if (unit.asked.backend != head_.backend || unit.asked.code != head_.code)
      throw std::runtime_error("its backend or code is not that of the head");
    return unit;
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("{}: unit {}: {}; {}", name_, i + 1, error.what(), remake));
  }
}

std::string manifest_text(ManifestHead head, const std::vector<BatchUnit>& units,
                          const std::vector<Unmeasurable>& unmeasurable) {
  std::map<std::string, std::string> lines;  // by key
  for (const BatchUnit& unit : units) lines.emplace(key_of(unit.asked), text_of(unit));
  std::map<std::string, std::string> others;
  for (const Unmeasurable& u : unmeasurable) others.emplace(u.what, u.why);
  head.units = lines.size();
  head.unmeasurable = others.size();
  std::string text = text_of(head) + '\n';
  for (const auto& [key, line] : lines) text += line + '\n';
  for (const auto& [what, why] : others) text += dumped({{"unmeasurable", what}, {"why", why}}) + '\n';
  return text + manifest_sum(text);
}

std::string before_text(const std::vector<BatchUnit>& units) {
  std::map<std::string, std::string> lines;  // by key
  for (const BatchUnit& unit : units)
    if (unit.before) lines.emplace(key_of(unit.asked), before_to_json(*unit.before));
  std::string text;
  for (const auto& [key, line] : lines) text += key + ' ' + line + '\n';
  return text;
}

BeforeResults::BeforeResults(const fs::path& batch, const ManifestHead& head) {
  if (head.before_sha256.empty()) return;
  const fs::path file = batch / "before.txt";
  text_ = text_of_file(file);
  if (config::sha256_hex(text_) != head.before_sha256)
    throw std::runtime_error(
        fmt::format("{}: is not the manifest's: it was changed or is cut off; {}", file.string(), remake));
  for (std::size_t at = 0; at < text_.size();) {
    const std::size_t end = std::min(text_.find('\n', at), text_.size());
    const std::size_t space = std::min(text_.find(' ', at), end);
    const std::size_t json = std::min(space + 1, end);
    lines_.emplace(text_.substr(at, space - at), std::pair(json, end - json));
    at = end + 1;
  }
}

std::optional<BoardVerdict> BeforeResults::of(const std::string& key) const {
  const auto line = lines_.find(key);
  if (line == lines_.end()) return std::nullopt;
  return before_from_json(text_.substr(line->second.first, line->second.second));
}

std::string manifest_sum(std::string_view text) {
  return fmt::format("{{\"sha256\":\"{}\"}}\n", config::sha256_hex(text));
}

}  // namespace datum
