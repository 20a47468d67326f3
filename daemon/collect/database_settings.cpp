#include "daemon/collect/database_settings.h"

#include <fmt/format.h>

#include "config/toml_reader.h"
#include "daemon/store/broker_settings.h"
#include "drivers/port/allow_list.h"
#include "drivers/tls/secret_file.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

bool is_here(const std::string& host) { return host == "localhost" || is_loopback(host); }

/// A value of a connection string (PostgreSQL, 34.1.1).
std::string quoted(const std::string& value) {
  std::string text = "'";
  for (const char c : value) {
    if (c == '\'' || c == '\\') text += '\\';
    text += c;
  }
  return text + "'";
}

}  // namespace

DatabaseSettings read_database_settings(config::TomlTable table, const fs::path& folder) {
  table.only_keys(
      {"host", "port", "name", "user", "password_file", "authority_file", "certificate_file", "key_file"});
  DatabaseSettings d;
  d.host = table.text("host");
  constexpr const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.:-";
  const bool is_socket = d.host.starts_with('/');
  if (d.host.empty() || (!is_socket && d.host.find_first_not_of(letters) != d.host.npos))
    table.refuse("host", "'" + d.host + "' is no host",
                 "a name, an address, or the folder of PostgreSQL's socket such as \"/run/postgresql\"");
  d.port = static_cast<int>(table.integer_or("port", d.port, 1, 65535));
  d.name = table.text("name");
  d.user = table.text("user");
  for (const auto& [key, value] : {std::pair{"name", d.name}, std::pair{"user", d.user}})
    if (value.empty()) table.refuse(key, "is empty", "as PostgreSQL names it");
  d.password_file = config::path_if(table, "password_file", folder);
  d.authority_file = config::path_if(table, "authority_file", folder);
  d.certificate_file = config::path_if(table, "certificate_file", folder);
  d.key_file = config::path_if(table, "key_file", folder);
  config::demand_pair(table, "certificate_file", !d.certificate_file.empty(), "key_file",
                      !d.key_file.empty());
  if (is_socket || is_here(d.host))
    config::refuse_without_encryption(
        table, {{"authority_file", &d.authority_file}, {"certificate_file", &d.certificate_file}},
        "the name of another computer as host");
  else if (d.authority_file.empty())
    table.refuse("authority_file", "missing, and the database is on another computer",
                 "a PEM file of those who may certify the server; its name is checked too (verify-full)");
  table.finish();
  return d;
}

std::string connection_string(const DatabaseSettings& d, const std::string& program) {
  const bool is_near = d.host.starts_with('/') || is_here(d.host);
  std::string text = fmt::format(
      "host={} port={} dbname={} user={} sslmode={} connect_timeout=10 keepalives_idle=10 "
      "keepalives_interval=5 keepalives_count=3 tcp_user_timeout=30000 client_encoding=UTF8 "
      "application_name={}",
      quoted(d.host), d.port, quoted(d.name), quoted(d.user), is_near ? "prefer" : "verify-full",
      quoted(program));
  if (!d.password_file.empty()) text += " password=" + quoted(password_in(d.password_file));
  if (!d.authority_file.empty()) text += " sslrootcert=" + quoted(d.authority_file.string());
  if (!d.certificate_file.empty())
    text += " sslcert=" + quoted(d.certificate_file.string()) +
            " sslkey=" + quoted(credential(d.key_file).string());
  return text;
}

}  // namespace datum
