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

const char* const forms = "amqps://HOST[:PORT]; amqp://127.0.0.1[:PORT] on this computer";

bool is_here(const std::string& host) { return host == "localhost" || is_loopback(host); }

class Paths {
 public:
  Paths(TomlTable& table, const fs::path& folder) : table_(table), folder_(folder) {}
  fs::path operator()(const char* key) const {
    const auto given = table_.text_if(key);
    if (!given) return {};
    if (given->empty()) table_.refuse(key, "is empty", "a path, or no such key");
    return (folder_ / *given).lexically_normal();
  }

 private:
  TomlTable& table_;
  const fs::path& folder_;
};

void demand_pair(const TomlTable& table, const fs::path& certificate, const fs::path& key) {
  if (certificate.empty() != key.empty())
    table.refuse(key.empty() ? "key_file" : "certificate_file", "missing, and the other of the two is given",
                 "both, or neither");
}

void refuse_without_encryption(const TomlTable& table, const fs::path& authority, const fs::path& certificate,
                               const char* allowed) {
  if (!authority.empty() || !certificate.empty())
    table.refuse(authority.empty() ? "certificate_file" : "authority_file", "is of no use without encryption",
                 allowed);
}

CollectBroker read_broker(TomlTable table, const fs::path& folder) {
  table.only_keys({"url", "entries", "window", "user", "password_file", "authority_file", "certificate_file",
                   "key_file"});
  CollectBroker b;
  b.url = table.text("url");
  static const std::regex form(R"(amqps?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:([0-9]{1,5}))?)");
  std::smatch part;
  if (!std::regex_match(b.url, part, form) ||
      (part[3].matched && (std::stoi(part[3]) < 1 || std::stoi(part[3]) > 65535)))
    table.refuse("url", "'" + b.url + "' is no broker's URL", forms);
  std::string host = part[1];
  if (host.front() == '[') host = host.substr(1, host.size() - 2);
  const bool secret = b.url.starts_with("amqps:");
  if (!secret && !is_here(host))
    table.refuse("url", "'" + b.url + "' takes results and sends passwords over a network in clear", forms);
  b.entries = table.text("entries");
  if (b.entries.empty())
    table.refuse("entries", "is empty",
                 "the broker's address of a durable queue, such as \"/amq/queue/entries\"");
  b.window = static_cast<int>(table.integer_or("window", b.window, 1, 10'000));
  const Paths path(table, folder);
  b.user = table.text_or("user", "");
  b.password_file = path("password_file");
  b.authority_file = path("authority_file");
  b.certificate_file = path("certificate_file");
  b.key_file = path("key_file");
  if (b.user.empty() != b.password_file.empty())
    table.refuse(b.user.empty() ? "user" : "password_file", "missing, and the other of the two is given",
                 "both, or neither");
  demand_pair(table, b.certificate_file, b.key_file);
  if (!secret)
    refuse_without_encryption(table, b.authority_file, b.certificate_file, "url = \"amqps://...\"");
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
  const Paths path(table, folder);
  d.password_file = path("password_file");
  d.authority_file = path("authority_file");
  d.certificate_file = path("certificate_file");
  d.key_file = path("key_file");
  demand_pair(table, d.certificate_file, d.key_file);
  if (is_socket || is_here(d.host))
    refuse_without_encryption(table, d.authority_file, d.certificate_file,
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

std::string password_in(const fs::path& file) {
  const std::string text = secret_text(file, "password");
  const std::string line = text.substr(0, text.find_first_of("\r\n"));
  if (line.empty()) throw std::runtime_error(file.string() + ": its first line is empty; it is the password");
  return line;
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
    text += " sslcert=" + quoted(d.certificate_file.string()) + " sslkey=" + quoted(d.key_file.string());
  return text;
}

}  // namespace datum
