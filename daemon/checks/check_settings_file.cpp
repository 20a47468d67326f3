#include "daemon/checks/check_settings_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "daemon/checks/check_schedule.h"

namespace datum::config {
namespace {

constexpr std::size_t most_text = 64;

std::string short_text(TomlTable& table, std::string_view key, const std::string& text) {
  const bool printable =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~' && c != '"'; });
  if (text.empty() || text.size() > most_text || !printable)
    table.refuse(key, "'" + text + "' can't be shown by every host",
                 "1 to 64 printable ASCII characters, no quotes");
  return text;
}

Characteristic read_characteristic(TomlTable& table) {
  const std::string given = table.text("characteristic");
  std::string known;
  for (int i = 0; i <= static_cast<int>(last_characteristic); ++i) {
    const auto c = static_cast<Characteristic>(i);
    if (given == datum::name_of(c)) return c;
    known += (known.empty() ? "one of: " : ", ") + std::string(datum::name_of(c));
  }
  table.refuse("characteristic", "'" + given + "' is not known", known);
}

CertifiedValue read_value(TomlTable table) {
  CertifiedValue value;
  value.component = table.text("component");
  table.name_by("component");
  value.characteristic = read_characteristic(table);
  if (has_quantile(value.characteristic))
    value.parameter = table.number("quantile", {1e-6, 1 - 1e-6});
  else if (value.characteristic == Characteristic::top_mean)
    value.parameter = static_cast<double>(table.integer("k", 1, 1'000'000));
  // The unit stands in the key, so that a certificate in mm is not read as um.
  const std::string unit = std::string("_") + unit_of(value.characteristic);
  value.certified = table.number("certified" + unit, {-1e7, 1e7});
  value.expanded = table.number("expanded" + unit, {1e-6, 1e6});
  value.maximum_permissible = table.number("mpe" + unit, {1e-6, 1e6});
  table.finish();
  return value;
}

std::optional<ShiftStarts> read_shifts(TomlTable& table) {
  if (!table.has("start_of_shift")) {
    if (table.has("time_zone"))
      table.refuse("time_zone", "no start_of_shift uses it", "time_zone beside start_of_shift");
    return std::nullopt;
  }
  ShiftStarts shifts;
  for (const std::string& text : table.texts("start_of_shift")) {
    const auto minutes = minutes_of_day(text);
    if (!minutes)
      table.refuse("start_of_shift", "'" + text + "' is no time of day", "[\"06:00\", \"14:00\"]");
    shifts.minutes.push_back(*minutes);
  }
  std::sort(shifts.minutes.begin(), shifts.minutes.end());
  if (shifts.minutes.empty()) table.refuse("start_of_shift", "has no time", "[\"06:00\", \"14:00\"]");
  const std::string zone = table.text("time_zone");
  if (zone == "local") return shifts;
  shifts.utc_offset_s = utc_offset_of(zone);
  if (!shifts.utc_offset_s)
    table.refuse("time_zone", "'" + zone + "' is no time zone",
                 "\"local\" (this computer's), \"UTC\", or an offset from it, \"+01:00\"");
  return shifts;
}

/// Of all that makes an outcome, so that a good check by another certificate or limit does not count.
std::string identity_of(const CheckDefinition& c) {
  std::string text = fmt::format("{}|{}|{}|{}", datum::name_of(c.artefact), c.serial, c.recipe, c.readings);
  for (const CertifiedValue& v : c.values)
    text +=
        fmt::format("|{} {} {:.17g} {:.17g} {:.17g} {:.17g}", v.component, datum::name_of(v.characteristic),
                    v.parameter, v.certified, v.expanded, v.maximum_permissible);
  return sha256_hex(text);
}

CheckDefinition read_check(TomlTable table) {
  table.only_keys({"name", "artefact", "serial", "certificate", "recipe", "value", "readings",
                   "start_of_shift", "time_zone", "interval_h", "after_start", "calibration_change",
                   "temperature_step_k"});
  CheckDefinition c;
  c.name = short_text(table, "name", table.text("name"));
  table.name_by("name");
  c.artefact = table.choice<CheckArtefact>("artefact", {{"golden board", CheckArtefact::golden_board},
                                                        {"step standard", CheckArtefact::step_standard},
                                                        {"flat", CheckArtefact::flat}});
  c.serial = short_text(table, "serial", table.text("serial"));
  c.certificate = table.text_or("certificate", "");
  c.recipe = table.text("recipe");
  for (TomlTable& value : table.tables("value")) c.values.push_back(read_value(std::move(value)));
  if (c.values.empty())
    table.refuse("value", "there is no certified value", "one or more [[reference_checks.check.value]]");
  c.readings = static_cast<std::uint32_t>(table.integer_or("readings", 3, 1, 100));
  c.shifts = read_shifts(table);
  if (const auto hours = table.number_if("interval_h", {0.01, 24 * 366}))
    c.interval_s = static_cast<std::int64_t>(*hours * 3600);
  c.after_start = table.boolean_or("after_start", true);
  c.calibration_change = table.boolean_or("calibration_change", true);
  c.temperature_step_k = table.number_if("temperature_step_k", {0.01, 100});
  table.finish();
  c.sha256 = identity_of(c);
  return c;
}

}  // namespace

CheckSettings read_reference_checks(TomlTable table) {
  table.only_keys({"action", "warn_before_min", "override_h", "check"});
  CheckSettings s;
  s.action = table.choice<CheckAction>("action",
                                       {{"invalid", CheckAction::invalid}, {"refuse", CheckAction::refuse}});
  s.warn_s = 60 * table.integer_or("warn_before_min", s.warn_s / 60, 0, 7 * 24 * 60);
  s.override_s = 3600 * table.integer_or("override_h", s.override_s / 3600, 1, 72);
  std::set<std::string> names;
  for (TomlTable& check : table.tables("check")) {
    s.checks.push_back(read_check(std::move(check)));
    if (!names.insert(s.checks.back().name).second)
      table.refuse("check", "two checks are named '" + s.checks.back().name + "'",
                   "a name of its own for each");
  }
  if (s.checks.empty()) table.refuse("check", "there is none", "one or more [[reference_checks.check]]");
  table.finish();
  return s;
}

}  // namespace datum::config
