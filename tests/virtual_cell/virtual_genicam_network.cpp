#include "tests/virtual_cell/virtual_genicam_network.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace {

sockaddr_in stated{};
constexpr std::uint32_t loopback_net = 127u << 24, net_mask = 0xFF000000u;

struct OneInterface {
  ifaddrs list;
  sockaddr_in address, mask, broadcast;
  char name[IFNAMSIZ];
};

std::atomic<double> link_bytes_per_s{0};
std::atomic<std::int64_t> last_packet_ns{0};
constexpr std::size_t smallest_of_a_frame = 1000;  // answers to commands are smaller and not delayed

/// Waits until earlier packets are sent. On the camera's thread only.
void await_the_link(std::size_t bytes) {
  using namespace std::chrono;
  constexpr auto oversleeps = microseconds(100);
  static steady_clock::time_point free_from;
  const double speed = link_bytes_per_s;
  if (speed <= 0) return;
  const auto now = steady_clock::now();
  if (free_from < now) free_from = now;
  if (free_from - now > oversleeps) std::this_thread::sleep_until(free_from - oversleeps);
  while (steady_clock::now() < free_from) continue;
  free_from += nanoseconds(static_cast<std::int64_t>(1e9 * static_cast<double>(bytes) / speed));
}

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

void set_link_speed(double bytes_per_s) { link_bytes_per_s = bytes_per_s; }

std::chrono::steady_clock::time_point last_packet_time() {
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(last_packet_ns));
}

}  // namespace datum

// Replacements of the C library's functions, for Aravis in this process.
extern "C" ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  static const auto next =
      reinterpret_cast<ssize_t (*)(int, const msghdr*, int)>(::dlsym(RTLD_NEXT, "sendmsg"));
  const std::size_t bytes = message->msg_iovlen > 0 ? message->msg_iov[0].iov_len : 0;
  if (bytes < smallest_of_a_frame) return next(fd, message, flags);
  await_the_link(bytes);
  const ssize_t sent = next(fd, message, flags);
  last_packet_ns = std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  return sent;
}

extern "C" int getifaddrs(ifaddrs** list) noexcept {
  auto* one = static_cast<OneInterface*>(std::calloc(1, sizeof(OneInterface)));
  if (!one) return -1;
  std::strcpy(one->name, "lo");
  one->address = stated.sin_family == AF_INET ? stated : address_of(INADDR_LOOPBACK);
  one->mask = address_of(net_mask);
  // Only the first receives broadcasts: one address has one listener.
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
