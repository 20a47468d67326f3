#include "daemon/plant/broker_access.h"

#include "drivers/tls/secret_file.h"
#include "drivers/tls/tls_port.h"

namespace datum {
namespace {

TlsClientSettings tls_of(const BrokerSettings& s, const std::string& table) {
  TlsClientSettings tls;
  tls.ca = s.authority_file;
  tls.crl = s.crl_file;
  tls.certificate = s.certificate_file;
  if (!s.key_file.empty()) tls.key = credential(s.key_file);
  tls.name = s.host;
  tls.names = {"the broker",
               "the CA that it trusts",
               table + ".certificate_file and " + table + ".key_file",
               s.authority_file.empty() ? "this system (" + table + ".authority_file is not set)"
                                        : table + ".authority_file",
               table + ".crl_file",
               table + ".url"};
  return tls;
}

}  // namespace

BrokerAccess broker_access(const BrokerSettings& s, const std::string& container, const std::string& table,
                           const std::function<std::int64_t()>& utc_s) {
  BrokerAccess access;
  access.who = {container, s.host, s.user, s.password_file.empty() ? "" : password_in(s.password_file),
                !s.certificate_file.empty()};
  access.port = tcp_port(s.host, s.port);
  if (s.secret)
    access.port =
        std::make_unique<TlsPort>(std::move(access.port), TlsContext::of_client(tls_of(s, table), utc_s));
  return access;
}

}  // namespace datum
