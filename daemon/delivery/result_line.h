// Result line: the text that every host receives when a board is complete.
//
//   R,<store id>,<sequence>,<utc us>,<recipe>,<frame>,<decision>,
//       <n pass>,<n inconclusive>,<n fail>,<n invalid>*<crc>          (one line)
//   R,...,<n invalid>,<boards pass>,<boards inconclusive>,<boards fail>,<boards invalid>,<boards skipped>*<crc>   of a panel
//   GAP,<store id>,<from>,<to>*<crc>     results of these sequence numbers are not sent on this link
//   STORE,<store id>,<first>,<last>*<crc>   the results that can be delivered: the answer to RESUME (host_line.h)
//   HB,<store id>,<last>*<crc>              heartbeat of an idle link
//
// ASCII, ended by LF. <store id> and <sequence> together identify a result for ever, so a host can drop duplicates. <utc
// us>: microseconds since 1970-01-01 of BoardVerdict::measured_at. The four numbers count components. <recipe> and
// <frame> are percent-encoded (RFC 3986) where they hold ',', '*', '%', a blank, a control or a byte above 126. <crc>:
// CRC-16/MODBUS (polynomial 0x8005 reflected to 0xA001, start 0xFFFF, no final xor; "123456789" gives 4B37) of all bytes
// before '*', as four upper-case hex digits, most significant first. On request it is CRC-32 (ISO 3309, zlib; "123456789"
// gives CBF43926), eight digits: of a million damaged lines 15 pass CRC-16 by chance, and a line that loses 1 % of its
// bytes damages a million lines per shift.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/inspection/verdict/verdict.h"
#include "daemon/text/checked_line.h"

namespace datum {

struct ResultLine {
  std::string store_id;
  std::uint64_t sequence = 0;
  std::int64_t utc_us = 0;
  std::string recipe, frame;
  Decision decision = Decision::invalid;
  std::uint32_t n_pass = 0, n_inconclusive = 0, n_fail = 0, n_invalid = 0;
  std::optional<BoardCounts> boards;  // of a panel
};

/// Without line end. Throws std::invalid_argument where the verdict has no sequence number or no valid time.
std::string result_line(const BoardVerdict& verdict, LineCheck check = LineCheck::crc16);
std::string gap_line(const std::string& store_id, std::uint64_t from, std::uint64_t to,
                     LineCheck check = LineCheck::crc16);
/// Parses a line without its end. Throws std::runtime_error that names the fault.
ResultLine parse_result_line(std::string_view line);

/// "2026-11-21T07:18:17.123456Z" in microseconds since 1970-01-01. Accepts up to 9 decimals and truncates below 1 us.
/// Throws std::invalid_argument.
std::int64_t utc_us_from_iso8601(const std::string& text);

}  // namespace datum
