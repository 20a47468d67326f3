#include "daemon/collect/collect_settings.h"

#include <fmt/format.h>

#include <regex>
#include <stdexcept>

#include "config/toml_reader.h"
#include "drivers/port/allow_list.h"
#include "drivers/tls/secret_file.h"

namespace datum {
namespace {

namespace fs = std::filesystem;
using config::TomlTable;

bool is_here(const std::string& host) { return host == "localhost" || is_loopback(host); }

CollectBroker read_broker(TomlTable table, const fs::path& folder) {
  table.only_keys({"url", "entries", "window", "user", "password_file", "authority_file", "crl_file",
                   "certificate_file", "key_file"});
  CollectBroker b;
  config::read_broker_url(table, "takes results and sends passwords over a network in clear", b);
  b.entries = table.text("entries");
  if (b.entries.empty())
    table.refuse("entries", "is empty",
                 "the broker's address of a durable queue, such as \"/amq/queue/entries\"");
  b.window = static_cast<int>(table.integer_or("window", b.window, 1, 10'000));
  config::read_broker_files(table, folder, b);
  table.finish();
  return b;
}

CollectDatabase read_database(TomlTable table, const fs::path& folder) {
  table.only_keys(
      {"host", "port", "name", "user", "password_file", "authority_file", "certificate_file", "key_file"});
  CollectDatabase d;
  d.host = table.text("host");
  static const std::regex name(R"([A-Za-z0-9.:-]+)");
  const bool is_socket = d.host.starts_with('/');
  if (!is_socket && !std::regex_match(d.host, name))
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

CollectSettings load_collect_settings(const fs::path& file) {
  TomlTable table = TomlTable::from_file(file);
  table.only_keys({"broker", "database", "measurement_days", "board_days", "largest_message_mib"});
  const fs::path folder = fs::absolute(file).parent_path();
  CollectSettings s;
  s.broker = read_broker(table.table("broker"), folder);
  s.database = read_database(table.table("database"), folder);
  s.measurement_days = static_cast<int>(table.integer_or("measurement_days", s.measurement_days, 1, 36'500));
  s.board_days = static_cast<int>(table.integer_or("board_days", s.board_days, 0, 36'500));
  if (s.board_days != 0 && s.board_days < s.measurement_days)
    table.refuse("board_days", fmt::format("{} is below measurement_days", s.board_days),
                 "measurement_days or more; 0: for ever");
  s.largest_message = static_cast<std::size_t>(table.integer_or("largest_message_mib", 16, 1, 128)) << 20;
  table.finish();
  return s;
}

std::string connection_string(const CollectDatabase& d) {
  const bool is_near = d.host.starts_with('/') || is_here(d.host);
  std::string text = fmt::format(
      "host={} port={} dbname={} user={} sslmode={} connect_timeout=10 keepalives_idle=10 "
      "keepalives_interval=5 keepalives_count=3 tcp_user_timeout=30000 client_encoding=UTF8 "
      "application_name=datumd-collect",
      quoted(d.host), d.port, quoted(d.name), quoted(d.user), is_near ? "prefer" : "verify-full");
  if (!d.password_file.empty()) text += " password=" + quoted(password_in(d.password_file));
  if (!d.authority_file.empty()) text += " sslrootcert=" + quoted(d.authority_file.string());
  if (!d.certificate_file.empty())
    text += " sslcert=" + quoted(d.certificate_file.string()) +
            " sslkey=" + quoted(credential(d.key_file).string());
  return text;
}

}  // namespace datum
