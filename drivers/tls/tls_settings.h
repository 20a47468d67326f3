// TLS (RFC 8446, RFC 5246) on a Port: the PEM files of one side.
#pragma once

#include <filesystem>
#include <string>

namespace datum {

struct TlsServerSettings {
  std::filesystem::path certificate;  // the server's own first, then those up to its CA
  std::filesystem::path key;          // "%d/NAME": passed by the service manager (LoadCredential=)
  std::filesystem::path client_ca;    // CA of the clients' certificates
  std::filesystem::path crl{};        // of each CA of a client's chain; empty: no revocation
};

/// What a client's messages call its server and its settings.
struct TlsClientNames {
  std::string server = "datumd", servers_ca = "host.tcp.tls.client_ca";
  std::string certificate = "--tls-cert and --tls-key", ca = "--tls-ca", crl = "the list",
              name = "--tls-name";
};

struct TlsClientSettings {
  std::filesystem::path ca;                    // empty: those that the system trusts
  std::filesystem::path certificate{}, key{};  // empty: the client presents none
  std::string name;             // demanded of the server's certificate: a DNS name or a numeric address
  std::filesystem::path crl{};  // of each CA of the server's chain; empty: no revocation
  TlsClientNames names{};
};

}  // namespace datum
