// [host]: which hosts may command the cell, and over which links.
#pragma once

#include <filesystem>
#include <optional>

#include "config/toml_reader.h"
#include "daemon/hosts/command_server.h"
#include "daemon/instrument/lock_arbiter.h"

namespace datum::config {

/// host.control: the link that control is reserved for. Throws ConfigError, also where `host` lacks that link.
ControlSettings read_control(TomlTable& host);
/// `allow` of a listening link; empty: every address.
AllowList read_allow(TomlTable& table);
/// The role of a link's hosts. Modbus and Gocator hosts cannot configure: `read` or `operate` only.
Role read_role(TomlTable& table, Role fallback, bool can_configure);
/// `address` of a listening link. Throws ConfigError where it is not numeric, and where other computers reach it without
/// `insecure`. `secured_by`: the key that would secure the link, for the message; `secured`: it is set, so certificates
/// decide on access.
std::string read_address(TomlTable& table, const std::string& fallback, const std::string& secured_by = "",
                         bool secured = false);
/// [host.tcp]; files are resolved against `folder`.
CommandServerSettings read_host_tcp(TomlTable table, const std::filesystem::path& folder);
/// [host.gocator].
CommandServerSettings read_host_gocator(TomlTable table);
/// `protocol` of a serial line with its keys; none: SCPI.
std::optional<GocatorSettings> read_protocol(TomlTable& table);

}  // namespace datum::config
