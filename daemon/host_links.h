// The links that hosts come by, as the configuration lists them: opened, and added to the cell and the loop.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "daemon/cell/cell.h"
#include "daemon/configuration/daemon_config.h"
#include "daemon/hosts/command_server.h"
#include "daemon/modbus/register_server.h"
#include "daemon/system/event_loop.h"
#include "daemon/system/inherited_sockets.h"
#include "drivers/scanner/scanner_link.h"

namespace datum {

/// Throws RefusedError where a socket can't be opened.
std::vector<std::unique_ptr<CommandEndpoint>> open_hosts(const DaemonConfig& config, InspectionCell& cell,
                                                         const LogSink& to_journal, InheritedSockets& sockets,
                                                         EventLoop& loop);

/// Reads the present configuration and applies only [host.tcp.tls]: certificates and roles.
void reload_tls(const DaemonConfig& config, const std::vector<std::unique_ptr<CommandEndpoint>>& hosts,
                const LogSink& to_journal);

/// The scanner of [scanner]; null where the configuration has none.
std::unique_ptr<ScannerLink> open_scanner(const DaemonConfig& config, InspectionCell& cell,
                                          const LogSink& to_journal, EventLoop& loop);

struct ModbusHosts {
  std::optional<modbus::RegisterServer> server;
  std::vector<std::unique_ptr<Pollable>> links;  // destroyed before the register server
};

/// Nothing where the configuration has no Modbus.
void open_modbus(ModbusHosts& hosts, const DaemonConfig& config, InspectionCell& cell,
                 const LogSink& to_journal, InheritedSockets& sockets, EventLoop& loop);

}  // namespace datum
