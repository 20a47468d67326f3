#include "daemon/hosts/tls_clients.h"

#include <algorithm>

namespace datum {

std::optional<Role> role_of(const TlsIdentity& identity, const std::vector<TlsClient>& clients) {
  const auto with = [&](const auto& matches) -> std::optional<Role> {
    const auto found = std::find_if(clients.begin(), clients.end(), matches);
    return found == clients.end() ? std::nullopt : std::optional(found->role);
  };
  const auto exactly =
      with([&](const TlsClient& c) { return !c.sha256.empty() && c.sha256 == identity.sha256; });
  if (exactly) return exactly;
  return with([&](const TlsClient& c) { return !c.name.empty() && c.name == identity.name; });
}

Role highest_role(const std::vector<TlsClient>& clients) {
  Role highest = Role::read;
  for (const TlsClient& client : clients) highest = std::max(highest, client.role);
  return highest;
}

}  // namespace datum
