// One TCP port of the virtual Gocator; all clients receive the same data.
#pragma once

#include <poll.h>

#include <functional>
#include <list>

#include "drivers/port/tcp_listener.h"
#include "tests/virtual_cell/virtual_gocator_bytes.h"

namespace datum {

class VirtualGocatorChannel {
 public:
  using Receive = std::function<GocatorBytes(const GocatorBytes& received)>;
  /// Throws RefusedError as TcpListener does.
  VirtualGocatorChannel(std::uint16_t port, Receive receive = {});

  std::uint16_t port() const { return listener_.port(); }
  void send(const GocatorBytes& bytes);
  void close_all() { peers_.clear(); }
  void watch(std::vector<pollfd>& watched) const;
  /// Accepts, receives, sends queued bytes.
  void serve();

 private:
  struct Peer {
    std::unique_ptr<Port> link;
    GocatorBytes received, unsent;
  };
  bool serve(Peer& peer);

  Receive receive_;
  std::list<Peer> peers_;
  TcpListener listener_;
};

}  // namespace datum
