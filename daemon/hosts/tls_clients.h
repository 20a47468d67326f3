// Roles of client certificates.
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
  std::string name;    // common name of the subject; empty: the fingerprint identifies it
  std::string sha256;  // 64 lower-case hexadecimal digits; empty: the name identifies it
  Role role = Role::read;
};

struct HostTls {
  TlsServerSettings files;
  std::vector<TlsClient> clients;
};

/// None: this certificate has no role, whichever CA signed it. An entry with a fingerprint takes precedence over a name.
std::optional<Role> role_of(const TlsIdentity& identity, const std::vector<TlsClient>& clients);
Role highest_role(const std::vector<TlsClient>& clients);

}  // namespace datum
