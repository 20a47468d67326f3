// TLS (RFC 8446, RFC 5246) on a Port: the files that a side takes, all in PEM.
#pragma once

#include <filesystem>
#include <string>

namespace datum {

struct TlsServerSettings {
  std::filesystem::path certificate;  // the server's first, then those between it and its CA
  std::filesystem::path key;          // "%d/NAME": handed over by the service manager (LoadCredential=)
  std::filesystem::path client_ca;    // who signs the clients' certificates
  std::filesystem::path crl{};        // of each CA of a client's chain; empty: nothing is revoked
};

struct TlsClientSettings {
  std::filesystem::path ca;
  std::filesystem::path certificate{}, key{};  // empty: the client shows none
  std::string name;  // that the server's certificate must have: a DNS name or a numeric address
};

}  // namespace datum
