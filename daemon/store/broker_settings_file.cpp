#include <regex>

#include "config/toml_reader.h"
#include "daemon/store/broker_settings.h"
#include "drivers/port/allow_list.h"

namespace datum::config {
namespace {

const char* const forms = "amqps://HOST[:PORT]; amqp://127.0.0.1[:PORT] on this computer";

}  // namespace

void read_broker_url(TomlTable& table, const char* in_clear, BrokerSettings& to) {
  to.url = table.text("url");
  static const std::regex form(R"(amqps?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:([0-9]{1,5}))?)");
  std::smatch part;
  if (!std::regex_match(to.url, part, form) ||
      (part[3].matched && (std::stoi(part[3]) < 1 || std::stoi(part[3]) > 65535)))
    table.refuse("url", "'" + to.url + "' is no broker's URL", forms);
  to.host = part[1];
  if (to.host.front() == '[') to.host = to.host.substr(1, to.host.size() - 2);
  to.secret = to.url.starts_with("amqps:");
  to.port = part[3].matched ? static_cast<std::uint16_t>(std::stoi(part[3])) : to.secret ? 5671 : 5672;
  if (!to.secret && to.host != "localhost" && !is_loopback(to.host))
    table.refuse("url", "'" + to.url + "' " + in_clear, forms);
}

void read_broker_files(TomlTable& table, const std::filesystem::path& folder, BrokerSettings& to) {
  to.user = table.text_or("user", "");
  to.password_file = path_if(table, "password_file", folder);
  to.authority_file = path_if(table, "authority_file", folder);
  to.crl_file = path_if(table, "crl_file", folder);
  to.certificate_file = path_if(table, "certificate_file", folder);
  to.key_file = path_if(table, "key_file", folder);
  demand_pair(table, "user", !to.user.empty(), "password_file", !to.password_file.empty());
  demand_pair(table, "certificate_file", !to.certificate_file.empty(), "key_file", !to.key_file.empty());
  if (!to.secret)
    refuse_without_encryption(table,
                              {{"authority_file", &to.authority_file},
                               {"crl_file", &to.crl_file},
                               {"certificate_file", &to.certificate_file}},
                              "url = \"amqps://...\"");
}

std::filesystem::path path_if(TomlTable& table, const char* key, const std::filesystem::path& folder) {
  const auto given = table.text_if(key);
  if (!given) return {};
  if (given->empty()) table.refuse(key, "is empty", "a path, or no such key");
  if (given->starts_with("%d/")) return *given;
  return (folder / *given).lexically_normal();
}

void demand_pair(const TomlTable& table, const char* first, bool first_given, const char* second,
                 bool second_given) {
  if (first_given != second_given)
    table.refuse(first_given ? second : first, "missing, and the other of the two is given",
                 "both, or neither");
}

void refuse_without_encryption(
    const TomlTable& table, std::initializer_list<std::pair<const char*, const std::filesystem::path*>> files,
    const char* allowed) {
  for (const auto& [key, file] : files)
    if (!file->empty()) table.refuse(key, "is of no use without encryption", allowed);
}

}  // namespace datum::config
