#include "daemon/configuration/config_advice.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace datum {
namespace {

/// The kernel numbers USB adapters in the order of their discovery.
void advise_path(const char* key, const std::string& path, std::vector<std::string>& lines) {
  constexpr std::string_view usb = "/dev/ttyUSB", acm = "/dev/ttyACM";
  if (!path.starts_with(usb) && !path.starts_with(acm)) return;
  const std::string_view number = std::string_view(path).substr(usb.size());
  if (number.empty() || number.find_first_not_of("0123456789") != number.npos) return;
  lines.push_back(
      std::string(key) + ": '" + path +
      "' becomes another device when adapters are plugged in again or found in another order; name its link "
      "in /dev/serial/by-id (or by-path, where adapters have no serial number)");
}

/// Rates of termios(3); devices have no others but on request.
void advise_baud(const char* key, int baud, std::vector<std::string>& lines) {
  static const std::set<int> usual{300,     600,     1200,    2400,    4800,    9600,   19200,  38400,
                                   57600,   115200,  230400,  460800,  500000,  576000, 921600, 1000000,
                                   1500000, 2000000, 2500000, 3000000, 3500000, 4000000};
  if (usual.count(baud)) return;
  config::Words words;
  for (const int rate : usual) words.insert(std::to_string(rate));
  lines.push_back(std::string(key) + ": " + std::to_string(baud) + " is no usual rate" +
                  config::did_you_mean(std::to_string(baud), words));
}

/// datumd runs without CAP_NET_BIND_SERVICE (systemd/datumd.service.in).
void advise_port(const char* key, std::uint16_t port, std::uint16_t usual, std::vector<std::string>& lines) {
  constexpr int least_unprivileged = 1024;  // ip(7), ip_unprivileged_port_start
  if (port == 0)
    lines.push_back(std::string(key) +
                    ": 0 is another free port at each start, which no host can know; such as " +
                    std::to_string(usual));
  else if (port < least_unprivileged)
    lines.push_back(std::string(key) + ": the service may not open port " + std::to_string(port) +
                    ", as it is below 1024; such as " + std::to_string(usual) +
                    ", or let systemd open it: datumd(8), SOCKETS");
}

}  // namespace

std::vector<std::string> config_advice(const DaemonConfig& c) {
  std::vector<std::string> lines;
  const auto* cmm = c.cmm ? std::get_if<SerialSettings>(&c.cmm->link) : nullptr;
  if (cmm) advise_path("cmm.serial.path", cmm->path, lines);
  if (c.scanner) advise_path("scanner.path", c.scanner->line.path, lines);
  if (c.serial) advise_path("host.serial.path", c.serial->line.path, lines);
  if (c.modbus_serial) advise_path("host.modbus_serial.path", c.modbus_serial->line.path, lines);
  if (c.frame_timeout_ms < 50)
    lines.push_back("inspection.frame_timeout_ms: " + std::to_string(c.frame_timeout_ms) +
                    " ms is shorter than sensors take for a frame; if seconds are meant, it is " +
                    std::to_string(1000 * c.frame_timeout_ms));
  if (cmm) advise_baud("cmm.serial.baud", cmm->baud, lines);
  if (c.serial) advise_baud("host.serial.baud", c.serial->line.baud, lines);
  if (c.modbus_serial) advise_baud("host.modbus_serial.baud", c.modbus_serial->line.baud, lines);
  if (c.tcp) advise_port("host.tcp.port", c.tcp->port, 5025, lines);
  if (c.modbus_tcp) advise_port("host.modbus_tcp.port", c.modbus_tcp->port, 1502, lines);
  if (c.gocator_host) advise_port("host.gocator.port", c.gocator_host->port, 8190, lines);
  const auto configures = [](const auto& role) { return role.second == Role::configure; };
  if (c.calibrate && !c.control.roles.empty() &&
      std::none_of(c.control.roles.begin(), c.control.roles.end(), configures))
    lines.push_back(
        "calibration: no link of [host] has role = \"configure\", so that no host can start or accept a "
        "calibration");
  return lines;
}

std::string fringe_contradiction(const DaemonConfig& c, const SensorProfile& sensor) {
  return c.sensor_profile.string() + (sensor.fringe
                                          ? ": has a table [fringe], but sensor.kind is not \"fringe\""
                                          : ": sensor.kind is \"fringe\", but there is no table [fringe]");
}

}  // namespace datum
