// Connection to the daemon: options of every subcommand that uses it.
#pragma once

#include <memory>
#include <string>

#include "daemon/ctl/scpi_client.h"

namespace CLI {
class App;
}  // namespace CLI

namespace datum {

struct LinkOptions {
  std::string tcp = "127.0.0.1:5025", serial;  // serial: path of a device; replaces TCP where it is given
  int baud = 115200, time_out_ms = 5000;
  // TLS where a CA is named: CA of datumd's certificate, certificate and key of this client, and the name in datumd's
  // certificate (empty: the host of `tcp`).
  std::string tls_ca, tls_certificate, tls_key, tls_name;
  std::string person;  // who acts; empty: nobody is named
};

/// Timeout in ms for commands that wait for people or for a board.
inline constexpr int longest_step_ms = 600'000;

void add_link_options(CLI::App& command, LinkOptions& options);

/// A closed port. Throws RefusedError for a --tcp that is not HOST:PORT, for unusable TLS files, and as serial_port()
/// does.
std::unique_ptr<Port> port_of(const LinkOptions& options);

/// Throws as ScpiClient and port_of() do.
ScpiClient connect(const LinkOptions& options);

/// The address for messages: "127.0.0.1:5025", "/dev/ttyUSB0 at 115200 baud".
std::string address_of(const LinkOptions& options);

}  // namespace datum
