// Framing of messages that begin with their own length (u32, of the whole message): control and health
// channel.
#pragma once

#include <optional>
#include <vector>

#include "drivers/gocator/wire.h"

namespace datum::gocator {

class MessageFramer {
 public:
  /// Messages have `least` to `most` bytes.
  MessageFramer(const char* channel, std::size_t least, std::size_t most)
      : channel_(channel), least_(least), most_(most) {}

  void receive(ByteView bytes) { held_.insert(held_.end(), bytes.begin(), bytes.end()); }
  /// The next complete message. Throws ProtocolError for a length outside the limits.
  std::optional<std::vector<std::uint8_t>> next();
  void reset() { held_.clear(); }

 private:
  const char* channel_;
  std::size_t least_, most_;
  std::vector<std::uint8_t> held_;
};

}  // namespace datum::gocator
