#include "daemon/hosts/host_places.h"

#include <algorithm>
#include <charconv>

#include "drivers/port/allow_list.h"

namespace datum {

int most_per_address(const PlaceLimits& limits) {
  if (limits.most_per_address > 0) return limits.most_per_address;
  return is_loopback(limits.listens_at) ? limits.most_connections : (limits.most_connections + 1) / 2;
}

bool from_reserved_port(std::string_view peer) {
  const auto colon = peer.rfind(':');
  if (colon == std::string_view::npos || !is_loopback(peer)) return false;
  int port = 0;
  std::from_chars(peer.data() + colon + 1, peer.data() + peer.size(), port);
  return port >= 512 && port <= 1023;
}

/// All loopback addresses count as one computer.
bool same_origin(std::string_view a, std::string_view b) {
  return address_of(a) == address_of(b) || (is_loopback(a) && is_loopback(b));
}

std::string_view peer_on(std::string_view link, std::string_view host) {
  const bool is_on_it =
      host.size() > link.size() && host.substr(0, link.size()) == link && host[link.size()] == ' ';
  return is_on_it ? host.substr(link.size() + 1) : std::string_view();
}

PlaceChoice choose_place(const PlaceLimits& limits, const std::vector<HeldPlace>& held, std::string_view peer,
                         std::string_view kept_for, const std::function<bool()>& maintains) {
  const auto count = [&](HostPlace place, bool of_peer) {
    return std::count_if(held.begin(), held.end(), [&](const HeldPlace& h) {
      return h.place == place && (!of_peer || same_origin(h.peer, peer));
    });
  };
  const int most = most_per_address(limits);
  const bool address_is_full = most < limits.most_connections && count(HostPlace::common, true) >= most;
  if (!address_is_full && count(HostPlace::common, false) < limits.most_connections)
    return {HostPlace::common};
  if (!kept_for.empty() && same_origin(kept_for, peer) && count(HostPlace::control, false) == 0)
    return {HostPlace::control};
  const auto is_kept_for = [&] {
    if (is_loopback(limits.listens_at)) return maintains();
    return is_loopback(peer) || address_of(peer) == address_of(limits.listens_at);
  };
  if (count(HostPlace::local, false) == 0 && is_kept_for()) return {HostPlace::local};
  return {HostPlace::none, address_is_full};
}

}  // namespace datum
