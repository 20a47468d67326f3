// Peers that do what no host should: on every TCP port that the daemon listens on.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace datum::scenario {

/// Connections that close with the object. Whatever the daemon does with them is no error here.
class HostilePeers {
 public:
  HostilePeers(std::vector<int> ports, std::uint64_t seed) : ports_(std::move(ports)), random_(seed) {}
  ~HostilePeers() { leave(); }
  HostilePeers(const HostilePeers&) = delete;
  HostilePeers& operator=(const HostilePeers&) = delete;

  /// So many connections to each port; every third is broken off (RST), one byte or nothing is said on the others.
  void storm(int each);
  /// Random bytes to each port, line ends among them, as many as it takes at once, at most `most`.
  void garbage(std::size_t most);
  /// A line or frame that never ends, to each port.
  void oversized(std::size_t bytes);
  /// The same question again and again; the answers are never read.
  void mute(const std::string& question, std::size_t times);
  /// One more byte on a connection to each port that is kept for this.
  void drip();
  /// All hang up.
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
