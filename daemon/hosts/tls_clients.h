// Which certificates of clients have which role.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "daemon/instrument/lock_arbiter.h"
#include "drivers/tls/tls_identity.h"
#include "drivers/tls/tls_settings.h"

namespace datum {

struct TlsClient {
  std::string name;    // common name of its subject; empty: it is named by its fingerprint
  std::string sha256;  // 64 lower-case hexadecimal digits; empty: by its name
  Role role = Role::read;
};

struct HostTls {
  TlsServerSettings files;
  std::vector<TlsClient> clients;
};

/// None: this certificate has no role, whoever signed it. One that is named by its fingerprint has that role, whatever its
/// name is.
std::optional<Role> role_of(const TlsIdentity& identity, const std::vector<TlsClient>& clients);
/// The highest of all.
Role highest_role(const std::vector<TlsClient>& clients);

}  // namespace datum
