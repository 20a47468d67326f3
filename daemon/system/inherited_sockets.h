// Listening sockets that the service manager made and hands over (sd_listen_fds(3)): a host that connects while the
// daemon restarts waits in them, and a port below 1024 needs no privilege of the daemon.
#pragma once

#include <map>
#include <set>
#include <string>

namespace datum {

class InheritedSockets {
 public:
  /// Of this process, once: children don't see them. `tables` are the tables of [host] that listen, which the units'
  /// FileDescriptorName= must name. Throws RefusedError for a socket of another name and for a second one of a name:
  /// a host must not wait where nobody listens.
  explicit InheritedSockets(const std::set<std::string>& tables);
  ~InheritedSockets();
  InheritedSockets(const InheritedSockets&) = delete;
  InheritedSockets& operator=(const InheritedSockets&) = delete;

  /// The table's socket, the caller's from here on; -1 where none was handed over.
  int take(const std::string& table);

 private:
  std::map<std::string, int> sockets_;
};

}  // namespace datum
