// Settings of one GigE Vision camera with 3D output, and the demands on its frames.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace datum::genicam {

enum class TriggerBy : std::uint8_t {
  external,  // as set in the camera: an input, the encoder or its own clock
  software,  // datumd sends TriggerSoftware when a board's frame is needed
};

struct Settings {
  // Exactly one of the three identifies the camera.
  std::string address;  // numeric IPv4, without a broadcast search
  std::string serial;   // DeviceSerialNumber
  std::string name;     // its user-defined name, or VENDOR-SERIAL

  std::string user_set;      // loaded whenever the camera is opened; empty: the camera's current set
  std::string firmware;      // demanded DeviceFirmwareVersion; empty: any
  std::string pixel_format;  // set at the start; empty: the user set's
  std::array<double, 3> resolution_um{};  // demanded x, y of a pixel and z of a count
  TriggerBy trigger = TriggerBy::external;

  int packet_size = 0;  // bytes, the interface's MTU; 0: the largest that passes
  int socket_buffer_kib = 8192;
  int connect_ms = 15'000;  // until the camera runs, including the download of its description
  int answer_ms = 3000;     // for one access to a register or feature
  int watch_ms = 2000;      // period of setup and clock requests
  int stall_ms = 500;       // longest silence within a frame
  /// Largest age of a frame's exposure at arrival, and time from a software trigger to its frame.
  int max_age_ms = 5000;
  int max_frame_mib = 64;
};

/// "genicam 192.168.1.20", for messages.
std::string name_of(const Settings& settings);

}  // namespace datum::genicam

namespace datum::config {

class TomlTable;

/// Throws ConfigError.
genicam::Settings read_genicam(TomlTable table);

}  // namespace datum::config
