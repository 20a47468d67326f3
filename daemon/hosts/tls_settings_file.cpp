#include "daemon/hosts/tls_settings_file.h"

#include <algorithm>

#include "daemon/hosts/host_settings_file.h"
#include "drivers/tls/tls_check.h"

namespace datum::config {
namespace {

namespace fs = std::filesystem;

fs::path file_of(const std::string& text, const char* key, const TomlTable& table, const fs::path& folder) {
  if (text.empty()) table.refuse(key, "is empty", "a PEM file, absolute or from the folder of this file");
  if (text.rfind("%d/", 0) == 0) {
    if (std::string(key) != "key" || text.find('/', 3) != std::string::npos || text.size() == 3)
      table.refuse(key, "'" + text + "' is no credential",
                   "of key alone: %d/NAME, where the unit has LoadCredential=NAME:FILE");
    return text;
  }
  return (folder / text).lexically_normal();
}

TlsClient read_client(TomlTable table) {
  TlsClient client;
  client.name = table.text_or("name", "");
  const std::string fingerprint = table.text_or("sha256", "");
  if (client.name.empty() == fingerprint.empty())
    table.refuse("name",
                 client.name.empty() ? "missing, and there is no sha256 either" : "stands beside sha256",
                 "one of both: the common name of its subject, or its certificate's SHA-256 fingerprint");
  if (!fingerprint.empty()) {
    const auto plain = plain_sha256(fingerprint);
    if (!plain)
      table.refuse("sha256", "'" + fingerprint + "' is no SHA-256 fingerprint",
                   "64 hexadecimal digits, as openssl x509 -noout -fingerprint -sha256 -in FILE prints them");
    client.sha256 = *plain;
  }
  client.role = table.choice<Role>(
      "role", {{"read", Role::read}, {"operate", Role::operate}, {"configure", Role::configure}});
  table.finish();
  return client;
}

}  // namespace

HostTls read_tls(TomlTable table, const fs::path& folder) {
  HostTls tls;
  tls.files.certificate = file_of(table.text("certificate"), "certificate", table, folder);
  tls.files.key = file_of(table.text("key"), "key", table, folder);
  tls.files.client_ca = file_of(table.text("client_ca"), "client_ca", table, folder);
  if (const auto crl = table.text_if("crl")) tls.files.crl = file_of(*crl, "crl", table, folder);
  for (TomlTable& one : table.tables("client")) {
    const Location where = one.where();
    TlsClient client = read_client(std::move(one));
    const auto same = [&](const TlsClient& c) { return c.name == client.name && c.sha256 == client.sha256; };
    if (std::any_of(tls.clients.begin(), tls.clients.end(), same))
      throw ConfigError(where, table.path("client"), "'" + client.name + client.sha256 + "' comes twice",
                        "once, with one role");
    tls.clients.push_back(std::move(client));
  }
  if (tls.clients.empty())
    table.refuse("client", "missing: nobody would get in",
                 "a table [[" + table.path("client") + "]] for each certificate with a role");
  table.finish();
  return tls;
}

}  // namespace datum::config
