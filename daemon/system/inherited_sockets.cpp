#include "daemon/system/inherited_sockets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>

#include "drivers/link_error.h"

namespace datum {
namespace {

std::string advice(const std::set<std::string>& tables) {
  return tables.empty() ? "no table of [host] listens: disable the socket unit or add its table"
                        : fmt::format("FileDescriptorName= of the socket unit must be one of: {}",
                                      fmt::join(tables, ", "));
}

}  // namespace

InheritedSockets::InheritedSockets(const std::set<std::string>& tables) {
  char** names = nullptr;
  const int count = sd_listen_fds_with_names(1, &names);
  if (count < 0) throw std::system_error(-count, std::generic_category(), "LISTEN_FDS");
  std::string refused;
  for (int i = 0; i < count; ++i) {
    const std::string name = names[i];
    std::free(names[i]);
    const int socket = SD_LISTEN_FDS_START + i;
    if (tables.count(name) > 0 && sockets_.emplace(name, socket).second) continue;
    if (refused.empty())
      refused = fmt::format("the service manager hands over {} socket '{}'; {}",
                            tables.count(name) > 0 ? "a second" : "a", name, advice(tables));
    ::close(socket);
  }
  std::free(names);
  if (refused.empty()) return;
  for (const auto& [name, socket] : sockets_) ::close(socket);
  throw RefusedError(refused);
}

InheritedSockets::~InheritedSockets() {
  for (const auto& [name, socket] : sockets_) ::close(socket);
}

int InheritedSockets::take(const std::string& table) {
  const auto found = sockets_.find(table);
  if (found == sockets_.end()) return -1;
  const int socket = found->second;
  sockets_.erase(found);
  return socket;
}

}  // namespace datum
