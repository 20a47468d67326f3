#include "daemon/configuration/config_advice.h"

#include <algorithm>
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
      "' becomes another device when adapters are plugged in anew or found in another order; name its link "
      "in /dev/serial/by-id (or by-path, where adapters have no serial number)");
}

}  // namespace

std::vector<std::string> config_advice(const DaemonConfig& c) {
  std::vector<std::string> lines;
  const auto* cmm = c.cmm ? std::get_if<SerialSettings>(&c.cmm->link) : nullptr;
  if (cmm) advise_path("cmm.serial.path", cmm->path, lines);
  if (c.serial) advise_path("host.serial.path", c.serial->line.path, lines);
  if (c.modbus_serial) advise_path("host.modbus_serial.path", c.modbus_serial->line.path, lines);
  const auto configures = [](const auto& role) { return role.second == Role::configure; };
  if (c.calibrate && !c.control.roles.empty() &&
      std::none_of(c.control.roles.begin(), c.control.roles.end(), configures))
    lines.push_back(
        "calibration: no link of [host] has role = \"configure\", so nobody can start or accept a "
        "calibration");
  return lines;
}

}  // namespace datum
