// Control channel (TCP 3190): requests and replies. Pure.
//
//   request  u32 length, u16 id, payload            reply  u32 length, u16 id, s32 status, payload
//
// Layouts: PROTOCOLS 2a, from LMI's manuals and its SDK's own bytes.
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
/// Of a whole message of at least least_reply_bytes. Older firmware answers the question for its protocol's version in a form
/// of its own, of 40 bytes as LMI's SDK reads it: u32 length, u32 0, u64 id, s64 status, u64 major, u64 minor.
Reply reply_of(ByteView message);

struct Version {
  int major = 0, minor = 0;
};
/// What the sensor does; lists that are longer than what is known here are read as far as they are.
struct States {
  enum class Sensor : std::int32_t { conflict = -1, ready = 0, running = 1 } sensor = Sensor::ready;
  std::optional<std::int64_t> uptime_us;
};
struct LoadedJob {
  std::string name;
  bool modified = false;  // since it was loaded
};

/// All throw ProtocolError where the payload is shorter than its fields. A version in either form; of the older one also where
/// a number is above 65535.
Version version_of(const Reply& reply);
States states_of(const Reply& reply);
LoadedJob loaded_job_of(const Reply& reply);
/// us of the sensor's clock, since it was switched on.
std::uint64_t timestamp_of(const Reply& reply);
std::int64_t encoder_of(const Reply& reply);

}  // namespace datum::gocator
