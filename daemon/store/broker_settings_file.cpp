#include <algorithm>
#include <charconv>
#include <string_view>

#include "config/toml_reader.h"
#include "daemon/store/broker_settings.h"
#include "drivers/port/allow_list.h"

namespace datum::config {
namespace {

constexpr std::string_view ipv6_letters = "0123456789ABCDEFabcdef:.";
constexpr std::string_view name_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-";

const char* const forms = "amqps://HOST[:PORT]; amqp://127.0.0.1[:PORT] on this computer";

/// Reads amqp://HOST[:PORT] or amqps://HOST[:PORT]; HOST is a name, an IPv4 address, or an IPv6 address in brackets.
bool read_authority(std::string_view url, BrokerSettings& to) {
  to.secret = url.starts_with("amqps://");
  if (!to.secret && !url.starts_with("amqp://")) return false;
  url.remove_prefix(to.secret ? 8 : 7);
  const bool bracket = url.starts_with('[');
  if (bracket) url.remove_prefix(1);
  const std::size_t end = std::min(url.find_first_not_of(bracket ? ipv6_letters : name_letters), url.size());
  to.host = url.substr(0, end);
  url.remove_prefix(end);
  if (to.host.empty() || (bracket && !url.starts_with(']'))) return false;
  if (bracket) url.remove_prefix(1);
  to.port = to.secret ? 5671 : 5672;
  if (url.empty()) return true;
  if (url.front() != ':' || url.size() < 2 || url.size() > 6) return false;
  const char* const last = url.data() + url.size();
  const auto [read, error] = std::from_chars(url.data() + 1, last, to.port);
  return error == std::errc() && read == last && to.port > 0;
}

}  // namespace

void read_broker_url(TomlTable& table, const char* in_clear, BrokerSettings& to) {
  to.url = table.text("url");
  if (!read_authority(to.url, to)) table.refuse("url", "'" + to.url + "' is no broker's URL", forms);
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
