// Bytes that contradict the protocol. The start of the next message is then unknown, so the link is reopened.
#pragma once

#include <string>

#include "drivers/link_error.h"

namespace datum::gocator {

enum class Fault : std::uint8_t {
  too_short,       // a message smaller than its own fixed part
  too_long,        // above the configured limit
  attribute_size,  // attributes end before their known fields, or after the message
  size_mismatch,   // rows x columns, or a count, contradict the message's size
  wrong_reply,     // an answer to another command
  unfinished,      // the bytes end within a message
};

class ProtocolError : public LostError {
 public:
  ProtocolError(Fault fault, const std::string& what) : LostError(what), fault_(fault) {}
  Fault fault() const { return fault_; }

 private:
  Fault fault_;
};

}  // namespace datum::gocator
