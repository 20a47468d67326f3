#include "daemon/plant/plant_access.h"

#include <fmt/format.h>

#include "drivers/link_error.h"
#include "drivers/tls/secret_file.h"
#include "drivers/tls/tls_port.h"

namespace datum {
namespace {

std::filesystem::path credential(const std::filesystem::path& file) {
  if (const auto path = credential_path(file)) return *path;
  throw RefusedError(fmt::format(
      "{}: there is no $CREDENTIALS_DIRECTORY; the unit needs LoadCredential=NAME:FILE", file.string()));
}

std::string password_in(const std::filesystem::path& file) {
  const std::string text = secret_text(file, "password");
  const std::string line = text.substr(0, text.find_first_of("\r\n"));
  if (line.empty()) throw RefusedError(file.string() + ": its first line is empty; it is the password");
  return line;
}

TlsClientSettings tls_of(const PlantSettings& s) {
  TlsClientSettings tls;
  tls.ca = s.authority_file;
  tls.crl = s.crl_file;
  tls.certificate = s.certificate_file;
  if (!s.key_file.empty()) tls.key = credential(s.key_file);
  tls.name = s.host;
  tls.names = {
      "the broker",
      "the CA that it trusts",
      "plant.certificate_file and plant.key_file",
      s.authority_file.empty() ? "this system (plant.authority_file is not set)" : "plant.authority_file",
      "plant.crl_file",
      "plant.url"};
  return tls;
}

}  // namespace

PlantAccess plant_access(const PlantSettings& s, const std::function<std::int64_t()>& utc_s) {
  PlantAccess access;
  access.who = {s.handle, s.host, s.user,
                s.password_file.empty() ? "" : password_in(credential(s.password_file)),
                !s.certificate_file.empty()};
  access.port = tcp_port(s.host, s.port);
  if (s.secret)
    access.port = std::make_unique<TlsPort>(std::move(access.port), TlsContext::of_client(tls_of(s), utc_s));
  return access;
}

}  // namespace datum
