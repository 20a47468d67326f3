#include "drivers/gocator/control.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "drivers/gocator/protocol_error.h"

namespace datum::gocator {
namespace {

constexpr std::size_t name_bytes = 64, uptime_s_index = 6, uptime_us_index = 7;
// Field offsets of the older reply.
constexpr std::size_t older_bytes = 40, older_id_at = 8, older_status_at = 16, older_version_at = 24;

/// No newer reply matches: its status, in bytes 6 to 9, would be 0x11000000.
bool is_older_version(ByteView message) {
  return message.size() == older_bytes && at<std::uint32_t>(message, 4) == 0 &&
         at<std::uint64_t>(message, older_id_at) == static_cast<std::uint64_t>(Command::protocol_version);
}

void demand(const Reply& reply, std::size_t bytes) {
  if (reply.payload.size() >= bytes) return;
  throw ProtocolError(Fault::too_short, fmt::format("the reply to {} has {} bytes of {}",
                                                    name_of(reply.command), reply.payload.size(), bytes));
}

}  // namespace

const char* name_of(Command c) {
  switch (c) {
    case Command::stop:
      return "Stop";
    case Command::get_timestamp:
      return "GetTimestamp";
    case Command::start:
      return "Start";
    case Command::get_encoder:
      return "GetEncoder";
    case Command::protocol_version:
      return "GetProtocolVersion";
    case Command::trigger:
      return "Trigger";
    case Command::get_version:
      return "GetVersion";
    case Command::get_loaded_job:
      return "GetLoadedJob";
    case Command::get_states:
      return "GetStates";
  }
  return "an unknown command";
}

std::string text_of_status(std::int32_t status) {
  static constexpr std::pair<std::int32_t, const char*> known[] = {{1, "OK"},
                                                                   {0, "failed"},
                                                                   {-992, "simulation buffer empty"},
                                                                   {-996, "not supported"},
                                                                   {-997, "invalid parameter"},
                                                                   {-998, "invalid command"},
                                                                   {-999, "not found"},
                                                                   {-1000, "invalid state"}};
  for (const auto& [number, words] : known)
    if (number == status) return fmt::format("{}, {}", status, words);
  return fmt::format("{}", status);
}

std::vector<std::uint8_t> request(Command command) {
  std::vector<std::uint8_t> bytes;
  append(bytes, std::uint32_t{6});
  append(bytes, static_cast<std::uint16_t>(command));
  return bytes;
}

Reply reply_of(ByteView message) {
  if (is_older_version(message))
    return {Command::protocol_version,
            static_cast<std::int32_t>(at<std::int64_t>(message, older_status_at)),
            {message.begin() + older_version_at, message.end()}};
  return {static_cast<Command>(at<std::uint16_t>(message, 4)),
          at<std::int32_t>(message, 6),
          {message.begin() + least_reply_bytes, message.end()}};
}

Version version_of(const Reply& reply) {
  if (reply.command == Command::protocol_version && reply.payload.size() == older_bytes - older_version_at) {
    const auto major = at<std::uint64_t>(reply.payload, 0), minor = at<std::uint64_t>(reply.payload, 8);
    if (std::max(major, minor) > UINT16_MAX)
      throw ProtocolError(Fault::size_mismatch, fmt::format("version {}.{} of a protocol", major, minor));
    return {static_cast<int>(major), static_cast<int>(minor)};
  }
  demand(reply, 2);
  return {reply.payload[0], reply.payload[1]};
}

States states_of(const Reply& reply) {
  demand(reply, sizeof(std::uint32_t));
  const std::size_t count = at<std::uint32_t>(reply.payload, 0);
  const std::size_t there = (reply.payload.size() - sizeof(std::uint32_t)) / sizeof(std::int32_t);
  if (count == 0 || count > there)
    throw ProtocolError(Fault::size_mismatch,
                        fmt::format("GetStates announces {} values and has {}", count, there));
  const auto value = [&](std::size_t i) {
    return at<std::int32_t>(reply.payload, sizeof(std::uint32_t) + i * sizeof(std::int32_t));
  };
  States states;
  states.sensor = static_cast<States::Sensor>(value(0));
  if (count > uptime_us_index)
    states.uptime_us = value(uptime_s_index) * std::int64_t{1'000'000} + value(uptime_us_index);
  return states;
}

LoadedJob loaded_job_of(const Reply& reply) {
  demand(reply, name_bytes + 1);
  const auto begin = reply.payload.begin(), end = begin + name_bytes;
  return {std::string(begin, std::find(begin, end, std::uint8_t{0})), reply.payload[name_bytes] != 0};
}

std::uint64_t timestamp_of(const Reply& reply) {
  demand(reply, sizeof(std::uint64_t));
  return at<std::uint64_t>(reply.payload, 0);
}

std::int64_t encoder_of(const Reply& reply) {
  demand(reply, sizeof(std::int64_t));
  return at<std::int64_t>(reply.payload, 0);
}

}  // namespace datum::gocator
