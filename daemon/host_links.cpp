#include "daemon/host_links.h"

#include <fmt/format.h>

#include "daemon/modbus/serial_link.h"
#include "daemon/modbus/tcp_server.h"

namespace datum {

std::vector<std::unique_ptr<CommandEndpoint>> open_hosts(const DaemonConfig& config, InspectionCell& cell,
                                                         const LogSink& to_journal, InheritedSockets& sockets,
                                                         EventLoop& loop) {
  std::vector<std::unique_ptr<CommandEndpoint>> hosts;
  if (config.serial) {
    CommandLinkSettings line;
    line.push_results = config.serial->push_results;
    line.reopen = true;
    line.host = "serial " + config.serial->line.path;
    line.gocator = config.serial->gocator;
    hosts.push_back(std::make_unique<CommandLink>(serial_port(config.serial->line), cell, line, to_journal));
  }
  for (const auto& server : {config.tcp, config.gocator_host})
    if (server)
      hosts.push_back(std::make_unique<CommandServer>(*server, cell, to_journal,
                                                      sockets.take(server->gocator ? "gocator" : "tcp")));
  for (const auto& host : hosts) {
    cell.add_endpoint(*host);
    loop.add(*host);
  }
  return hosts;
}

std::unique_ptr<ScannerLink> open_scanner(const DaemonConfig& config, InspectionCell& cell,
                                          const LogSink& to_journal, EventLoop& loop) {
  if (!config.scanner) return nullptr;
  auto scanner = std::make_unique<ScannerLink>(
      serial_port(config.scanner->line), *config.scanner,
      [&cell](const ScannedSerial& scan, const std::string& read_hex, MonotonicNs now) {
        cell.take_scan(scan, read_hex, now);
      },
      [to_journal](bool open, bool refused, const std::string& why) {
        LogEvent event{open ? Event::link_back : Event::link_lost, {{"DATUM_LINK", "scanner"}}};
        if (!open) event.fields.emplace_back("DATUM_REASON", why);
        to_journal(open ? 5 : refused ? 3 : 4, open ? why : "scanner: " + why, event);
      });
  cell.add_link(*scanner, scanner.get());
  loop.add(*scanner);
  return scanner;
}

void reload_tls(const DaemonConfig& config, const std::vector<std::unique_ptr<CommandEndpoint>>& hosts,
                const LogSink& to_journal) {
  if (!config.tcp || !config.tcp->tls) return;
  for (const auto& host : hosts) {
    auto* server = dynamic_cast<CommandServer*>(host.get());
    if (!server || server->speaks_gocator()) continue;
    try {
      const DaemonConfig now = load_daemon_config(config.file);
      server->reload(now.tcp ? now.tcp->tls : std::nullopt, EventLoop::now());
    } catch (const std::runtime_error& refused) {
      to_journal(3, fmt::format("host.tcp.tls stays as it was: {}", refused.what()));
    }
  }
}

void open_modbus(ModbusHosts& hosts, const DaemonConfig& config, InspectionCell& cell,
                 const LogSink& to_journal, InheritedSockets& sockets, EventLoop& loop) {
  if (!config.modbus_tcp && !config.modbus_serial) return;
  modbus::RegisterServer& server = hosts.server.emplace(
      modbus::ServerDependencies{cell, cell.control(), to_journal, config.store.string() + ".modbus"});
  cell.add_endpoint(server);
  loop.add(server);
  loop.add(server.keeper());
  if (config.modbus_tcp)
    hosts.links.push_back(std::make_unique<modbus::TcpServer>(*config.modbus_tcp, server, to_journal,
                                                              sockets.take("modbus_tcp")));
  if (config.modbus_serial)
    hosts.links.push_back(std::make_unique<modbus::SerialLink>(*config.modbus_serial, server, to_journal));
  for (const auto& link : hosts.links) {
    cell.add_link(*link, dynamic_cast<const LinkStatusProvider*>(link.get()));
    loop.add(*link);
  }
}

}  // namespace datum
