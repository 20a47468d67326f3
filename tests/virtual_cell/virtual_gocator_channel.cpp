#include "tests/virtual_cell/virtual_gocator_channel.h"

#include <array>

namespace datum {

VirtualGocatorChannel::VirtualGocatorChannel(std::uint16_t port, Receive receive)
    : receive_(std::move(receive)), listener_("127.0.0.1", port, [this](auto link, const auto&, MonotonicNs) {
        peers_.push_back({std::move(link), {}, {}});
      }) {}

void VirtualGocatorChannel::send(const GocatorBytes& bytes) {
  serve();  // includes clients that connected meanwhile
  for (Peer& peer : peers_) peer.unsent.insert(peer.unsent.end(), bytes.begin(), bytes.end());
  serve();
}

void VirtualGocatorChannel::watch(std::vector<pollfd>& watched) const {
  watched.push_back({listener_.fd(), POLLIN, 0});
  for (const Peer& peer : peers_) {
    const short events = peer.unsent.empty() ? POLLIN : POLLIN | POLLOUT;
    watched.push_back({peer.link->fd(), events, 0});
  }
}

void VirtualGocatorChannel::serve() {
  listener_.on_ready(0);
  peers_.remove_if([this](Peer& peer) { return !serve(peer); });
}

bool VirtualGocatorChannel::serve(Peer& peer) {
  try {
    std::array<std::uint8_t, 4096> bytes;
    while (const std::size_t got = peer.link->read(bytes.data(), bytes.size()))
      peer.received.insert(peer.received.end(), bytes.begin(),
                           bytes.begin() + static_cast<std::ptrdiff_t>(got));
    while (peer.received.size() >= 6) {  // whole requests
      const std::size_t size = std::max<std::size_t>(6, gocator::at<std::uint32_t>(peer.received, 0));
      if (peer.received.size() < size) break;
      const auto end = peer.received.begin() + static_cast<std::ptrdiff_t>(size);
      const GocatorBytes answer = receive_ ? receive_({peer.received.begin(), end}) : GocatorBytes{};
      peer.unsent.insert(peer.unsent.end(), answer.begin(), answer.end());
      peer.received.erase(peer.received.begin(), end);
    }
    while (!peer.unsent.empty()) {
      const std::size_t put = peer.link->write(peer.unsent.data(), peer.unsent.size());
      if (put == 0) break;
      peer.unsent.erase(peer.unsent.begin(), peer.unsent.begin() + static_cast<std::ptrdiff_t>(put));
    }
    return true;
  } catch (const LostError&) {
    return false;
  }
}

}  // namespace datum
