#include "daemon/hosts/host_settings_file.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "config/toml_reader.h"
#include "daemon/hosts/tls_clients.h"
#include "drivers/tls/tls_check.h"

namespace datum::config {
namespace {

namespace fs = std::filesystem;

fs::path file_of(const std::string& text, const char* key, const TomlTable& table, const fs::path& folder) {
  if (text.empty()) table.refuse(key, "is empty", "a PEM file, absolute or from the folder of this file");
  if (text.rfind("%d/", 0) == 0) {
    if (std::string(key) != "key" || text.find('/', 3) != std::string::npos || text.size() == 3)
      table.refuse(key, "'" + text + "' is no credential",
                   "of key alone: %d/NAME, where the unit has LoadCredential=NAME:FILE");
    return text;
  }
  return (folder / text).lexically_normal();
}

TlsClient read_client(TomlTable table) {
  table.only_keys({"name", "sha256", "role"});
  TlsClient client;
  client.name = table.text_or("name", "");
  const std::string fingerprint = table.text_or("sha256", "");
  if (client.name.empty() == fingerprint.empty())
    table.refuse("name",
                 client.name.empty() ? "missing, and there is no sha256 either" : "stands beside sha256",
                 "one of both: the common name of its subject, or its certificate's SHA-256 fingerprint");
  if (!fingerprint.empty()) {
    const auto plain = plain_sha256(fingerprint);
    if (!plain)
      table.refuse("sha256", "'" + fingerprint + "' is no SHA-256 fingerprint",
                   "64 hexadecimal digits, as openssl x509 -noout -fingerprint -sha256 -in FILE prints them");
    client.sha256 = *plain;
  }
  client.role = table.choice<Role>(
      "role", {{"read", Role::read}, {"operate", Role::operate}, {"configure", Role::configure}});
  table.finish();
  return client;
}

/// Files are resolved against `folder`; they are not opened. Throws ConfigError.
HostTls read_tls(TomlTable table, const fs::path& folder) {
  table.only_keys({"certificate", "key", "client_ca", "crl", "client"});
  HostTls tls;
  tls.files.certificate = file_of(table.text("certificate"), "certificate", table, folder);
  tls.files.key = file_of(table.text("key"), "key", table, folder);
  tls.files.client_ca = file_of(table.text("client_ca"), "client_ca", table, folder);
  if (const auto crl = table.text_if("crl")) tls.files.crl = file_of(*crl, "crl", table, folder);
  for (TomlTable& one : table.tables("client")) {
    const Location where = one.where();
    TlsClient client = read_client(std::move(one));
    const auto same = [&](const TlsClient& c) { return c.name == client.name && c.sha256 == client.sha256; };
    if (std::any_of(tls.clients.begin(), tls.clients.end(), same))
      throw ConfigError(where, table.path("client"), "'" + client.name + client.sha256 + "' comes twice",
                        "once, with one role");
    tls.clients.push_back(std::move(client));
  }
  if (tls.clients.empty())
    table.refuse("client", "missing: no host could connect",
                 "a table [[" + table.path("client") + "]] for each certificate with a role");
  table.finish();
  return tls;
}

std::set<NamedAct> read_named(TomlTable& host) {
  std::set<NamedAct> named;
  for (const std::string& act : host.texts_or("named_for", {})) {
    if (act == "operate")
      named.insert(NamedAct::operate);
    else if (act == "configure")
      named.insert(NamedAct::configure);
    else if (act == "control")
      named.insert(NamedAct::control);
    else
      host.refuse("named_for", "'" + act + "' is no act",
                  "some of [\"operate\", \"configure\", \"control\"]");
  }
  return named;
}

}  // namespace

ControlSettings read_control(TomlTable& host) {
  ControlSettings control;
  const char* any = "";
  control.reserved = host.choice_or<const char*>("control", any,
                                                 {{"any", any},
                                                  {"serial", "serial"},
                                                  {"tcp", "tcp"},
                                                  {"gocator", "gocator"},
                                                  {"modbus_serial", "modbus_serial"},
                                                  {"modbus_tcp", "modbus_tcp"}});
  if (!control.reserved.empty() && !host.has(control.reserved))
    host.refuse("control", "there is no [host." + control.reserved + "]", "any, or a link that stands below");
  control.named = read_named(host);
  return control;
}

AllowList read_allow(TomlTable& table) {
  try {
    return AllowList(table.texts_or("allow", {}));
  } catch (const RefusedError& refused) {
    table.refuse("allow", refused.what(), "such as [\"127.0.0.1\", \"192.168.1.0/24\", \"fd00::/8\"]");
  }
}

Role read_role(TomlTable& table, Role fallback, bool can_configure) {
  if (!can_configure)
    return table.choice_or("role", fallback, {{"read", Role::read}, {"operate", Role::operate}});
  return table.choice_or("role", fallback,
                         {{"read", Role::read}, {"operate", Role::operate}, {"configure", Role::configure}});
}

std::string read_address(TomlTable& table, const std::string& fallback, const std::string& secured_by,
                         bool secured) {
  const std::string address = table.text_or("address", fallback);
  const bool insecure = table.boolean_or("insecure", false);
  unsigned char bytes[16];
  if (inet_pton(AF_INET, address.c_str(), bytes) != 1 && inet_pton(AF_INET6, address.c_str(), bytes) != 1)
    table.refuse("address", "'" + address + "' is not a numeric address",
                 "such as 127.0.0.1 (this computer only), ::1, or an address of this computer");
  if (secured && insecure)
    table.refuse("insecure", "stands beside " + secured_by,
                 "one of both: hosts of this link prove who they are");
  if (!is_loopback(address) && !insecure && !secured)
    table.refuse("address",
                 "'" + address +
                     "' is reached by other computers, and this link has neither encryption nor a password",
                 (secured_by.empty() ? "127.0.0.1 or ::1, with a tunnel to it"
                                     : "a table " + secured_by + "; 127.0.0.1 or ::1") +
                     "; or insecure = true beside it, on a network that is the cell's own");
  return address;
}

namespace {

/// Reads the keys that all listening links share.
void read_listener(TomlTable& table, CommandServerSettings& server, const std::string& secured_by = "") {
  server.address = read_address(table, server.address, secured_by, server.tls.has_value());
  server.port = static_cast<std::uint16_t>(table.integer_or("port", server.port, 0, 65535));
  server.most_connections =
      static_cast<int>(table.integer_or("most_connections", server.most_connections, 1, 64));
  server.most_per_address =
      static_cast<int>(table.integer_or("most_per_address", server.most_per_address, 1, 64));
  server.idle_s = static_cast<int>(table.integer_or("idle_s", server.idle_s, 1, 86'400));
  server.commands_per_second =
      static_cast<int>(table.integer_or("commands_per_second", server.commands_per_second, 1, 1'000'000));
  server.allow = read_allow(table);
}

/// Printable, and not a character of a number.
bool may_delimit(const std::string& text) {
  return text.size() == 1 && (text == "\t" || (text[0] >= ' ' && text[0] <= '~')) &&
         std::string("+-.0123456789%").find(text) == std::string::npos;
}

}  // namespace

CommandServerSettings read_host_tcp(TomlTable table, const std::filesystem::path& folder) {
  table.only_keys({"address", "insecure", "role", "port", "most_connections", "most_per_address", "idle_s",
                   "commands_per_second", "allow", "push_results", "tls"});
  CommandServerSettings server;
  if (auto tls = table.table_if("tls")) server.tls = read_tls(std::move(*tls), folder);
  read_listener(table, server, "[host.tcp.tls]");
  if (server.tls && table.has("role"))
    table.refuse("role", "stands beside [host.tcp.tls]", "role in each [[host.tcp.tls.client]]");
  server.role = server.tls ? highest_role(server.tls->clients) : read_role(table, server.role, true);
  server.push_results = table.boolean_or("push_results", server.push_results);
  table.finish();
  return server;
}

namespace {

GocatorSettings read_ascii(TomlTable& table) {
  GocatorSettings s;
  s.delimiter = table.text_or("delimiter", s.delimiter);
  if (!may_delimit(s.delimiter))
    table.refuse("delimiter", "'" + s.delimiter + "' can't stand between numbers",
                 "one character such as ',', ';' or a tab");
  s.terminator = table.text_or("terminator", s.terminator);
  if (s.terminator != "\r\n" && s.terminator != "\r" && s.terminator != "\n" && s.terminator != ";")
    table.refuse("terminator", "is none that a host reads", R"(one of: "\r\n", "\r", "\n", ";")");
  s.invalid = table.text_or("invalid_text", s.invalid);
  double number = 0;
  if (s.invalid.empty() || s.invalid.find_first_of(s.delimiter + s.terminator) != std::string::npos ||
      std::sscanf(s.invalid.c_str(), "%lf", &number) == 1)
    table.refuse("invalid_text", "'" + s.invalid + "' reads as a value, or as none",
                 "a word such as INVALID");
  s.format = table.text_or("format", s.format);
  if (s.delimiter == s.terminator) table.refuse("delimiter", "is the terminator too", "another character");
  return s;
}

}  // namespace

std::optional<GocatorSettings> read_protocol(TomlTable& table) {
  if (table.choice_or("protocol", false, {{"scpi", false}, {"gocator_ascii", true}}))
    return read_ascii(table);
  for (const char* key : {"delimiter", "terminator", "invalid_text", "format"})
    if (table.text_if(key)) table.refuse(key, "the line speaks SCPI", "beside protocol = \"gocator_ascii\"");
  return std::nullopt;
}

CommandServerSettings read_host_gocator(TomlTable table) {
  table.only_keys({"address", "insecure", "role", "port", "most_connections", "most_per_address", "idle_s",
                   "commands_per_second", "allow", "mode", "delimiter", "terminator", "invalid_text",
                   "format"});
  CommandServerSettings server;
  server.port = 8190;
  server.most_connections = 16;
  read_listener(table, server);
  server.role = read_role(table, server.role, false);
  server.gocator = read_ascii(table);
  server.gocator->asynchronous =
      table.choice_or("mode", server.gocator->asynchronous, {{"asynchronous", true}, {"polled", false}});
  table.finish();
  return server;
}

}  // namespace datum::config
