// The places of a listener: which of them a new connection may have. Pure.
//
// Of `most_connections` common places one address has `most_per_address` at most. Beyond them one place is kept for the
// address of the host that has control, or had it when its link broke. One more is kept for this computer itself where others
// reach the listener, and where none do for root and datumd's own account: whoever maintains the cell gets in, however many
// others came before.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace datum {

struct PlaceLimits {
  int most_connections = 8;
  int most_per_address = 0;  // 0: half of them where other computers reach the listener, otherwise all
  std::string listens_at{};  // numeric
};

enum class HostPlace : std::uint8_t { none, common, control, local };
struct HeldPlace {
  std::string peer;
  HostPlace place = HostPlace::common;
};

struct PlaceChoice {
  HostPlace place = HostPlace::none;
  bool address_is_full = false;  // where there is none: because its address has as many as one may
};

/// `kept_for`: the peer that has control, empty: none. Peers are named as AllowList has them. `maintains`: the peer's process is
/// root's or of datumd's own account; asked for where the listener is this computer's alone and there is no other place.
PlaceChoice choose_place(
    const PlaceLimits& limits, const std::vector<HeldPlace>& held, std::string_view peer,
    std::string_view kept_for, const std::function<bool()>& maintains = [] { return false; });

/// What most_per_address means for this listener.
int most_per_address(const PlaceLimits& limits);
/// The peer of a host ("tcp 10.0.0.7:1026") on that link; empty where the host is another link's.
std::string_view peer_on(std::string_view link, std::string_view host);
/// Both are the same computer's: by their address, without port.
bool same_origin(std::string_view a, std::string_view b);

}  // namespace datum
