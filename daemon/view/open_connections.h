// Connections of the pages' server with the time since which they have had no whole answer.
#pragma once

#include <microhttpd.h>
#include <sys/socket.h>

#include <chrono>
#include <map>
#include <mutex>

namespace datum {

/// Used by the server's thread and by end_slow().
class OpenConnections {
 public:
  using Time = std::chrono::steady_clock::time_point;

  void begin(MHD_Connection* connection) {
    const auto* socket = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (!socket) return;
    const std::lock_guard held(mutex_);
    open_[connection] = {socket->connect_fd, std::chrono::steady_clock::now(), false};
  }
  void answered(MHD_Connection* connection) {
    const std::lock_guard held(mutex_);
    if (const auto at = open_.find(connection); at != open_.end())
      at->second.since = std::chrono::steady_clock::now();
  }
  /// libmicrohttpd calls it before it closes the socket.
  void end(MHD_Connection* connection) {
    const std::lock_guard held(mutex_);
    open_.erase(connection);
  }
  std::size_t shut_older_than(Time limit) {
    const std::lock_guard held(mutex_);
    std::size_t shut = 0;
    for (auto& [connection, c] : open_)
      if (!c.is_shut && c.since < limit) {
        ::shutdown(c.socket, SHUT_RDWR);  // the server's thread sees the end, and closes it
        c.is_shut = true;
        ++shut;
      }
    return shut;
  }

 private:
  struct Entry {
    int socket = -1;
    Time since;
    bool is_shut = false;
  };
  std::mutex mutex_;
  std::map<MHD_Connection*, Entry> open_;
};

}  // namespace datum
