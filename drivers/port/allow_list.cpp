#include "drivers/port/allow_list.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "drivers/link_error.h"

namespace datum {
namespace {

constexpr int mapped_bits = 96;  // ::ffff:0:0/96 holds IPv4 (RFC 4291, 2.5.5.2)

}  // namespace

std::string address_of(std::string_view peer) {
  if (!peer.empty() && peer.front() == '[') {
    peer = peer.substr(1, peer.find(']') - 1);
  } else if (std::count(peer.begin(), peer.end(), ':') == 1) {
    peer = peer.substr(0, peer.find(':'));
  }
  return std::string(peer.substr(0, peer.find('%')));
}

bool is_loopback(std::string_view peer) {
  static const AllowList here({"127.0.0.0/8", "::1"});
  return here.allows(peer);
}

bool AllowList::read(const std::string& text, Address& address, bool& v4) {
  address = {};
  address[10] = address[11] = 0xFF;
  v4 = inet_pton(AF_INET, text.c_str(), address.data() + mapped_bits / 8) == 1;
  return v4 || inet_pton(AF_INET6, text.c_str(), address.data()) == 1;
}

bool AllowList::within(const Address& address, const Range& range) {
  for (int bit = 0; bit < range.bits; ++bit) {
    const auto byte = static_cast<std::size_t>(bit / 8);
    if ((address[byte] ^ range.from[byte]) & (0x80 >> bit % 8)) return false;
  }
  return true;
}

AllowList::AllowList(const std::vector<std::string>& ranges) {
  for (const std::string& text : ranges) {
    const auto slash = text.find('/');
    Range range;
    bool v4 = false;
    if (!read(text.substr(0, slash), range.from, v4))
      throw RefusedError(fmt::format("'{}' is no numeric address or range of them", text));
    const int most = v4 ? 32 : 128;
    int bits = most;
    if (slash != std::string::npos) {
      const char *from = text.data() + slash + 1, *to = text.data() + text.size();
      const auto [end, error] = std::from_chars(from, to, bits);
      if (from == to || error != std::errc() || end != to || bits < 0 || bits > most)
        throw RefusedError(fmt::format("'{}': the mask is 0 to {} bits", text, most));
    }
    range.bits = bits + (v4 ? mapped_bits : 0);
    Address network = range.from;
    for (int bit = range.bits; bit < 128; ++bit)
      network[static_cast<std::size_t>(bit / 8)] &= static_cast<std::uint8_t>(~(0x80 >> bit % 8));
    if (network != range.from)
      throw RefusedError(
          fmt::format("'{}' has bits behind its mask; is it one address, or another mask?", text));
    ranges_.push_back(range);
  }
}

bool AllowList::allows(std::string_view peer) const {
  if (everybody()) return true;
  Address address{};
  bool v4 = false;
  return read(address_of(peer), address, v4) &&
         std::any_of(ranges_.begin(), ranges_.end(),
                     [&](const Range& range) { return within(address, range); });
}

}  // namespace datum
