#include "daemon/store/plant_settings.h"

#include <regex>

#include "config/toml_reader.h"
#include "drivers/port/allow_list.h"

namespace datum::config {
namespace {

const char* const forms = "amqps://HOST[:PORT]; amqp://127.0.0.1[:PORT] on this computer";

/// Scheme, host and port.
void read_url(const TomlTable& table, PlantSettings& s) {
  const std::string& url = s.url;
  static const std::regex form(R"(amqps?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:([0-9]{1,5}))?)");
  std::smatch part;
  if (!std::regex_match(url, part, form) ||
      (part[3].matched && (std::stoi(part[3]) < 1 || std::stoi(part[3]) > 65535)))
    table.refuse("url", "'" + url + "' is no broker's URL", forms);
  s.host = part[1];
  if (s.host.front() == '[') s.host = s.host.substr(1, s.host.size() - 2);
  s.secret = url.starts_with("amqps:");
  s.port = part[3].matched ? static_cast<std::uint16_t>(std::stoi(part[3])) : s.secret ? 5671 : 5672;
  if (!s.secret && s.host != "localhost" && !is_loopback(s.host))
    table.refuse("url", "'" + url + "' sends results and passwords over a network in clear", forms);
}

void check_handle(const TomlTable& table, const std::string& handle) {
  static const std::regex form(R"([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_.-]+)");
  if (!std::regex_match(handle, form) || handle.size() > 120)
    table.refuse("handle", "'" + handle + "' is no CFX handle",
                 "\"VENDOR.MODEL.SERIAL\" of letters, digits, '-' and '_', up to 120");
}

}  // namespace

PlantSettings read_plant(TomlTable table, const std::filesystem::path& folder) {
  table.only_keys({"url", "handle", "messages", "entries", "window", "heartbeat_s", "user", "password_file",
                   "authority_file", "crl_file", "certificate_file", "key_file"});
  PlantSettings s;
  s.url = table.text("url");
  read_url(table, s);
  s.handle = table.text("handle");
  check_handle(table, s.handle);
  s.messages = table.text_or("messages", "");
  s.entries = table.text_or("entries", "");
  if (s.messages.empty() && s.entries.empty())
    table.refuse("messages", "missing, and entries too: nothing would be sent",
                 "the broker's address of a durable queue or topic, such as \"/amq/queue/cfx\" of RabbitMQ");
  s.window = static_cast<int>(table.integer_or("window", s.window, 1, 10'000));
  // IPC-2591: once in 1 s to 5 min.
  s.heartbeat_s = static_cast<int>(table.integer_or("heartbeat_s", s.heartbeat_s, 1, 300));
  const auto path = [&](const char* key) -> std::filesystem::path {
    const auto given = table.text_if(key);
    if (!given) return {};
    if (given->empty()) table.refuse(key, "is empty", "a path, or no such key");
    if (given->starts_with("%d/")) return *given;
    return (folder / *given).lexically_normal();
  };
  s.user = table.text_or("user", "");
  s.password_file = path("password_file");
  s.authority_file = path("authority_file");
  s.crl_file = path("crl_file");
  s.certificate_file = path("certificate_file");
  s.key_file = path("key_file");
  if (s.user.empty() != s.password_file.empty())
    table.refuse(s.user.empty() ? "user" : "password_file", "missing, and the other of the two is given",
                 "both, or neither");
  if (s.certificate_file.empty() != s.key_file.empty())
    table.refuse(s.key_file.empty() ? "key_file" : "certificate_file",
                 "missing, and the other of the two is given", "both, or neither");
  if (!s.secret)
    for (const auto& [key, file] : {std::pair{"authority_file", &s.authority_file},
                                    {"crl_file", &s.crl_file},
                                    {"certificate_file", &s.certificate_file}})
      if (!file->empty()) table.refuse(key, "is of no use without encryption", "url = \"amqps://...\"");
  table.finish();
  return s;
}

}  // namespace datum::config
