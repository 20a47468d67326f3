// What is told of one GigE Vision camera with 3D output, and what it must deliver.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace datum::genicam {

enum class TriggerBy : std::uint8_t {
  external,  // as the camera is set up: an input, the encoder or its own clock
  software,  // datumd sends TriggerSoftware when a board's frame is wanted
};

struct Settings {
  // One of the three says which camera.
  std::string address;  // numeric IPv4: found without asking the whole network
  std::string serial;   // DeviceSerialNumber
  std::string name;     // its user-defined name, or VENDOR-SERIAL

  std::string user_set;      // is loaded whenever the camera is opened; empty: what the camera has
  std::string firmware;      // DeviceFirmwareVersion that it must have; empty: any
  std::string pixel_format;  // is set; empty: what the user set has
  std::array<double, 3> resolution_um{};  // x, y of a pixel and z of a count that its frames must have
  TriggerBy trigger = TriggerBy::external;

  int packet_size = 0;  // bytes, the interface's MTU; 0: the largest that gets through is looked for
  int socket_buffer_kib = 8192;
  int connect_ms = 15'000;  // until the camera runs: its description is read before
  int answer_ms = 3000;     // for one access to a register or a feature
  int watch_ms = 2000;      // between questions of setup and clock
  int stall_ms = 500;       // without a packet in the middle of a frame
  int max_age_ms =
      5000;  // of a frame's exposure when it has arrived, and from a software trigger to its frame
  int max_frame_mib = 64;
};

/// "genicam 192.168.1.20", for messages.
std::string name_of(const Settings& settings);

}  // namespace datum::genicam
