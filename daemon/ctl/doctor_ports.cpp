// Checks of serial lines and listening ports: existence, permissions, other users.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "daemon/ctl/doctor.h"

namespace datum::doctor {
namespace {

namespace fs = std::filesystem;

constexpr const char* by_id = "/dev/serial/by-id";

/// The device behind a path with symbolic links.
std::string device_of(const System& system, const std::string& path) {
  fs::path at = path;
  for (int links = 0; links < 8; ++links) {
    const auto to = system.target(at);
    if (!to) break;
    at = fs::path(*to).is_absolute() ? fs::path(*to) : (at.parent_path() / *to).lexically_normal();
  }
  return at.string();
}

/// The name of a device that is independent of its plug; empty: none.
std::string stable_name(const System& system, const std::string& device) {
  for (const std::string& name : system.names_in(by_id)) {
    const std::string path = std::string(by_id) + "/" + name;
    if (device_of(system, path) == device) return path;
  }
  return "";
}

bool is_datumd(const std::string& holder) { return holder.rfind("datumd", 0) == 0; }

std::string not_datumd(const std::vector<std::string>& holders) {
  std::string names;
  for (const std::string& holder : holders)
    if (!is_datumd(holder)) names += (names.empty() ? "" : ", ") + holder;
  return names;
}

std::string join_group(const System& system, const std::string& group) {
  if (system.account.service)
    return fmt::format("sudo systemctl edit datumd    # [Service] SupplementaryGroups={}", group);
  return fmt::format("sudo usermod -aG {} {}    # then log in again", group, system.account.name);
}

Finding examine_serial_line(const Needs::SerialLine& line, const System& system) {
  Finding f{"serial port", fmt::format("{} ({})", line.path, line.key), State::good, ""};
  const std::string device = device_of(system, line.path);
  if (!system.exists(device)) {
    f.state = State::bad;
    f.found += " is not there: unplugged, or under another name";
    f.run = fmt::format("ls -l {}", by_id);
    return f;
  }
  if (!system.allows(device, true)) {
    const std::string group = system.group_of(device);
    f.state = State::bad;
    f.found += fmt::format(": {} may not open it, group {} may", system.account.name, group);
    f.run = join_group(system, group);
    return f;
  }
  if (const std::string others = not_datumd(holders_of(system, device)); !others.empty()) {
    f.state = State::bad;
    f.found += " is held by " + others;
    f.run = others.rfind("ModemManager", 0) == 0 ? "sudo systemctl disable --now ModemManager"
                                                 : "end that program";
    return f;
  }
  const std::string stable = stable_name(system, device);
  if (line.path.rfind("/dev/tty", 0) != 0 || stable.empty()) return f;
  f.state = State::doubtful;
  f.found += " may get another number when it is plugged in again";
  f.run = fmt::format("set {} to \"{}\" in the configuration", line.key, stable);
  return f;
}

/// Inodes of sockets listening on a port, from /proc/net/tcp and tcp6.
std::vector<std::string> listening_inodes(const System& system, int port) {
  std::vector<std::string> inodes;
  const std::string wanted = fmt::format(":{:04X}", port);
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::istringstream lines(system.text(table).value_or(""));
    std::string line;
    for (std::getline(lines, line); std::getline(lines, line);) {
      std::istringstream in(line);
      std::string number, local, remote, state, skipped, inode;
      in >> number >> local >> remote >> state >> skipped >> skipped >> skipped >> skipped >> skipped >>
          inode;
      if (in && state == "0A" && local.ends_with(wanted)) inodes.push_back(inode);
    }
  }
  return inodes;
}

Finding examine_listener(const Needs::Listener& listener, const System& system) {
  Finding f{"listening port", fmt::format("{} ({})", listener.port, listener.key), State::good, ""};
  const std::int64_t least = system.number("/proc/sys/net/ipv4/ip_unprivileged_port_start").value_or(1024);
  if (listener.port < least && system.account.uid != 0) {
    f.state = State::bad;
    f.found += fmt::format(": {} may open ports from {} on", system.account.name, least);
    f.run = fmt::format("sudo sysctl -w net.ipv4.ip_unprivileged_port_start={}", listener.port);
    return f;
  }
  for (const std::string& inode : listening_inodes(system, listener.port)) {
    const auto holders = holders_of(system, "socket:[" + inode + "]");
    if (std::any_of(holders.begin(), holders.end(), is_datumd)) {
      f.found += " is datumd's";
      return f;
    }
    f.state = holders.empty() ? State::doubtful : State::bad;
    f.found += holders.empty() ? " is taken by a program that this account can't see; datumd itself?"
                               : " is taken by " + holders.front();
    f.run = holders.empty() ? fmt::format("sudo ss -ltnp 'sport = :{}'", listener.port)
                            : fmt::format("end that program, or set {} to another port", listener.key);
    return f;
  }
  f.found += " is free";
  return f;
}

}  // namespace

void examine_serial_lines(const Needs& needs, const System& system, std::vector<Finding>& findings) {
  for (const auto& line : needs.serial_lines) findings.push_back(examine_serial_line(line, system));
}

void examine_listeners(const Needs& needs, const System& system, std::vector<Finding>& findings) {
  for (const auto& listener : needs.listeners)
    if (listener.port != 0) findings.push_back(examine_listener(listener, system));
}

}  // namespace datum::doctor
