#include "drivers/gocator/message_framer.h"

#include <fmt/format.h>

#include "drivers/gocator/protocol_error.h"

namespace datum::gocator {

std::optional<std::vector<std::uint8_t>> MessageFramer::next() {
  if (held_.size() < sizeof(std::uint32_t)) return std::nullopt;
  const std::size_t size = at<std::uint32_t>(held_, 0);
  if (size < least_ || size > most_)
    throw ProtocolError(
        size < least_ ? Fault::too_short : Fault::too_long,
        fmt::format("{} message of {} bytes; {} to {} are read", channel_, size, least_, most_));
  if (held_.size() < size) return std::nullopt;
  const auto end = held_.begin() + static_cast<std::ptrdiff_t>(size);
  std::vector<std::uint8_t> message(held_.begin(), end);
  held_.erase(held_.begin(), end);
  return message;
}

}  // namespace datum::gocator
