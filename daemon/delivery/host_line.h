// What a host says of the results that it was sent; lines between its commands.
//
//   RESUME,<store id>,<sequence>*<crc>   deliver without loss all that follows this one (0: everything); `-` for a store
//                                        id that is not known
//   ACK,<sequence>*<crc>                 this one and all before it have arrived
//   NAK,<sequence>*<crc>                 all before this one have arrived; send from here again
//   STOP*<crc>                           no longer without loss
//
// <crc> as in result_line.h; the one that RESUME carries, CRC-16 or CRC-32, is what the daemon's lines carry from then
// on. A damaged line is dropped: nothing follows from it, and what it would have said is said again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "daemon/delivery/result_line.h"

namespace datum {

struct HostLine {
  enum class Kind : std::uint8_t { resume, acknowledge, reject, stop };
  Kind kind = Kind::stop;
  std::string store_id;  // of resume, "-" where unknown
  std::uint64_t sequence = 0;
  LineCheck check = LineCheck::crc16;
};

/// Whether it begins as one of these lines; no command does.
bool is_host_line(std::string_view line);
/// A line without its LF; a CR before it is left out. Throws std::runtime_error that says what is wrong.
HostLine parse_host_line(std::string_view line);

}  // namespace datum
