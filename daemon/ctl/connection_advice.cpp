#include "daemon/ctl/connection_advice.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "daemon/configuration/daemon_config.h"

namespace datum {
namespace {

/// First output line of a command; empty where it can't run.
std::string line_of(const char* command) {
  std::FILE* pipe = popen(command, "r");
  if (!pipe) return "";
  char text[256] = "";
  if (!std::fgets(text, sizeof text, pipe)) text[0] = 0;
  pclose(pipe);
  std::string line = text;
  while (!line.empty() && line.back() == '\n') line.pop_back();
  return line;
}

std::string service_advice() {
  if (!std::filesystem::exists("/run/systemd/system")) return "";  // as sd_booted(3)
  const std::string state = line_of("systemctl is-active datumd.service 2>/dev/null");
  if (state.empty() || state == "active") return "";
  const char* remedy = state == "failed"       ? "see why with: journalctl -u datumd -n 20"
                       : state == "activating" ? "it is starting; try again, or: journalctl -u datumd -f"
                                               : "start it with: systemctl start datumd";
  return fmt::format("the service datumd is {}; {}\n", state, remedy);
}

/// Advice where the configuration names another address than the one that was tried.
std::string config_advice(const LinkOptions& link, const std::string& file) {
  if (!std::filesystem::exists(file)) return "";
  DaemonConfig config;
  try {
    config = load_daemon_config(file);
  } catch (const std::exception& refused) {
    return fmt::format("{}\nsee all of it with: datumd --check-config --config {}\n", refused.what(), file);
  }
  std::string text;
  if (config.tcp) {
    const bool any = config.tcp->address == "0.0.0.0" || config.tcp->address == "::";
    const std::string address =
        fmt::format("{}:{}", any ? "127.0.0.1" : config.tcp->address, config.tcp->port);
    if (!link.serial.empty() || address != link.tcp)
      text += fmt::format("{}: [host.tcp] names {}; try: datumctl status --tcp {}\n", file, address, address);
  }
  if (config.tcp && config.tcp->tls && link.serial.empty() && link.tls_ca.empty())
    text +=
        file +
        ": [host.tcp.tls]: it takes --tls-ca, --tls-cert and --tls-key, or DATUMCTL_TLS_CA, _CERT and _KEY\n";
  if (config.serial && link.serial.empty())
    text += fmt::format("{}: [host.serial] names {} at {} baud, for a host at its other end\n", file,
                        config.serial->line.path, config.serial->line.baud);
  if (!config.tcp && !config.serial)
    text += file + ": no [host.tcp] and no [host.serial]: no host can reach it\n";
  return text;
}

}  // namespace

std::string advice(const LinkOptions& link, const std::string& config) {
  const std::string known = service_advice() + config_advice(link, config);
  if (!known.empty()) return known;
  return "is datumd running, and does its [host.tcp] or [host.serial] name this address? "
         "Its log: journalctl -u datumd\n";
}

}  // namespace datum
