// datumctl doctor
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <nlohmann/json.hpp>

#include "daemon/configuration/daemon_config.h"
#include "daemon/ctl/command_line.h"
#include "daemon/ctl/doctor_cell.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/run_program.h"

namespace datum {
namespace {

using doctor::Finding;
using doctor::Needs;
using doctor::State;

constexpr std::int64_t bytes_per_kib = 1024;

struct DoctorOptions {
  std::string config = "/etc/datumd/datumd.toml";
  bool service = false;
};

void need_listeners(const DaemonConfig& c, Needs& needs) {
  if (c.tcp) needs.listeners.push_back({"host.tcp.port", c.tcp->address, c.tcp->port});
  if (c.gocator_host)
    needs.listeners.push_back({"host.gocator.port", c.gocator_host->address, c.gocator_host->port});
  if (c.modbus_tcp)
    needs.listeners.push_back({"host.modbus_tcp.port", c.modbus_tcp->address, c.modbus_tcp->port});
}

void need_serial_lines(const DaemonConfig& c, Needs& needs) {
  if (c.cmm)
    if (const auto* serial = std::get_if<SerialSettings>(&c.cmm->link))
      needs.serial_lines.push_back({"cmm.serial.path", serial->path});
  if (c.serial) needs.serial_lines.push_back({"host.serial.path", c.serial->line.path});
  if (c.scanner) needs.serial_lines.push_back({"scanner.path", c.scanner->line.path});
  if (c.modbus_serial) needs.serial_lines.push_back({"host.modbus_serial.path", c.modbus_serial->line.path});
}

Needs needs_of(const DaemonConfig& c) {
  Needs needs;
  if (c.gocator) needs.sensor_address = c.gocator->address;
  if (c.genicam) {
    needs.camera = true;
    if (!c.genicam->address.empty()) needs.sensor_address = c.genicam->address;
    needs.packet_size = c.genicam->packet_size;
    needs.socket_buffer_bytes = c.genicam->socket_buffer_kib * bytes_per_kib;
  }
  need_serial_lines(c, needs);
  need_listeners(c, needs);
  if (!c.store.empty()) needs.written_folders.push_back(c.store.parent_path().string());
  if (c.pictures) needs.made_folders.push_back(c.pictures->string());
  if (!c.file_drop.folder.empty()) needs.made_folders.push_back(c.file_drop.folder.string());
  needs.demands_gpu = c.backend.kind == BackendSettings::Kind::cuda;
  needs.takes_gpu = c.backend.kind != BackendSettings::Kind::cpu;
  return needs;
}

std::int64_t now_s() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

std::vector<Finding> examine_configuration(const std::string& file) {
  const ConfigCheck check = check_cell(file, now_s());
  const std::string run = "datumd --check-config --config " + file;
  std::vector<Finding> findings;
  for (const std::string& problem : check.problems)
    findings.push_back({"configuration", problem, State::bad, run});
  for (const std::string& warning : check.warnings)
    findings.push_back({"configuration", warning, State::doubtful, run});
  if (findings.empty()) findings.push_back({"configuration", file + " is good", State::good, ""});
  return findings;
}

/// "datumd.service" for /etc/datumd/datumd.toml, "datumd@left.service" for left.toml in the same folder.
std::string unit_of(const std::string& config) {
  const std::string stem = std::filesystem::path(config).stem().string();
  return stem == "datumd" ? "datumd.service" : "datumd@" + stem + ".service";
}

std::vector<Finding> examine_service(const std::string& config) {
  if (!std::filesystem::is_directory("/run/systemd/system")) return {};
  const std::string unit = unit_of(config);
  const ProgramOutput said = run_program(
      {"systemctl", "show", "-p", "LoadState,ActiveState,SubState,Result,NRestarts,UnitFileState", unit});
  return said.shortcoming().empty() ? doctor::examine_unit(unit, said.text) : std::vector<Finding>{};
}

int examine(const CommandLine& line, const DoctorOptions& options) {
  const std::vector<Finding> findings = doctor::examine_cell(options.config, options.service);
  if (line.json)
    fmt::print("{}\n", doctor::as_json(findings).dump(2));
  else
    fmt::print("{}", doctor::shown(findings));
  return doctor::any_bad(findings) ? failed : good;
}

}  // namespace

std::vector<Finding> doctor::examine_cell(const std::string& file, bool service) {
  std::vector<Finding> findings = examine_configuration(file);
  const auto take = [&](const std::vector<Finding>& more) {
    findings.insert(findings.end(), more.begin(), more.end());
  };
  config::Problems told;
  const DaemonConfig config = load_daemon_config(file, told);
  take(examine_service(file));
  take(doctor::examine(needs_of(config), service ? this_computer_for_the_service() : this_computer()));
  if (!config.store.empty()) take(examine_store(config.store));
  take(examine_tls(config, now_s()));
  if (!config.fringe) take(examine_drop(config.file_drop.folder, now_s()));
  return findings;
}

void add_doctor_command(CommandLine& line) {
  auto options = std::make_shared<DoctorOptions>();
  auto* command = line.leaf(line.app, "doctor",
                            "faults of this computer that hinder the cell, and the command that repairs each",
                            [&line, options] { return examine(line, *options); });
  line.offer(
      command->add_option("--config", options->config, "configuration of the cell")->capture_default_str(),
      Offer::files);
  command->add_flag("--service", options->service,
                    "for the systemd unit datumd.service instead of the caller");
  line.add_json(*command);
}

}  // namespace datum
