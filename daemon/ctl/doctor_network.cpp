// Checks of the path to a network sensor: its interface, packet size, and the kernel's socket buffer.
#include <arpa/inet.h>
#include <fmt/format.h>

#include <sstream>

#include "daemon/ctl/doctor.h"

namespace datum::doctor {
namespace {

constexpr std::uint32_t loopback_net = 127u << 24, loopback_mask = 0xFF000000u;
constexpr std::int64_t jumbo_mtu = 9000;

/// The interface of the kernel's route to an address: the longest match of /proc/net/route, whose numbers are hexadecimal
/// in host byte order. Empty: no route.
std::string interface_towards(const System& system, const std::string& address) {
  in_addr peer{};
  if (inet_pton(AF_INET, address.c_str(), &peer) != 1) return "";
  if ((ntohl(peer.s_addr) & loopback_mask) == loopback_net) return "lo";
  std::istringstream lines(system.text("/proc/net/route").value_or(""));
  std::string line, best;
  std::uint32_t best_mask = 0;
  for (std::getline(lines, line); std::getline(lines, line);) {
    std::istringstream in(line);
    std::string name, ignored;
    std::uint32_t net = 0, mask = 0;
    in >> name >> std::hex >> net >> ignored >> ignored >> ignored >> ignored >> ignored >> mask;
    if (!in || (peer.s_addr & mask) != net) continue;
    if (!best.empty() && ntohl(mask) < ntohl(best_mask)) continue;
    best = name;
    best_mask = mask;
  }
  return best;
}

void examine_mtu(const Needs& needs, const System& system, const std::string& interface,
                 std::vector<Finding>& findings) {
  const auto mtu = system.number("/sys/class/net/" + interface + "/mtu");
  if (!mtu) return;
  const std::int64_t wanted = needs.packet_size > 0 ? needs.packet_size : jumbo_mtu;
  const std::string run =
      fmt::format("sudo ip link set dev {} mtu {}", interface, std::max(wanted, jumbo_mtu));
  Finding f{"packet size", fmt::format("{} takes packets of {} bytes", interface, *mtu), State::good, ""};
  if (needs.packet_size > *mtu) {
    f.found += fmt::format(", the camera sends {} (sensor.genicam.packet_size): none arrives", wanted);
    f.state = State::bad;
    f.run = run;
  } else if (*mtu < jumbo_mtu && needs.packet_size == 0) {
    f.found += "; with 9000, where camera and switch can, fewer are lost and less of a core is taken";
    f.state = State::doubtful;
    f.run = run;
  }
  findings.push_back(f);
}

void examine_buffer(const Needs& needs, const System& system, std::vector<Finding>& findings) {
  const auto most = system.number("/proc/sys/net/core/rmem_max");
  if (!most) return;
  Finding f{"socket buffer",
            fmt::format("net.core.rmem_max is {}, {} are wanted (sensor.genicam.socket_buffer_kib)", *most,
                        needs.socket_buffer_bytes),
            State::good, ""};
  if (*most < needs.socket_buffer_bytes) {
    f.state = State::bad;
    f.found += ": packets are lost when the computer is busy";
    f.run = fmt::format(
        "echo net.core.rmem_max={} | sudo tee /etc/sysctl.d/60-datumd.conf && sudo sysctl --system",
        needs.socket_buffer_bytes);
  }
  findings.push_back(f);
}

}  // namespace

void examine_network(const Needs& needs, const System& system, std::vector<Finding>& findings) {
  if (needs.camera) examine_buffer(needs, system, findings);
  if (!needs.sensor_address) {
    if (!needs.camera) return;
    for (const std::string& name : system.names_in("/sys/class/net"))
      if (name != "lo" &&
          system.text("/sys/class/net/" + name + "/operstate").value_or("").rfind("up", 0) == 0)
        examine_mtu(needs, system, name, findings);
    return;
  }
  const std::string interface = interface_towards(system, *needs.sensor_address);
  if (interface.empty()) {
    findings.push_back(
        {"network", "no interface of this computer leads to " + *needs.sensor_address, State::bad,
         "ip address    # the sensor's network must be among them; see sudo ip address add --help"});
    return;
  }
  const std::string state = system.text("/sys/class/net/" + interface + "/operstate").value_or("");
  if (state.rfind("down", 0) == 0)
    findings.push_back(
        {"network", fmt::format("{}, which leads to {}, is down", interface, *needs.sensor_address),
         State::bad, fmt::format("sudo ip link set dev {} up    # and look at the cable", interface)});
  else
    findings.push_back(
        {"network", fmt::format("{} leads to {}", interface, *needs.sensor_address), State::good, ""});
  if (needs.camera) examine_mtu(needs, system, interface, findings);
}

}  // namespace datum::doctor
