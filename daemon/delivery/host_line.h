// Lines of a host about the results that it received, between its commands.
//
//   RESUME,<store id>,<sequence>*<crc>   begin lossless delivery after this sequence number (0: everything);
//                                        `-` for an unknown store id
//   ACK,<sequence>*<crc>                 this result and all before it have arrived
//   NAK,<sequence>*<crc>                 all before this result have arrived; send from here again
//   STOP*<crc>                           end lossless delivery
//
// <crc> as in result_line.h. The daemon's lines then carry the kind of checksum of the RESUME, CRC-16 or CRC-32. A
// damaged line is dropped without effect; the host repeats it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "daemon/delivery/result_line.h"

namespace datum {

struct HostLine {
  enum class Kind : std::uint8_t { resume, acknowledge, reject, stop };
  Kind kind = Kind::stop;
  std::string store_id;  // of RESUME; "-" unknown
  std::uint64_t sequence = 0;
  LineCheck check = LineCheck::crc16;
};

/// True: the line begins as one of these; no command begins so.
bool is_host_line(std::string_view line);
/// Parses a line without its LF; a trailing CR is ignored. Throws std::runtime_error that names the fault.
HostLine parse_host_line(std::string_view line);

}  // namespace datum
