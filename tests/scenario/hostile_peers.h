// Hostile peers on every TCP port of the daemon.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace datum::scenario {

/// Connections that close with the object. Refusals by the daemon are no error here.
class HostilePeers {
 public:
  HostilePeers(std::vector<int> ports, std::uint64_t seed) : ports_(std::move(ports)), random_(seed) {}
  ~HostilePeers() { leave(); }
  HostilePeers(const HostilePeers&) = delete;
  HostilePeers& operator=(const HostilePeers&) = delete;

  /// Opens `each` connections per port. Every third is reset; the others send one byte or nothing.
  void storm(int each);
  /// Sends random bytes with line ends to each port, at most `most`, as many as one write accepts.
  void garbage(std::size_t most);
  /// Sends an endless line or frame to each port.
  void oversized(std::size_t bytes);
  /// Repeats a query without reading the answers.
  void mute(const std::string& question, std::size_t times);
  /// Sends one further byte on a reserved connection per port.
  void drip();
  /// Closes all connections.
  void leave();
  std::size_t present() const { return open_.size() + slow_.size(); }

 private:
  int enter(int port);
  static std::size_t say(int fd, const std::string& bytes);

  std::vector<int> ports_;
  std::mt19937_64 random_;
  std::vector<int> open_, slow_;
};

}  // namespace datum::scenario
