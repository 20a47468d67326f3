// A Modbus RTU line: pieces with and without a valid CRC and silences. The first byte of a piece gives its kind and
// length.
#include <algorithm>

#include "daemon/modbus/request.h"
#include "daemon/modbus/rtu_framer.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;
using namespace datum::modbus;

namespace {

constexpr std::uint8_t unit = 17;

void take(const std::optional<std::vector<std::uint8_t>>& frame) {
  if (!frame) return;
  fuzz::expect(frame->size() >= 2 && frame->size() <= 526, "a frame has its function, and an end");
  fuzz::expect(frame->front() == unit || frame->front() == 0, "a frame is for this unit or for all");
  parse_request(std::span(*frame).subspan(1));
}

}  // namespace

DATUM_FUZZ_TARGET(modbus_rtu) {
  RtuFramer framer(unit);
  while (!bytes.empty()) {
    const auto head = static_cast<unsigned char>(bytes.front());
    const auto n = std::min<std::size_t>(bytes.size() - 1, head & 0x3F);
    std::vector<std::uint8_t> piece(bytes.begin() + 1, bytes.begin() + 1 + static_cast<std::ptrdiff_t>(n));
    if (head & 0x40) piece = modbus::with_crc(std::move(piece));
    framer.receive(piece);
    for (auto frame = framer.next(); frame; frame = framer.next()) take(frame);
    if (head & 0x80) {
      take(framer.silence());
      fuzz::expect(framer.empty(), "after a silence nothing is left");
    }
    bytes.remove_prefix(1 + n);
  }
  // After any input, the next request after a silence is accepted.
  framer.silence();
  framer.receive(modbus::with_crc({unit, 3, 0, 0, 0, 1}));
  fuzz::expect(framer.next().has_value(), "a request behind a silence is heard");
}
