#include "daemon/charts/control_limits.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "config/toml_reader.h"
#include "config/utc_time.h"
#include "daemon/system/durable_file.h"

namespace datum::quality {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uintmax_t most_bytes = 64 << 20;  // 200 bytes a series: 300,000 series
constexpr std::size_t most_text = 400;

std::string file_name_of(const std::string& recipe) {
  std::string name;
  for (const char c : recipe) {
    const bool plain =
        (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '_';
    name += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return name;
}

Characteristic characteristic_from(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(last_characteristic); ++i)
    if (name == name_of(static_cast<Characteristic>(i))) return static_cast<Characteristic>(i);
  throw LimitsRefused("'" + name + "' is no characteristic");
}

std::string text_at(const Json& json, const char* key, bool may_be_empty = false) {
  std::string text = json.at(key);
  if (text.size() > most_text || (text.empty() && !may_be_empty))
    throw LimitsRefused(
        fmt::format("{} has {} characters; 1 to {} are allowed", key, text.size(), most_text));
  return text;
}

double finite_at(const Json& json, const char* key) {
  const double value = json.at(key).get<double>();
  if (!std::isfinite(value)) throw LimitsRefused(fmt::format("{} is not finite", key));
  return value;
}

void read_series(const Json& row, FrozenLimits& to) {
  const SeriesKey key{to.recipe, text_at(row, "reference"), text_at(row, "package", true),
                      characteristic_from(row.at("characteristic")), finite_at(row, "parameter")};
  if (row.at("unit") != unit_of(key.characteristic))
    throw LimitsRefused(fmt::format("{}: unit {}, wanted {}", text_of(key), row.at("unit").dump(),
                                    unit_of(key.characteristic)));
  const SeriesLimits limits{finite_at(row, "mean"), finite_at(row, "sigma"), row.at("values")};
  if (!(limits.sigma > 0)) throw LimitsRefused(text_of(key) + ": sigma is not above 0");
  if (!to.series.emplace(key, limits).second) throw LimitsRefused(text_of(key) + " is there twice");
}

double positive_at(const Json& json, const char* key) {
  const double value = finite_at(json, key);
  if (!(value > 0)) throw LimitsRefused(fmt::format("{} is {}, wanted above 0", key, value));
  return value;
}

DriftRules read_drift(const Json& json, const RuleSet& rules) {
  DriftRules drift;
  if (rules.rules.contains(ewma_rule)) {
    const Json& e = json.at("ewma");
    drift.ewma = EwmaRule{positive_at(e, "lambda"), positive_at(e, "width")};
    if (drift.ewma->lambda > 1) throw LimitsRefused("lambda is above 1");
  }
  if (rules.rules.contains(cusum_rule)) {
    const Json& c = json.at("cusum");
    drift.cusum = CusumRule{finite_at(c, "k"), positive_at(c, "h"), c.at("head_start")};
    if (drift.cusum->k < 0) throw LimitsRefused("k is below 0");
  }
  return drift;
}

/// 2 has EWMA or CUSUM, which a datumd that knows 1 alone must not leave out.
const char* format_of(const FrozenLimits& l) {
  return l.drift.ewma || l.drift.cusum ? "datumd control limits 2" : "datumd control limits 1";
}

FrozenLimits read(const Json& json) {
  if (json.at("format") != "datumd control limits 1" && json.at("format") != "datumd control limits 2")
    throw LimitsRefused("format is " + json.at("format").dump() +
                        ", wanted \"datumd control limits 1\" or \"2\"");
  FrozenLimits l;
  l.id = text_at(json, "id");
  l.at = text_at(json, "at");
  l.by = text_at(json, "by");
  if (!utc_from_iso8601(l.at)) throw LimitsRefused("at is no time");
  l.recipe = text_at(json, "recipe");
  l.recipe_sha256 = text_at(json, "recipe_sha256");
  l.calibration = text_at(json, "calibration", true);
  l.calibration_sha256 = text_at(json, "calibration_sha256", true);
  l.code = text_at(json, "code");
  l.rules = text_at(json, "rules");
  l.disarm = text_at(json, "disarm", true);
  l.drift = read_drift(json, chart_rule_set_of(l.rules));
  if (!l.disarm.empty()) chart_rule_set_of(l.disarm);
  l.first = json.at("first");
  l.last = json.at("last");
  l.results = json.at("results");
  if (l.first > l.last) throw LimitsRefused("first is above last");
  for (const Json& r : json.at("removed")) l.removed.push_back({r.at("sequence"), text_at(r, "cause")});
  for (const Json& row : json.at("series")) read_series(row, l);
  if (l.series.empty()) throw LimitsRefused("there is no series");
  return l;
}

}  // namespace

bool FrozenLimits::hold_for(const BoardVerdict& v) const {
  return recipe == v.recipe && recipe_sha256 == v.recipe_sha256 &&
         calibration_sha256 == v.calibration_sha256 && code == v.code;
}

fs::path limits_file(const fs::path& store, const std::string& recipe) {
  return store.parent_path() / "control_limits" / (file_name_of(recipe) + ".json");
}

std::string to_json(const FrozenLimits& l) {
  Json json{{"format", format_of(l)},
            {"id", l.id},
            {"at", l.at},
            {"by", l.by},
            {"recipe", l.recipe},
            {"recipe_sha256", l.recipe_sha256},
            {"calibration", l.calibration},
            {"calibration_sha256", l.calibration_sha256},
            {"code", l.code},
            {"rules", l.rules},
            {"disarm", l.disarm},
            {"first", l.first},
            {"last", l.last},
            {"results", l.results},
            {"removed", Json::array()},
            {"series", Json::array()}};
  if (l.drift.ewma) json["ewma"] = {{"lambda", l.drift.ewma->lambda}, {"width", l.drift.ewma->width}};
  if (const auto& c = l.drift.cusum)
    json["cusum"] = {{"k", c->k}, {"h", c->h}, {"head_start", c->head_start}};
  for (const RemovedResult& r : l.removed)
    json["removed"].push_back({{"sequence", r.sequence}, {"cause", r.cause}});
  for (const auto& [key, limits] : l.series)
    json["series"].push_back({{"reference", key.reference},
                              {"package", key.package},
                              {"characteristic", name_of(key.characteristic)},
                              {"parameter", key.parameter},
                              {"unit", unit_of(key.characteristic)},
                              {"mean", limits.mean},
                              {"sigma", limits.sigma},
                              {"values", limits.values}});
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

FrozenLimits limits_from_json(const std::string& text, const std::string& name) {
  try {
    FrozenLimits limits = read(Json::parse(text));
    limits.sha256 = config::sha256_hex(text);
    return limits;
  } catch (const std::exception& error) {  // Json's own, rule_set_of's
    throw LimitsRefused(
        fmt::format("{}: {}; freeze the limits again (datumctl chart freeze)", name, error.what()));
  }
}

FrozenLimits read_limits(const fs::path& file) {
  std::error_code error;
  const auto bytes = fs::file_size(file, error);
  if (error) throw LimitsRefused(file.string() + ": " + error.message());
  if (bytes > most_bytes)
    throw LimitsRefused(fmt::format("{}: {} bytes; at most {} are read", file.string(), bytes, most_bytes));
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return limits_from_json(text.str(), file.string());
}

void write_limits(const fs::path& file, const FrozenLimits& limits) {
  fs::create_directories(file.parent_path());
  if (fs::exists(file)) {
    const FrozenLimits former = read_limits(file);
    fs::path kept = file;
    kept.replace_extension("." + file_name_of(former.id) + ".json");
    if (!fs::exists(kept)) fs::create_hard_link(file, kept);
  }
  write_file_durably(file, to_json(limits));
}

}  // namespace datum::quality
