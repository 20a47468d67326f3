// AllowList: address ranges of peers that may connect.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace datum {

/// The address of "10.0.0.7:5025", "[fe80::1%eth0]:5025", "10.0.0.7" or "fe80::1".
std::string address_of(std::string_view peer);
/// By its address alone the peer is this computer: 127.0.0.0/8 or ::1.
bool is_loopback(std::string_view peer);

class AllowList {
 public:
  /// Allows every peer.
  AllowList() = default;
  /// CIDR (RFC 4632, RFC 4291): "192.168.1.0/24", "fd00::/8", or one address. Throws RefusedError that names
  /// the entry: no address, a mask that is too long, or bits set behind the mask (usually a typing error).
  explicit AllowList(const std::vector<std::string>& ranges);

  bool everybody() const { return ranges_.empty(); }
  /// `peer`: an address, or one with its port as from TcpListener ("10.0.0.7:5025", "[fe80::1%eth0]:5025").
  /// IPv4 ranges match an IPv4 peer of a listener on ::. An unreadable address is not allowed.
  bool allows(std::string_view peer) const;

 private:
  using Address = std::array<std::uint8_t, 16>;  // IPv4 as ::ffff:a.b.c.d
  struct Range {
    Address from{};
    int bits = 0;
  };
  static bool read(const std::string& text, Address& address, bool& v4);
  static bool within(const Address& address, const Range& range);

  std::vector<Range> ranges_;
};

}  // namespace datum
