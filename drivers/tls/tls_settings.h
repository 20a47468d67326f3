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

struct TlsClientSettings {
  std::filesystem::path ca;
  std::filesystem::path certificate{}, key{};  // empty: the client presents none
  std::string name;  // demanded of the server's certificate: a DNS name or a numeric address
};

}  // namespace datum
