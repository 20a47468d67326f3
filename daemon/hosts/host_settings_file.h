// [host]: who may command the cell, and over which links.
#pragma once

#include <filesystem>
#include <optional>

#include "config/toml_reader.h"
#include "daemon/hosts/command_server.h"
#include "daemon/instrument/lock_arbiter.h"

namespace datum::config {

/// host.control: the link that control is reserved for. Throws ConfigError, also where `host` has no such link.
ControlSettings read_control(TomlTable& host);
/// `allow` of a listening link: none allows everybody.
AllowList read_allow(TomlTable& table);
/// What the hosts of a link may do. Of Modbus and Gocator hosts, which can't configure, `read` or `operate`.
Role read_role(TomlTable& table, Role fallback, bool can_configure);
/// `address` of a listening link, and whether its neighbours on the network are trusted. Throws ConfigError where it is not
/// numeric, and where others reach it and `insecure` does not say that they may. `secured_by`: the link's means to be
/// secure, for the message; `secured`: it has them, and is reached by whom its certificates name.
std::string read_address(TomlTable& table, const std::string& fallback, const std::string& secured_by = "",
                         bool secured = false);
/// [host.tcp]; files are resolved against `folder`.
CommandServerSettings read_host_tcp(TomlTable table, const std::filesystem::path& folder);
/// [host.gocator].
CommandServerSettings read_host_gocator(TomlTable table);
/// protocol of a serial line, with the keys that belong to it; none: SCPI.
std::optional<GocatorSettings> read_protocol(TomlTable& table);

}  // namespace datum::config
