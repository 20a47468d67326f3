// Control channel (TCP 3190): requests and replies. Pure.
//
//   request  u32 length, u16 id, payload            reply  u32 length, u16 id, s32 status, payload
//
// Layouts: LMI's Gocator manuals, chapter "Gocator Protocol", compared with the bytes of LMI's SDK.
#pragma once

#include <optional>
#include <string>

#include "drivers/gocator/wire.h"

namespace datum::gocator {

enum class Command : std::uint16_t {
  stop = 0x1001,
  get_timestamp = 0x100A,
  start = 0x100D,
  get_encoder = 0x101C,
  protocol_version = 0x1100,  // of older firmware
  trigger = 0x4510,
  get_version = 0x4511,
  get_loaded_job = 0x4512,
  get_states = 0x4525,
};
const char* name_of(Command c);

inline constexpr std::int32_t status_ok = 1, status_invalid_command = -998;
/// "-1000, invalid state".
std::string text_of_status(std::int32_t status);

inline constexpr std::size_t least_reply_bytes = 10, most_reply_bytes = 65536;

std::vector<std::uint8_t> request(Command command);

struct Reply {
  Command command;
  std::int32_t status = 0;
  std::vector<std::uint8_t> payload;
};
/// `message` is complete and has at least least_reply_bytes. Older firmware answers the request for its
/// protocol version in another form of 40 bytes, as LMI's SDK reads it: u32 length, u32 0, u64 id, s64
/// status, u64 major, u64 minor.
Reply reply_of(ByteView message);

struct Version {
  int major = 0, minor = 0;
};
/// State of the sensor. Lists longer than the known fields are read as far as known.
struct States {
  enum class Sensor : std::int32_t { conflict = -1, ready = 0, running = 1 } sensor = Sensor::ready;
  std::optional<std::int64_t> uptime_us;
};
struct LoadedJob {
  std::string name;
  bool modified = false;  // since it was loaded
};

/// All throw ProtocolError where the payload is shorter than its fields. version_of reads either form, and
/// also throws where a number of the older one is above 65535.
Version version_of(const Reply& reply);
States states_of(const Reply& reply);
LoadedJob loaded_job_of(const Reply& reply);
/// Sensor clock in us since power-on.
std::uint64_t timestamp_of(const Reply& reply);
std::int64_t encoder_of(const Reply& reply);

}  // namespace datum::gocator
