#include "daemon/metrics/settings.h"

#include "config/toml_reader.h"

#include <sys/un.h>

#include "drivers/port/allow_list.h"

namespace datum::config {
namespace {

constexpr std::size_t longest_socket = sizeof(sockaddr_un::sun_path) - 1;

}  // namespace

MetricsSettings read_metrics(TomlTable table, const std::filesystem::path& folder) {
  table.only_keys({"socket", "address", "port"});
  MetricsSettings s;
  if (const auto socket = table.text_if("socket")) {
    if (socket->empty()) table.refuse("socket", "is empty", "a path, or no such key");
    s.socket = (folder / *socket).lexically_normal();
    if (s.socket.string().size() > longest_socket)
      table.refuse("socket", "is longer than a socket's path may be",
                   "at most " + std::to_string(longest_socket) + " bytes, such as /run/datumd/metrics.sock");
  }
  s.address = table.text_or("address", s.address);
  if (!is_loopback(s.address))
    table.refuse("address", "'" + s.address + "' can be reached by others, and metrics have no password",
                 "127.0.0.1 or ::1; an exporter or a proxy carries them further");
  s.port = static_cast<std::uint16_t>(table.integer_or("port", s.port, 1, 65535));
  if (s.socket.empty() && s.port == 0)
    table.refuse("socket", "missing, and there is no port either", "socket, or port, or no table [metrics]");
  table.finish();
  return s;
}

}  // namespace datum::config
