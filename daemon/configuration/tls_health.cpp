#include "daemon/configuration/tls_health.h"

#include "drivers/tls/tls_check.h"

namespace datum::config {

std::string tls_problem(const DaemonConfig& config) {
  if (!config.tcp || !config.tcp->tls) return "";
  return problem_of(config.tcp->tls->files);
}

std::vector<std::string> tls_expiry(const DaemonConfig& config, std::int64_t now_utc_s) {
  std::vector<std::string> lines;
  if (!config.tcp || !config.tcp->tls) return lines;
  const TlsEnds ends = ends_of(config.tcp->tls->files);
  const auto tell = [&](const char* key, std::int64_t ends_s, int warned_days) {
    const std::string words = ends_s == 0 ? "" : expiry_text(ends_s, now_utc_s, warned_days);
    if (!words.empty()) lines.push_back(std::string("host.tcp.tls.") + key + ": " + words);
  };
  tell("certificate", ends.certificate_s, TlsEnds::certificate_days);
  tell("client_ca", ends.client_ca_s, TlsEnds::certificate_days);
  tell("crl", ends.crl_s, TlsEnds::crl_days);
  return lines;
}

}  // namespace datum::config
