// An in-memory connection with both ends as ports, and the files of a TLS server and client.
#pragma once

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "drivers/tls/tls_port.h"
#include "tests/drivers/tls/authority.h"
#include "tests/fresh_folder.h"

namespace datum::testing {

struct Wire {
  std::string to_server, to_client;
  bool cut = false;            // each end reads the available bytes, then detects it
  std::size_t room = 1 << 20;  // capacity of one direction in bytes
};

class WirePort final : public Port {
 public:
  WirePort(Wire& wire, bool server) : wire_(wire), server_(server), open_(server) {}
  void open() override { open_ = true; }
  void close() noexcept override {
    if (open_) wire_.cut = true;
    open_ = false;
  }
  bool is_open() const override { return open_; }
  int fd() const override { return -1; }
  std::size_t read(std::uint8_t* to, std::size_t room) override {
    std::string& from = server_ ? wire_.to_server : wire_.to_client;
    if (from.empty() && wire_.cut) throw LostError("wire: the peer closed the connection or hung up");
    const std::size_t n = std::min(room, from.size());
    std::memcpy(to, from.data(), n);
    from.erase(0, n);
    return n;
  }
  std::size_t write(const std::uint8_t* from, std::size_t size) override {
    if (wire_.cut) throw LostError("wire: write failed");
    std::string& to = server_ ? wire_.to_client : wire_.to_server;
    const std::size_t n = std::min(size, wire_.room - std::min(wire_.room, to.size()));
    to.append(reinterpret_cast<const char*>(from), n);
    return n;
  }
  std::string describe() const override { return "wire"; }

 private:
  Wire& wire_;
  bool server_, open_;
};

inline std::int64_t tls_clock() { return tls_now_s; }

/// Writes a file that only its owner may read.
inline std::filesystem::path write_secret(const FreshFolder& folder, const std::string& name,
                                          const std::string& text) {
  const std::filesystem::path file = folder.write(name, text);
  std::filesystem::permissions(file,
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  return file;
}

/// A CA, its server ("cell-7", 127.0.0.1) and a client's certificate.
struct TlsFiles {
  TlsFiles() {
    IssueOptions o;
    o.common_name = "cell-7";
    o.purpose = "serverAuth";
    o.names = "DNS:cell-7,IP:127.0.0.1";
    const Paper paper = authority.issue(o);
    server = {folder.write("server.crt", paper.certificate), write_secret(folder, "server.key", paper.key),
              folder.write("ca.crt", authority.certificate())};
  }
  TlsClientSettings client(const Paper& paper, const std::string& name = "cell-7") {
    const std::string file = "client" + std::to_string(++clients_);
    return {server.client_ca, folder.write(file + ".crt", paper.certificate),
            write_secret(folder, file + ".key", paper.key), name};
  }
  TlsClientSettings client(const std::string& common_name) {
    IssueOptions o;
    o.common_name = common_name;
    return client(authority.issue(o));
  }

  FreshFolder folder;
  Authority authority;
  TlsServerSettings server;

 private:
  int clients_ = 0;
};

/// Both ends of one connection, and the last error of each.
struct TlsPair {
  TlsPair(const TlsServerSettings& s, const TlsClientSettings& c)
      : server(std::make_unique<WirePort>(wire, true), TlsContext::of_server(s, tls_clock)),
        client(std::make_unique<WirePort>(wire, false), TlsContext::of_client(c, tls_clock)) {}

  /// Steps both until nothing moves. True: both are connected.
  bool shake(int steps = 50) {
    guarded(client_said, [&] { client.open(); });
    for (int i = 0; i < steps; ++i) {
      if (server_said.empty()) guarded(server_said, [&] { server.shake(); });
      if (client_said.empty()) guarded(client_said, [&] { client.shake(); });
    }
    return server.connected() && client.connected();
  }
  /// Reads from an already connected client: this delivers the server's verdict on its certificate.
  void listen() {
    std::uint8_t bytes[256];
    if (client_said.empty()) guarded(client_said, [&] { client.read(bytes, sizeof bytes); });
  }

  Wire wire;
  TlsPort server, client;
  std::string server_said, client_said;
  bool server_lasting = false, client_lasting = false;

 private:
  template <class Act>
  void guarded(std::string& said, Act act) {
    try {
      act();
    } catch (const RefusedError& error) {
      said = error.what();
      (&said == &client_said ? client_lasting : server_lasting) = true;
    } catch (const LostError& error) {
      said = error.what();
    }
  }
};

}  // namespace datum::testing
