// Listening sockets from the service manager (sd_listen_fds(3)). A host that connects during a restart waits in them, and
// a port below 1024 demands no privilege of the daemon.
#pragma once

#include <map>
#include <set>
#include <string>

namespace datum {

class InheritedSockets {
 public:
  /// Takes the sockets of this process, once; children do not inherit them. `tables`: the listening tables of [host],
  /// which FileDescriptorName= of the units must name. Throws RefusedError for another name and for a second socket of
  /// one name: a host must not wait on an unserved socket.
  explicit InheritedSockets(const std::set<std::string>& tables);
  ~InheritedSockets();
  InheritedSockets(const InheritedSockets&) = delete;
  InheritedSockets& operator=(const InheritedSockets&) = delete;

  /// The socket of the table, owned by the caller from now on; -1: none.
  int take(const std::string& table);

 private:
  std::map<std::string, int> sockets_;
};

}  // namespace datum
