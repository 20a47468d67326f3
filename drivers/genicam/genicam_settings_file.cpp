#include "drivers/genicam/settings.h"

#include "config/toml_reader.h"

#include <arpa/inet.h>

#include <algorithm>

#include "drivers/port/link_settings.h"

namespace datum::config {

namespace {

std::string text_if(TomlTable& table, const char* key, const char* allowed) {
  const auto text = table.text_if(key);
  if (!text) return "";
  if (text->empty()) table.refuse(key, "is empty", allowed);
  return *text;
}

/// Identification by address, serial number or name.
void read_camera(TomlTable& table, genicam::Settings& s) {
  s.address = text_if(table, "address", "such as 192.168.1.20");
  s.serial = text_if(table, "serial", "the camera's serial number");
  s.name = text_if(table, "name", "the camera's name, or VENDOR-SERIAL");
  in_addr ignored{};
  if (!s.address.empty() && inet_pton(AF_INET, s.address.c_str(), &ignored) != 1)
    table.refuse("address", "'" + s.address + "' is not a numeric IPv4 address",
                 "such as 192.168.1.20; GigE Vision has no other");
  const int given = !s.address.empty() + !s.serial.empty() + !s.name.empty();
  if (given == 0) table.refuse("address", "missing: no camera is named", "address, serial or name");
  if (given > 1) table.refuse("address", "several keys name a camera", "one of address, serial and name");
}

}  // namespace

genicam::Settings read_genicam(TomlTable table) {
  table.only_keys({"address", "serial", "name", "user_set", "firmware", "pixel_format", "resolution_um",
                   "trigger", "packet_size", "socket_buffer_kib", "connect_ms", "answer_ms", "watch_ms",
                   "stall_ms", "max_age_ms", "max_frame_mib"});
  genicam::Settings s;
  read_camera(table, s);
  s.user_set = text_if(table, "user_set", "a user set of the camera, or no such key");
  s.firmware = text_if(table, "firmware", "a version as the camera states it, or no such key");
  s.pixel_format = text_if(table, "pixel_format", "such as Coord3D_C16, or no such key");
  const std::vector<double> um = table.numbers("resolution_um", 3, {1e-6, 1e6});
  std::copy(um.begin(), um.end(), s.resolution_um.begin());
  s.trigger = table.choice<genicam::TriggerBy>(
      "trigger", {{"external", genicam::TriggerBy::external}, {"software", genicam::TriggerBy::software}});
  // 576 passes every network; 16110 is the largest that GigE Vision defines.
  s.packet_size = static_cast<int>(table.integer_or("packet_size", s.packet_size, 576, 16110));
  s.socket_buffer_kib =
      static_cast<int>(table.integer_or("socket_buffer_kib", s.socket_buffer_kib, 64, 1 << 20));
  s.connect_ms = read_ms(table, "connect_ms", s.connect_ms, 10);
  s.answer_ms = read_ms(table, "answer_ms", s.answer_ms, 10);
  s.watch_ms = read_ms(table, "watch_ms", s.watch_ms, 10);
  s.stall_ms = read_ms(table, "stall_ms", s.stall_ms, 10);
  s.max_age_ms = read_ms(table, "max_age_ms", s.max_age_ms, 10);
  s.max_frame_mib = static_cast<int>(table.integer_or("max_frame_mib", s.max_frame_mib, 1, 1024));
  table.finish();
  return s;
}

}  // namespace datum::config
