// Where the daemon is: options of every subcommand that talks to it.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "daemon/ctl/scpi_client.h"

namespace datum {

struct LinkOptions {
  std::string tcp = "127.0.0.1:5025", serial;  // serial: a device's path, instead of TCP where it is given
  int baud = 115200, time_out_ms = 5000;
  // TLS where a CA is named: who signed datumd's certificate, what this client shows, the name that datumd's certificate must
  // have (empty: the host of `tcp`).
  std::string tls_ca, tls_certificate, tls_key, tls_name;
};

/// How long the answer to a command that waits for people or for a board may take.
inline constexpr int longest_step_ms = 600'000;

void add_link_options(CLI::App& command, LinkOptions& options);

/// Not open yet. Throws RefusedError for a --tcp that is no HOST:PORT, for TLS files that can't be used, and as serial_port()
/// does.
std::unique_ptr<Port> port_of(const LinkOptions& options);

/// Throws as ScpiClient and port_of().
ScpiClient connect(const LinkOptions& options);

/// The address in words, for messages: "127.0.0.1:5025", "/dev/ttyUSB0 at 115200 baud".
std::string address_of(const LinkOptions& options);

}  // namespace datum
