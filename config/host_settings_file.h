// [host]: who may command the cell, and over which links.
#pragma once

#include <optional>

#include "config/toml_reader.h"
#include "daemon/report/command_server.h"
#include "daemon/report/control.h"

namespace datum::config {

/// host.control: the link that control is reserved for. Throws ConfigError, also where `host` has no such link.
ControlSettings read_control(TomlTable& host);
/// `allow` of a listening link: none allows everybody.
AllowList read_allow(TomlTable& table);
/// [host.tcp].
CommandServerSettings read_host_tcp(TomlTable table);
/// [host.gocator].
CommandServerSettings read_host_gocator(TomlTable table);
/// protocol of a serial line, with the keys that belong to it; none: SCPI.
std::optional<GocatorSettings> read_protocol(TomlTable& table);

}  // namespace datum::config
