#include "daemon/ctl/link_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <ctime>

#include "daemon/ctl/scpi_text.h"
#include "drivers/tls/tls_port.h"

namespace datum {
namespace {

/// "::1" of "[::1]:5025", as certificates and the resolver write it.
std::string host_of(std::string host) {
  return host.size() > 2 && host.front() == '[' && host.back() == ']' ? host.substr(1, host.size() - 2)
                                                                      : host;
}

std::unique_ptr<Port> secured(std::unique_ptr<Port> tcp, const LinkOptions& o, const std::string& host) {
  if (o.tls_certificate.empty() != o.tls_key.empty())
    throw RefusedError("--tls-cert and --tls-key belong together");
  const TlsClientSettings files{o.tls_ca, o.tls_certificate, o.tls_key,
                                o.tls_name.empty() ? host : o.tls_name};
  return std::make_unique<TlsPort>(
      std::move(tcp), TlsContext::of_client(files, [] { return std::int64_t{std::time(nullptr)}; }));
}

}  // namespace

void add_link_options(CLI::App& command, LinkOptions& o) {
  auto* tcp = command.add_option("--tcp", o.tcp, "HOST:PORT of datumd")->capture_default_str();
  command.add_option("--serial", o.serial, "serial line instead")->excludes(tcp);
  command.add_option("--baud", o.baud, "of the serial line")->capture_default_str();
  command
      .add_option("--tls-ca", o.tls_ca,
                  "TLS: PEM file of who signed datumd's certificate; or DATUMCTL_TLS_CA")
      ->envname("DATUMCTL_TLS_CA");
  command
      .add_option("--tls-cert", o.tls_certificate,
                  "PEM file of this client's certificate; or DATUMCTL_TLS_CERT")
      ->envname("DATUMCTL_TLS_CERT");
  command.add_option("--tls-key", o.tls_key, "PEM file of its private key, mode 600; or DATUMCTL_TLS_KEY")
      ->envname("DATUMCTL_TLS_KEY");
  command
      .add_option("--tls-name", o.tls_name,
                  "name that datumd's certificate must have (default: HOST of --tcp); or DATUMCTL_TLS_NAME")
      ->envname("DATUMCTL_TLS_NAME");
  command
      .add_option("--person", o.person,
                  "who does this: stands beside this computer in the chain of results; or DATUMCTL_PERSON")
      ->envname("DATUMCTL_PERSON");
  command.add_option("--timeout-ms", o.time_out_ms, "how long an answer may take")
      ->capture_default_str()
      ->check(CLI::Range(1, 3600000));
}

std::unique_ptr<Port> port_of(const LinkOptions& o) {
  if (!o.serial.empty()) {
    SerialSettings line;
    line.path = o.serial;
    line.baud = o.baud;
    return serial_port(line);
  }
  const auto colon = o.tcp.rfind(':');
  const char *from = o.tcp.data() + (colon == std::string::npos ? o.tcp.size() : colon + 1),
             *end = o.tcp.data() + o.tcp.size();
  std::uint16_t number = 0;
  const auto [rest, error] = std::from_chars(from, end, number);
  if (error != std::errc() || rest != end || number == 0 || colon == 0)
    throw RefusedError("--tcp " + o.tcp + ": HOST:PORT with a port from 1 to 65535 is wanted");
  const std::string host = host_of(o.tcp.substr(0, colon));
  auto tcp = tcp_port(host, number, SourcePort::reserved);
  if (o.tls_ca.empty() && !(o.tls_certificate.empty() && o.tls_key.empty()))
    throw RefusedError("--tls-cert without --tls-ca: who signed datumd's certificate?");
  return o.tls_ca.empty() ? std::move(tcp) : secured(std::move(tcp), o, host);
}

ScpiClient connect(const LinkOptions& o) {
  ScpiClient client(port_of(o), std::chrono::milliseconds(o.time_out_ms));
  if (o.person.empty()) return client;
  const auto reply = client.send("SYSTem:PERSon " + as_parameter(o.person));
  if (!reply.errors.empty()) throw RefusedError("--person " + o.person + ": " + reply.errors.front());
  return client;
}

std::string address_of(const LinkOptions& o) {
  return o.serial.empty() ? o.tcp : fmt::format("{} at {} baud", o.serial, o.baud);
}

}  // namespace datum
