#include "drivers/virtual/virtual_genicam_interfaces.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace {

sockaddr_in stated{};
constexpr std::uint32_t loopback_net = 127u << 24, net_mask = 0xFF000000u;

struct OneInterface {
  ifaddrs list;
  sockaddr_in address, mask, broadcast;
  char name[IFNAMSIZ];
};

sockaddr_in address_of(std::uint32_t host_order) {
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(host_order);
  return a;
}

}  // namespace

namespace datum {

void state_loopback_address(const std::string& address) {
  sockaddr_in a = address_of(0);
  if (inet_pton(AF_INET, address.c_str(), &a.sin_addr) != 1 ||
      (ntohl(a.sin_addr.s_addr) & net_mask) != loopback_net)
    throw std::invalid_argument("'" + address + "' is not within 127.0.0.0/8");
  stated = a;
}

}  // namespace datum

// In place of the C library's, for Aravis in this process.
extern "C" int getifaddrs(ifaddrs** list) noexcept {
  auto* one = static_cast<OneInterface*>(std::calloc(1, sizeof(OneInterface)));
  if (!one) return -1;
  std::strcpy(one->name, "lo");
  one->address = stated.sin_family == AF_INET ? stated : address_of(INADDR_LOOPBACK);
  one->mask = address_of(net_mask);
  // Only the first can hear what is sent to all: one address has one listener.
  const bool first = ntohl(one->address.sin_addr.s_addr) == INADDR_LOOPBACK;
  one->broadcast = first ? address_of(loopback_net | ~net_mask) : one->address;
  one->list.ifa_name = one->name;
  one->list.ifa_flags = IFF_UP | IFF_RUNNING | IFF_LOOPBACK;
  one->list.ifa_addr = reinterpret_cast<sockaddr*>(&one->address);
  one->list.ifa_netmask = reinterpret_cast<sockaddr*>(&one->mask);
  one->list.ifa_broadaddr = reinterpret_cast<sockaddr*>(&one->broadcast);
  *list = &one->list;
  return 0;
}

extern "C" void freeifaddrs(ifaddrs* list) noexcept { std::free(list); }
