#include "daemon/configuration/daemon_config.h"

#include <algorithm>

#include "daemon/checks/check_settings_file.h"
#include "daemon/configuration/head_settings_file.h"
#include "daemon/configuration/shared_links.h"
#include "daemon/hosts/host_settings_file.h"
#include "daemon/modbus/settings.h"
#include "daemon/store/retention/retention_settings_file.h"
#include "daemon/store/signing_settings_file.h"
#include "drivers/cmm/settings.h"
#include "drivers/genicam/settings.h"
#include "drivers/gocator/settings.h"
#include "drivers/port/link_settings.h"

namespace datum {

namespace {

namespace fs = std::filesystem;
using config::TomlTable;

constexpr std::int64_t schema = 1;

/// The resolved path of a key that names a file or folder. The key's location is kept for messages.
fs::path path_of(TomlTable& table, const char* key, DaemonConfig& c) {
  const std::string text = table.text(key);
  if (text.empty()) table.refuse(key, "is empty", "a path, absolute or from the folder of this file");
  c.places[table.path(key)] = table.where(key);
  return (c.file.parent_path() / text).lexically_normal();
}

std::string name_if(TomlTable& table, const char* key, DaemonConfig& c) {
  const auto name = table.text_if(key);
  if (!name) return {};
  if (name->empty()) table.refuse(key, "is empty", "a name, or no such key");
  c.places[table.path(key)] = table.where(key);
  return *name;
}

fs::path path_if(TomlTable& table, const char* key, DaemonConfig& c) {
  return table.text_if(key) ? path_of(table, key, c) : fs::path();
}

void read_sensor(TomlTable table, DaemonConfig& c) {
  table.only_keys({"profile", "kind", "drop_folder", "rescan_ms", "settle_ms", "images_timeout_ms",
                   "max_frame_mpix", "max_age_ms", "utc_uncertainty_ms", "gocator", "genicam"});
  c.sensor_profile = path_of(table, "profile", c);
  const std::string kind = table.choice_or<const char*>(
      "kind", "file_drop",
      {{"file_drop", "file_drop"}, {"fringe", "fringe"}, {"gocator", "gocator"}, {"genicam", "genicam"}});
  for (const char* other : {"gocator", "genicam"})
    if (kind != other && table.has(other))
      table.refuse(other, "is given beside kind = \"" + kind + "\"", std::string("kind = \"") + other + "\"");
  c.fringe = kind == "fringe";
  if (kind == "gocator" || kind == "genicam") {
    auto device = table.table_if(kind);
    if (!device) table.refuse(kind, "missing", "a table [sensor." + kind + "]");
    if (table.has("drop_folder"))
      table.refuse("drop_folder", "is of kind file_drop", "no such key beside " + kind);
    if (kind == "gocator")
      c.gocator = config::read_gocator(std::move(*device), c.file.parent_path());
    else
      c.genicam = config::read_genicam(std::move(*device));
    return table.finish();
  }
  FileDropSettings& drop = c.file_drop;
  drop.folder = path_of(table, "drop_folder", c);
  drop.rescan_ms = static_cast<int>(table.integer_or("rescan_ms", drop.rescan_ms, 100, 600'000));
  drop.settle_ms = static_cast<int>(table.integer_or("settle_ms", drop.settle_ms, 10, 60'000));
  drop.images_timeout_ms =
      static_cast<int>(table.integer_or("images_timeout_ms", c.fringe ? 5000 : 0, 0, 600'000));
  const auto ms_if = [&](const char* key, std::int64_t most) -> std::optional<int> {
    const auto ms = table.integer_if(key, 1, most);
    return ms ? std::optional(static_cast<int>(*ms)) : std::nullopt;
  };
  drop.max_frame_mpix = static_cast<int>(table.integer_or(
      "max_frame_mpix", drop.max_frame_mpix, 1, static_cast<std::int64_t>(most_frame_pixels / 1'000'000)));
  drop.max_age_ms = ms_if("max_age_ms", 604'800'000);  // one week
  drop.utc_uncertainty_ms = ms_if("utc_uncertainty_ms", 60'000);
  table.finish();
}

void read_inspection(TomlTable table, DaemonConfig& c) {
  table.only_keys({"recipes_folder", "recipes_most", "recipes_most_kib", "recipe", "calibration",
                   "calibrations_folder", "trigger", "arm_at_start", "frame_timeout_ms", "late_frame_ms",
                   "temperature_max_age_s"});
  c.recipes = path_of(table, "recipes_folder", c);
  c.recipe_quota.files = static_cast<std::size_t>(
      table.integer_or("recipes_most", static_cast<std::int64_t>(c.recipe_quota.files), 1, 10'000));
  c.recipe_quota.bytes =
      1024 * static_cast<std::uint64_t>(table.integer_or(
                 "recipes_most_kib", static_cast<std::int64_t>(c.recipe_quota.bytes / 1024), 1, 1 << 20));
  c.recipe = name_if(table, "recipe", c);
  c.calibration = name_if(table, "calibration", c);
  c.calibrations = path_if(table, "calibrations_folder", c);
  if (!c.calibration.empty() && c.calibrations.empty()) {
    table.refuse("calibrations_folder", "missing", "the folder of calibration '" + c.calibration + "'");
  }
  c.trigger =
      table.choice<TriggerMode>("trigger", {{"on_frame", TriggerMode::on_frame}, {"bus", TriggerMode::bus}});
  c.arm_at_start = table.boolean_or("arm_at_start", c.arm_at_start);
  if (c.arm_at_start && c.recipe.empty()) {
    table.refuse("arm_at_start", "there is no recipe to arm with", "false, or a recipe beside it");
  }
  c.frame_timeout_ms = static_cast<int>(table.integer_or("frame_timeout_ms", c.frame_timeout_ms, 1, 600'000));
  c.late_frame_ms =
      static_cast<int>(table.integer_or("late_frame_ms", 10 * c.frame_timeout_ms, 1, 86'400'000));
  if (c.late_frame_ms < c.frame_timeout_ms)
    table.refuse("late_frame_ms",
                 std::to_string(c.late_frame_ms) + " is shorter than frame_timeout_ms " +
                     std::to_string(c.frame_timeout_ms),
                 "frame_timeout_ms or longer: a frame in time is not late");
  c.temperature_max_age_s =
      static_cast<int>(table.integer_or("temperature_max_age_s", c.temperature_max_age_s, 1, 604'800));
  table.finish();
}

void read_three(TomlTable& table, const char* key, config::Range range, std::array<double, 3>& values) {
  if (!table.has(key)) return;
  const std::vector<double> given = table.numbers(key, 3, range);
  std::copy(given.begin(), given.end(), values.begin());
}

void read_calibrate(TomlTable table, DaemonConfig& c) {
  table.only_keys({"artefacts_folder", "probe_radius_mm", "probe_u_radius_um", "probe_u_touch_um",
                   "probe_radius_limit_um", "probe_checked_by", "outwards", "squareness_rad", "scale_ppm",
                   "u_squareness_rad", "u_scale_ppm", "u_position_um", "touch_timeout_ms", "valid_days",
                   "temperature_window_k", "max_residual_um", "drift_limit_um", "drift_limit_mdeg", "head"});
  CalibrateSettings s;
  s.artefacts = path_of(table, "artefacts_folder", c);
  s.probe_radius_mm = table.number("probe_radius_mm", {0.01, 50});
  s.probe_u_radius_um = table.number("probe_u_radius_um", config::not_negative);
  s.probe_u_touch_um = table.number("probe_u_touch_um", config::positive);
  s.probe_radius_limit_um =
      table.number_or("probe_radius_limit_um", s.probe_radius_limit_um, config::positive);
  s.probe_checked_by = table.text_or("probe_checked_by", "");
  read_three(table, "outwards", {-1, 1}, s.outwards);
  if (s.outwards == std::array<double, 3>{})
    table.refuse("outwards", "is no direction", "such as [0, 0, 1], out of the artefact's plate");
  // Above 0.1 rad or 10 % the value is a typing error (unit, decimal point).
  read_three(table, "squareness_rad", {-0.1, 0.1}, s.squareness_rad);
  read_three(table, "scale_ppm", {-1e5, 1e5}, s.scale_ppm);
  read_three(table, "u_squareness_rad", {0, 0.1}, s.u_squareness_rad);
  read_three(table, "u_scale_ppm", {0, 1e5}, s.u_scale_ppm);
  read_three(table, "u_position_um", {0, 1e5}, s.u_position_um);
  s.touch_timeout_ms =
      static_cast<int>(table.integer_or("touch_timeout_ms", s.touch_timeout_ms, 1, 3'600'000));
  s.valid_days = static_cast<int>(table.integer_or("valid_days", s.valid_days, 1, 3660));
  s.temperature_window_k = table.number_or("temperature_window_k", s.temperature_window_k, {0.1, 20});
  s.max_residual_um = table.number_or("max_residual_um", s.max_residual_um, config::positive);
  s.drift_limit_um = table.number_or("drift_limit_um", s.drift_limit_um, config::positive);
  s.drift_limit_mdeg = table.number_or("drift_limit_mdeg", s.drift_limit_mdeg, config::positive);
  if (auto head = table.table_if("head")) s.head = read_head(std::move(*head));
  table.finish();
  c.calibrate = s;
}

void read_ring_gauge(TomlTable table, HoleSettings& s) {
  table.only_keys({"centre_mm", "diameter_mm", "u_diameter_um", "valid_h"});
  RingGauge gauge;
  gauge.center_mm = Eigen::Map<const Eigen::Vector3d>(table.numbers("centre_mm", 3, {-1e5, 1e5}).data());
  gauge.radius_mm = table.number("diameter_mm", {0.1, 1000}) / 2;
  gauge.u_radius_mm = table.number("u_diameter_um", config::not_negative) * 1e-3 / 2;
  s.gauge_valid_h = table.number_or("valid_h", s.gauge_valid_h, {0.01, 8760});
  table.finish();
  s.gauge = gauge;
}

void read_holes(TomlTable table, DaemonConfig& c) {
  table.only_keys({"log_folder", "u_edge_um", "edge_depth_mm", "depth_mm", "spare_mm", "eps_um", "timeout_ms",
                   "ring_gauge"});
  HoleSettings s;
  s.logs = path_of(table, "log_folder", c);
  s.u_edge_um = table.number("u_edge_um", config::not_negative);
  s.edge_depth_mm = table.number_or("edge_depth_mm", s.edge_depth_mm, {0.001, 100});
  s.depth_mm = table.number_or("depth_mm", s.depth_mm, {0.001, 100});
  s.spare_mm = table.number_or("spare_mm", s.spare_mm, {0.001, 100});
  s.eps_um = table.number_or("eps_um", s.eps_um, {0.001, 1000});
  s.timeout_ms = static_cast<int>(table.integer_or("timeout_ms", s.timeout_ms, 100, 3'600'000));
  if (auto gauge = table.table_if("ring_gauge")) read_ring_gauge(std::move(*gauge), s);
  table.finish();
  c.holes = s;
}

/// A calibration needs the position of the stage, and the same machine touches the artefact.
void demand_a_machine(TomlTable& file, const DaemonConfig& c) {
  if (c.holes && !c.calibrate)
    file.refuse("holes", "there is no probe to touch holes with",
                "a table [calibration], which describes it");
  if (!c.calibrate) return;
  if (!c.cmm) file.refuse("calibration", "there is no machine to touch the artefact with", "a table [cmm]");
  if (c.calibrate->head.has_value() != has_head(*c.cmm))
    file.refuse("calibration",
                c.calibrate->head ? "has positions of a head, and no axis of [cmm] states its angles"
                                  : "has no positions of the head whose angles [cmm] states",
                "[calibration.head] where a [[cmm.axis]] has the machine_axis A, B or C, and only there");
  if (c.holes && has_head(*c.cmm))
    file.refuse("holes", "are not probed where [cmm] states a head's angles", "no [holes], or no head");
  if (c.calibrations.empty())
    file.refuse("calibration", "there is no folder to keep calibrations in",
                "inspection.calibrations_folder");
}

void read_results(TomlTable table, DaemonConfig& c) {
  table.only_keys({"store_file", "pictures_folder"});
  c.store = path_of(table, "store_file", c);
  if (const fs::path folder = path_if(table, "pictures_folder", c); !folder.empty()) c.pictures = folder;
  table.finish();
}

void read_backend(std::optional<TomlTable> table, BackendSettings& backend) {
  if (!table) return;
  using enum BackendSettings::Kind;
  table->only_keys({"kind", "threads"});
  backend.kind = table->choice_or("kind", backend.kind, {{"auto", automatic}, {"cpu", cpu}, {"cuda", cuda}});
  backend.threads = static_cast<unsigned>(table->integer_or("threads", backend.threads, 0, 1024));
  table->finish();
}

SerialLinkSettings read_host_serial(TomlTable table) {
  table.only_keys({"path", "baud", "data_bits", "parity", "stop_bits", "flow", "role", "push_results",
                   "protocol", "delimiter", "terminator", "invalid_text", "format"});
  SerialLinkSettings link;
  table.integer("baud", 50, 4'000'000);  // a host line has no preset with a baud rate
  link.line = config::read_serial(table, {});
  link.gocator = config::read_protocol(table);
  link.push_results = table.boolean_or("push_results", link.push_results);
  if (link.gocator) link.gocator->asynchronous = link.push_results;
  link.role = config::read_role(table, link.gocator ? Role::operate : link.role, !link.gocator);
  table.finish();
  return link;
}

void read_roles(TomlTable& host, DaemonConfig& c) {
  std::map<std::string, Role>& roles = c.control.roles;
  if (c.serial) roles["serial"] = c.serial->role;
  if (c.tcp) roles["tcp"] = c.tcp->role;
  if (c.gocator_host) roles["gocator"] = c.gocator_host->role;
  if (c.modbus_tcp) roles["modbus_tcp"] = c.modbus_tcp->role;
  if (c.modbus_serial) roles["modbus_serial"] = c.modbus_serial->role;
  const auto reserved = roles.find(c.control.reserved);
  if (reserved != roles.end() && reserved->second == Role::read)
    host.refuse("control", "is reserved for [host." + reserved->first + "], whose role is \"read\"",
                "a link whose role is \"operate\" or \"configure\"");
}

void read_host(std::optional<TomlTable> table, DaemonConfig& c, config::Problems& problems) {
  if (!table) return;
  const bool known = problems.attempt([&] {
    table->only_keys({"control", "named_for", "serial", "tcp", "gocator", "modbus_tcp", "modbus_serial"});
  });
  if (known) problems.attempt([&] { c.control = config::read_control(*table); });
  problems.attempt([&] {
    if (auto serial = table->table_if("serial")) c.serial = read_host_serial(std::move(*serial));
  });
  problems.attempt([&] {
    auto tcp = table->table_if("tcp");
    if (!tcp) return;
    if (tcp->has("tls")) c.places["host.tcp.tls"] = tcp->where("tls");
    c.tcp = config::read_host_tcp(std::move(*tcp), c.file.parent_path());
  });
  problems.attempt([&] {
    if (auto gocator = table->table_if("gocator"))
      c.gocator_host = config::read_host_gocator(std::move(*gocator));
  });
  problems.attempt([&] {
    if (auto tcp = table->table_if("modbus_tcp")) c.modbus_tcp = config::read_modbus_tcp(std::move(*tcp));
  });
  problems.attempt([&] {
    if (auto line = table->table_if("modbus_serial"))
      c.modbus_serial = config::read_modbus_serial(std::move(*line));
  });
  if (known) read_roles(*table, c);
}

void demand_a_host(TomlTable& file, const DaemonConfig& c) {
  if (c.serial || c.tcp || c.gocator_host || c.modbus_tcp || c.modbus_serial) return;
  const std::string allowed =
      "[host.serial], [host.tcp], [host.gocator], [host.modbus_tcp] or [host.modbus_serial]";
  if (c.trigger == TriggerMode::bus) file.refuse("host", "missing: no host could send the trigger", allowed);
  if (!c.arm_at_start)
    file.refuse("host", "missing: no host could arm the cell", allowed + ", or arm_at_start = true");
}

/// A host's command sends the software trigger, so this sensor needs the trigger mode bus.
void demand_somebody_who_triggers(TomlTable& file, const DaemonConfig& c) {
  if (!sensor_waits_for_software(c) || c.trigger == TriggerMode::bus) return;
  file.refuse(c.gocator ? "sensor.gocator" : "sensor.genicam",
              "trigger is \"software\" and no host ever triggers",
              "inspection.trigger = \"bus\", or trigger = \"external\"");
}

/// The stage position at the exposure of an untriggered frame is unknown, so a CMM needs the trigger mode bus.
void demand_a_trigger(TomlTable& file, const DaemonConfig& c) {
  if (!c.cmm || c.trigger == TriggerMode::bus) return;
  file.refuse("cmm", "a position before the exposure is only known where a trigger asks for the frame",
              "inspection.trigger = \"bus\" beside [cmm]");
}

}  // namespace

fs::path deliveries_folder(const DaemonConfig& c) {
  return c.gocator ? c.gocator->archive.value_or(fs::path()) : c.file_drop.folder;
}

bool sensor_waits_for_software(const DaemonConfig& c) {
  return (c.gocator && c.gocator->trigger == gocator::TriggerBy::software) ||
         (c.genicam && c.genicam->trigger == genicam::TriggerBy::software);
}

namespace {

/// A part that failed leaves nothing behind: what would be missing of it is no fault of its own.
void forget_failed(const std::string& part, DaemonConfig& c) {
  if (part == "sensor") {
    c.sensor_profile.clear();
    c.file_drop.folder.clear();
  } else if (part == "inspection") {
    c.recipes.clear();
    c.recipe.clear();
    c.calibrations.clear();
    c.calibration.clear();
  } else if (part == "results") {
    c.store.clear();
    c.pictures.reset();
  }
}

void read_tables(TomlTable& file, DaemonConfig& c, config::Problems& problems) {
  if (file.has("schema")) file.integer("schema", schema, schema);  // in another schema, other keys are known
  const bool known = problems.attempt([&] {
    file.only_keys({"schema", "cell", "sensor", "inspection", "results", "retention", "signatures",
                    "reference_checks", "backend", "cmm", "calibration", "holes", "lots", "metrics", "plant",
                    "fleet", "host", "scanner"});
  });
  const auto read = [&](const char* part, auto reader) {
    if (!known && !file.has(part)) return;  // it is the unknown one, probably
    if (!problems.attempt([&] { reader(); })) forget_failed(part, c);
  };
  const std::filesystem::path folder = c.file.parent_path();
  const auto read_if = [&](const char* part, auto reader) {
    read(part, [&] {
      if (auto table = file.table_if(part)) reader(std::move(*table));
    });
  };
  read("schema", [&] { file.integer("schema", schema, schema); });
  read("cell", [&] { c.cell = file.text("cell"); });
  read("sensor", [&] { read_sensor(file.table("sensor"), c); });
  read("inspection", [&] { read_inspection(file.table("inspection"), c); });
  read("results", [&] { read_results(file.table("results"), c); });
  read_if("retention", [&](TomlTable table) { c.retention = config::read_retention(std::move(table)); });
  read_if("signatures", [&](TomlTable table) { c.signatures = config::read_signatures(std::move(table)); });
  read_if("reference_checks",
          [&](TomlTable table) { c.reference_checks = config::read_reference_checks(std::move(table)); });
  read("backend", [&] { read_backend(file.table_if("backend"), c.backend); });
  read_if("cmm", [&](TomlTable table) {
    c.cmm = config::read_cmm(std::move(table));
    c.cmm->pairing.frame_timeout_ms = c.frame_timeout_ms;
  });
  read_if("scanner", [&](TomlTable table) { c.scanner = config::read_scanner(std::move(table)); });
  read_if("calibration", [&](TomlTable table) { read_calibrate(std::move(table), c); });
  read_if("holes", [&](TomlTable table) { read_holes(std::move(table), c); });
  read_if("metrics", [&](TomlTable table) { c.metrics = config::read_metrics(std::move(table), folder); });
  read_if("plant", [&](TomlTable plant) { c.plant = config::read_plant(std::move(plant), folder); });
  read_if("lots", [&](TomlTable lots) { c.lots = config::read_lots(std::move(lots), c.file, c.places); });
  read_if("fleet", [&](TomlTable fleet) { c.fleet = config::read_fleet(std::move(fleet), folder); });
  read("host", [&] { read_host(file.table_if("host"), c, problems); });
}

}  // namespace

DaemonConfig load_daemon_config(const fs::path& path, config::Problems& problems) {
  DaemonConfig c;
  c.file = fs::absolute(path).lexically_normal();
  problems.attempt([&] {
    auto file = TomlTable::from_file(path);
    c.sha256 = file.sha256();
    const std::size_t before = problems.errors().size();
    read_tables(file, c, problems);
    // What one table demands of another is known once all were read.
    if (problems.errors().size() > before) return;
    demand_a_host(file, c);
    demand_a_trigger(file, c);
    demand_somebody_who_triggers(file, c);
    demand_a_machine(file, c);
    refuse_shared_links(file, c);
  });
  return c;
}

DaemonConfig load_daemon_config(const fs::path& path) {
  config::Problems problems;
  DaemonConfig c = load_daemon_config(path, problems);
  problems.throw_first();
  return c;
}

}  // namespace datum
