// [host.tcp.tls]: certificates of both sides of a listening link.
#pragma once

#include <filesystem>

#include "config/toml_reader.h"
#include "daemon/hosts/tls_clients.h"

namespace datum::config {

/// Files are resolved against `folder`; they are not opened. Throws ConfigError.
HostTls read_tls(TomlTable table, const std::filesystem::path& folder);

}  // namespace datum::config
