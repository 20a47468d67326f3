#include "daemon/configuration/shared_links.h"

#include <filesystem>

namespace datum {
namespace {

using config::TomlTable;

struct Use {
  std::vector<std::string> tables;  // of the key, from the file's top
  std::string key, place, address;  // place: port or path; address: of a port
};

bool on_all(const std::string& address) { return address == "0.0.0.0" || address == "::"; }

/// A link in /dev/serial and the device that it names are one line.
std::string line_of(const std::string& path) {
  std::error_code unknown;
  const auto device = std::filesystem::canonical(path, unknown);
  return unknown ? path : device.string();
}

std::vector<Use> uses_of(const DaemonConfig& c) {
  std::vector<Use> uses;
  const auto port = [&](std::vector<std::string> tables, const std::string& address, int number) {
    if (number != 0) uses.push_back({std::move(tables), "port", "port " + std::to_string(number), address});
  };
  const auto line = [&](std::vector<std::string> tables, const std::string& path) {
    uses.push_back({std::move(tables), "path", line_of(path), ""});
  };
  if (c.cmm)
    if (const auto* serial = std::get_if<SerialSettings>(&c.cmm->link)) line({"cmm", "serial"}, serial->path);
  if (c.scanner) line({"scanner"}, c.scanner->line.path);
  if (c.serial) line({"host", "serial"}, c.serial->line.path);
  if (c.modbus_serial) line({"host", "modbus_serial"}, c.modbus_serial->line.path);
  if (c.tcp) port({"host", "tcp"}, c.tcp->address, c.tcp->port);
  if (c.gocator_host) port({"host", "gocator"}, c.gocator_host->address, c.gocator_host->port);
  if (c.modbus_tcp) port({"host", "modbus_tcp"}, c.modbus_tcp->address, c.modbus_tcp->port);
  if (c.metrics) port({"metrics"}, c.metrics->address, c.metrics->port);
  return uses;
}

std::string path_of(const Use& use) {
  std::string path;
  for (const std::string& table : use.tables) path += table + ".";
  return path + use.key;
}

[[noreturn]] void refuse(TomlTable& file, const Use& first, const Use& second) {
  TomlTable table = file.table(second.tables.front());
  if (second.tables.size() > 1) table = table.table(second.tables[1]);
  table.refuse(
      second.key, second.place + " is also that of " + path_of(first),
      second.key == "port" ? "a port of its own for each link" : "a serial line of its own for each link");
}

}  // namespace

void refuse_shared_links(TomlTable& file, const DaemonConfig& c) {
  const std::vector<Use> uses = uses_of(c);
  for (std::size_t i = 0; i < uses.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const bool same_address =
          uses[i].address == uses[k].address || on_all(uses[i].address) || on_all(uses[k].address);
      if (uses[i].place == uses[k].place && same_address) refuse(file, uses[k], uses[i]);
    }
}

}  // namespace datum
