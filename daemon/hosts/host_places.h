// Assignment of a listener's places to connections. Pure functions.
//
// One address may hold `most_per_address` of the `most_connections` common places. One further place is reserved for the
// address of the host that has control, or had it when its link broke. Another is reserved for this computer. Where only
// this computer reaches the listener, that place is reserved for root and datumd's own account, so that maintenance
// access remains possible under any load.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace datum {

struct PlaceLimits {
  int most_connections = 8;
  int most_per_address = 0;  // 0: half of the places where other computers reach the listener, else all
  std::string listens_at{};  // numeric
};

enum class HostPlace : std::uint8_t { none, common, control, local };
struct HeldPlace {
  std::string peer;
  HostPlace place = HostPlace::common;
};

struct PlaceChoice {
  HostPlace place = HostPlace::none;
  bool address_is_full = false;  // reason for HostPlace::none: its address holds its maximum
};

/// `kept_for`: the peer that has control; empty: none. Peers are named as in AllowList. `maintains`: true where root or
/// datumd's account owns the peer's process; called only for a loopback listener without another free place.
PlaceChoice choose_place(
    const PlaceLimits& limits, const std::vector<HeldPlace>& held, std::string_view peer,
    std::string_view kept_for, const std::function<bool()>& maintains = [] { return false; });

/// The effective value of most_per_address for this listener.
int most_per_address(const PlaceLimits& limits);
/// The peer of a host ("tcp 10.0.0.7:1026") on that link; empty where the host is on another link.
std::string_view peer_on(std::string_view link, std::string_view host);
/// True: a loopback peer with a source port from 512 to 1023, which only root can bind (ip(7), privileged ports).
bool from_reserved_port(std::string_view peer);
/// True: both addresses are of one computer; ports are ignored.
bool same_origin(std::string_view a, std::string_view b);

}  // namespace datum
