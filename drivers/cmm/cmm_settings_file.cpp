#include "drivers/cmm/settings.h"

#include "config/toml_reader.h"

#include <algorithm>
#include <array>

#include "drivers/cmm/presets.h"
#include "drivers/port/link_settings.h"

namespace datum::config {

namespace {

std::optional<char> character_if(TomlTable& table, const char* key) {
  const auto text = table.text_if(key);
  if (!text) return std::nullopt;
  if (text->size() != 1) {
    table.refuse(key, "has " + std::to_string(text->size()) + " characters", "one ASCII character");
  }
  return text->front();
}

CmmSettings preset(TomlTable& table) {
  const std::string name = table.text("preset");
  std::string known = "custom";
  Words words{known};
  for (const std::string& preset : preset_names()) {
    if (name == preset) return preset_by_name(name);
    known += ", " + preset;
    words.insert(preset);
  }
  if (name != "custom")
    table.refuse("preset", "'" + name + "' is not known" + did_you_mean(name, words), "one of: " + known);
  CmmSettings settings;
  settings.preset = name;
  return settings;
}

void read_link(TomlTable& table, CmmSettings& s) {
  auto serial = table.table_if("serial"), tcp = table.table_if("tcp");
  if (serial.has_value() == tcp.has_value()) {
    table.refuse(serial ? "tcp" : "serial", serial ? "is given beside serial" : "missing",
                 "either [cmm.serial] or [cmm.tcp]");
  }
  if (serial) {
    serial->only_keys({"path", "baud", "data_bits", "parity", "stop_bits", "flow"});
    const auto* line = std::get_if<SerialSettings>(&s.link);
    if (s.preset == "custom") serial->integer("baud", 50, 4'000'000);  // "custom" has no default
    s.link = read_serial(*serial, line ? *line : SerialSettings{});
    serial->finish();
  } else {
    tcp->only_keys({"host", "port"});
    const auto* preset = std::get_if<TcpSettings>(&s.link);
    const bool known = preset && preset->port != 0 && !tcp->has("port");
    s.link = TcpSettings{tcp->text("host"), known ? preset->port : read_tcp_port(*tcp, "port")};
    tcp->finish();
  }
}

void read_framing(std::optional<TomlTable> table, LineFraming& f) {
  if (!table) return;
  table->only_keys(
      {"terminator", "start", "optional_stx", "max_length", "mask_bit7", "end", "fixed_length", "gap_ms"});
  f.terminator = table->text_or("terminator", f.terminator);
  if (const auto start = character_if(*table, "start")) f.start = start;
  f.optional_stx = table->boolean_or("optional_stx", f.optional_stx);
  f.max_length = static_cast<std::size_t>(
      table->integer_or("max_length", static_cast<std::int64_t>(f.max_length), 1, 4096));
  f.mask_bit7 = table->boolean_or("mask_bit7", f.mask_bit7);
  if (const auto end = character_if(*table, "end")) f.end = end;
  f.fixed_length = static_cast<std::size_t>(
      table->integer_or("fixed_length", static_cast<std::int64_t>(f.fixed_length), 0, 4096));
  f.gap_ms = read_ms(*table, "gap_ms", f.gap_ms, 0);
  // They replace the terminator.
  if (!table->has("terminator") && (f.fixed_length > 0 || f.gap_ms > 0)) f.terminator.clear();
  table->finish();
}

void read_number(std::optional<TomlTable> table, NumberFormat& n) {
  if (!table) return;
  table->only_keys({"point", "decimals", "implied_decimals", "group", "exponent"});
  if (const auto digits = table->integer_if("decimals", 0, 9)) n.decimals = static_cast<int>(*digits);
  if (const auto digits = table->integer_if("implied_decimals", 0, 9)) {
    n.implied_decimals = static_cast<int>(*digits);
  }
  n.point = character_if(*table, "point").value_or(n.point);
  if (const auto group = character_if(*table, "group")) n.group = group;
  n.exponent = table->boolean_or("exponent", n.exponent);
  table->finish();
}

Column read_column(TomlTable& table) {
  using Is = Column::Is;
  table.only_keys({"is", "width", "text"});
  Column column;
  column.is = table.choice<Is>("is", {{"literal", Is::literal},
                                      {"label", Is::label},
                                      {"sign", Is::sign},
                                      {"number", Is::number},
                                      {"blank", Is::blank},
                                      {"unit", Is::unit},
                                      {"unit_letter", Is::unit_letter},
                                      {"sort_status", Is::sort_status},
                                      {"series", Is::series},
                                      {"one_of", Is::one_of}});
  if (column.is == Is::literal || column.is == Is::one_of) column.text = table.text("text");
  const auto width = static_cast<std::int64_t>(column.is == Is::literal ? column.text.size() : 1);
  column.width = static_cast<std::size_t>(table.integer_or("width", width, 1, 64));
  table.finish();
  return column;
}

StatusToken read_token(TomlTable& table) {
  table.only_keys({"text", "at_start", "whole_line", "ignore", "state"});
  StatusToken token;
  token.text = table.text("text");
  token.prefix = table.boolean_or("at_start", false);
  token.whole = table.boolean_or("whole_line", false);
  token.ignore = table.boolean_or("ignore", false);
  token.state = table.choice_or("state", ProbeState::device_error,
                                {{"device_error", ProbeState::device_error},
                                 {"not_referenced", ProbeState::not_referenced},
                                 {"out_of_range", ProbeState::out_of_range},
                                 {"stale", ProbeState::stale}});
  table.finish();
  return token;
}

AxisSettings read_axis(TomlTable& table) {
  table.only_keys({"label", "machine_axis", "reversed", "scale", "offset_mm", "min_mm", "max_mm",
                   "offset_deg", "min_deg", "max_deg", "min_shown", "max_shown"});
  AxisSettings axis;
  axis.label = table.text("label");
  axis.machine_axis = table.choice<int>(
      "machine_axis",
      {{"X", 0}, {"Y", 1}, {"Z", 2}, {"A", 3}, {"B", 4}, {"C", 5}, {"none", no_machine_axis}});
  axis.reversed = table.boolean_or("reversed", axis.reversed);
  axis.scale = table.number_or("scale", axis.scale, positive);
  const std::string unit = axis.turns_head() ? "_deg" : "_mm", other = axis.turns_head() ? "_mm" : "_deg";
  for (const char* name : {"offset", "min", "max"})
    if (table.has((name + other).c_str()))
      table.refuse((name + other).c_str(), "is of another unit than the axis " + axis.label, name + unit);
  axis.offset_mm = table.number_or(("offset" + unit).c_str(), axis.offset_mm);
  axis.min_mm = table.number_or(("min" + unit).c_str(), axis.min_mm);
  axis.max_mm = table.number_or(("max" + unit).c_str(), axis.max_mm);
  axis.min_shown = table.number_if("min_shown");
  axis.max_shown = table.number_if("max_shown");
  table.finish();
  return axis;
}

void read_line(TomlTable& table, CmmSettings& s) {
  s.integrity = table.choice_or("integrity", s.integrity,
                                {{"none", Integrity::none},
                                 {"xor_hex", Integrity::xor_hex},
                                 {"sum8_hex", Integrity::sum8_hex},
                                 {"lrc_hex", Integrity::lrc_hex},
                                 {"crc16_modbus_hex", Integrity::crc16_modbus_hex},
                                 {"crc16_ccitt_hex", Integrity::crc16_ccitt_hex},
                                 {"xor_byte", Integrity::xor_byte},
                                 {"nmea", Integrity::nmea}});
  s.layout = table.choice_or("layout", s.layout,
                             {{"columns", Layout::columns},
                              {"labelled", Layout::labelled},
                              {"positional", Layout::positional},
                              {"expression", Layout::expression},
                              {"grbl", Layout::grbl}});
  s.delimiters = table.text_or("delimiters", s.delimiters);
  s.expression = table.text_or("expression", s.expression);
  s.grouping = table.choice_or("grouping", s.grouping,
                               {{"single_line", Grouping::single_line},
                                {"by_order", Grouping::by_order},
                                {"by_label", Grouping::by_label}});
  s.group_window_ms = read_ms(table, "group_window_ms", s.group_window_ms);
  s.unit = table.choice_or("unit", s.unit, {{"mm", LengthUnit::mm}, {"inch", LengthUnit::inch}});
  s.unit_token = table.choice_or("unit_token", s.unit_token,
                                 {{"none", UnitToken::none},
                                  {"blank_is_mm", UnitToken::blank_is_mm},
                                  {"required", UnitToken::required}});
  s.device_tells_unit = table.boolean_or("device_tells_unit", s.device_tells_unit);
  s.setup = table.text_or("setup", s.setup);
  s.touch = table.choice_or("touch", s.touch,
                            {{"stand_still", TouchRule::stand_still}, {"latched", TouchRule::latched}});
  read_framing(table.table_if("framing"), s.framing);
  if (s.layout == Layout::grbl && s.unit == LengthUnit::inch) s.number.decimals = 4;  // as GRBL sends
  read_number(table.table_if("number"), s.number);
}

/// A list replaces the preset's whole list.
void read_lists(TomlTable& table, CmmSettings& s) {
  if (table.has("column")) s.columns.clear();
  for (TomlTable& column : table.tables("column")) s.columns.push_back(read_column(column));
  if (table.has("status_token")) s.status_tokens.clear();
  for (TomlTable& token : table.tables("status_token")) s.status_tokens.push_back(read_token(token));
  if (table.has("axis")) s.axes.clear();
  for (TomlTable& axis : table.tables("axis")) s.axes.push_back(read_axis(axis));
  const char* fixed[] = {"fixed_x_mm", "fixed_y_mm", "fixed_z_mm"};
  for (std::size_t i = 0; i < 3; ++i) {
    if (const auto mm = table.number_if(fixed[i])) s.fixed_mm[i] = mm;
  }
}

std::array<double, 3> read_corner(TomlTable& table, const char* key) {
  const std::vector<double> given = table.numbers(key, 3);
  return {given[0], given[1], given[2]};
}

/// Motion is allowed only by allow_motion, and only within the accompanying box.
std::optional<ProbeMotionSettings> read_motion(TomlTable& machine) {
  const bool allowed = machine.boolean_or("allow_motion", false);
  if (!allowed && machine.has("motion"))
    machine.refuse("motion", "is given where nothing may move",
                   "allow_motion = true beside it, or no such table");
  if (!allowed) return std::nullopt;
  TomlTable motion = machine.table("motion");
  motion.only_keys({"speed_mm_per_s", "probing_speed_mm_per_s", "box_min_mm", "box_max_mm", "most_mm",
                    "arrival_um", "timeout_ms"});
  ProbeMotionSettings m;
  m.speed_mm_s = motion.number("speed_mm_per_s", {1e-3, 200});
  m.probing_speed_mm_s = motion.number("probing_speed_mm_per_s", {1e-3, 20});
  m.min_mm = read_corner(motion, "box_min_mm");
  m.max_mm = read_corner(motion, "box_max_mm");
  m.most_mm = motion.number_or("most_mm", m.most_mm, {1e-3, 1000});
  m.arrival_um = motion.number_or("arrival_um", m.arrival_um, {1e-3, 1000});
  m.timeout_ms = read_ms(motion, "timeout_ms", m.timeout_ms, 100);
  motion.finish();
  return m;
}

/// For GRBL only.
void read_grbl(TomlTable& table, CmmSettings& s) {
  if (s.layout != Layout::grbl) {
    if (table.has("grbl"))
      table.refuse("grbl", "belongs to preset = \"grbl_1_1\"", "no such table, or that preset");
    return;
  }
  auto grbl = table.table_if("grbl");
  if (!grbl) return;
  grbl->only_keys({"allow_motion", "motion"});
  s.grbl_motion = read_motion(*grbl);
  grbl->finish();
}

/// For I++ DME only: other devices have no named tools.
void read_ipp(TomlTable& table, CmmSettings& s) {
  if (s.layout != Layout::ipp_dme) {
    if (table.has("ipp"))
      table.refuse("ipp", "belongs to preset = \"ipp_dme\"", "no such table, or that preset");
    return;
  }
  TomlTable ipp = table.table("ipp");
  ipp.only_keys({"tool", "coordinate_system", "transformation", "watchdog_ms", "move_report_s",
                 "move_report_mm", "allow_motion", "motion"});
  IppSettings& i = s.ipp;
  i.tool = ipp.text("tool");
  i.coordinate_system = ipp.text("coordinate_system");
  if (ipp.has("transformation")) {
    const std::vector<double> given = ipp.numbers("transformation", 6);
    std::copy(given.begin(), given.end(), i.transformation.emplace().begin());
  }
  i.watchdog_ms = read_ms(ipp, "watchdog_ms", i.watchdog_ms, 100);
  i.move_report_s = ipp.number_if("move_report_s", {0.1, 3600});
  i.move_report_mm = ipp.number_or("move_report_mm", i.move_report_mm, positive);
  i.motion = read_motion(ipp);
  ipp.finish();
}

void read_times(TomlTable& table, CmmSettings& s) {
  s.max_age_ms = read_ms(table, "max_age_ms", s.max_age_ms);
  if (auto poll = table.table_if("poll")) {
    poll->only_keys({"strings", "period_ms", "timeout_ms", "accepted", "rejected"});
    s.poll.strings = poll->texts_or("strings", s.poll.strings);
    s.poll.period_ms = read_ms(*poll, "period_ms", s.poll.period_ms, 10);
    s.poll.timeout_ms = read_ms(*poll, "timeout_ms", s.poll.timeout_ms, 10);
    if (const auto byte = character_if(*poll, "accepted")) s.poll.accepted = byte;
    if (const auto byte = character_if(*poll, "rejected")) s.poll.rejected = byte;
    poll->finish();
  }
  if (auto watch = table.table_if("watch")) {
    watch->only_keys({"max_speed_mm_per_s", "frozen_samples", "first_samples"});
    WatchSettings& w = s.watch;
    w.max_speed_mm_per_s = watch->number_or("max_speed_mm_per_s", w.max_speed_mm_per_s, not_negative);
    w.frozen_samples = static_cast<int>(watch->integer_or("frozen_samples", w.frozen_samples, 0, 10'000));
    w.first_samples = static_cast<int>(watch->integer_or("first_samples", w.first_samples, 0, 1000));
    watch->finish();
  }
  if (auto pairing = table.table_if("pairing")) {
    pairing->only_keys(
        {"tolerance_um", "head_tolerance_deg", "window_ms", "position_timeout_ms", "latency_ms"});
    PairSettings& p = s.pairing;
    p.tolerance_um = pairing->number_or("tolerance_um", p.tolerance_um, positive);
    p.head_tolerance_deg = pairing->number_or("head_tolerance_deg", p.head_tolerance_deg, positive);
    p.window_ms = read_ms(*pairing, "window_ms", p.window_ms);
    p.position_timeout_ms = read_ms(*pairing, "position_timeout_ms", p.position_timeout_ms);
    p.latency_ms = read_ms(*pairing, "latency_ms", p.latency_ms, 0);
    pairing->finish();
  }
}

}  // namespace

CmmSettings read_cmm(TomlTable table) {
  table.only_keys({"preset",       "layout",
                   "delimiters",   "expression",
                   "grouping",     "group_window_ms",
                   "integrity",    "unit",
                   "unit_token",   "device_tells_unit",
                   "setup",        "max_age_ms",
                   "touch",        "fixed_x_mm",
                   "fixed_y_mm",   "fixed_z_mm",
                   "serial",       "tcp",
                   "ipp",          "grbl",
                   "framing",      "number",
                   "axis",         "column",
                   "status_token", "poll",
                   "watch",        "pairing"});
  CmmSettings settings = preset(table);
  read_link(table, settings);
  read_line(table, settings);
  read_lists(table, settings);
  read_times(table, settings);
  read_ipp(table, settings);
  read_grbl(table, settings);
  table.finish();
  try {
    check(settings);
  } catch (const RefusedError& error) {
    std::string problem = error.what();
    const std::string own = "cmm: ";  // the key already contains it
    if (problem.rfind(own, 0) == 0) problem.erase(0, own.size());
    throw ConfigError(table.where(), "cmm", problem, "");
  }
  return settings;
}

}  // namespace datum::config
