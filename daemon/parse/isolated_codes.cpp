#include "daemon/parse/isolated_codes.h"

#include "daemon/parse/flat_codes.h"
#include "daemon/system/packets.h"

namespace datum {

ParserClientSettings code_parse_settings() {
  constexpr std::uint64_t mib = std::uint64_t{1} << 20;
  ParserClientSettings s;
  s.result_bytes = 2 * mib;
  // Of a pixel: itself, and in the decoder a grey, a binary and a working image of four bytes each, of an image twice as large each way.
  s.memory_bytes = 256 * mib + std::uint64_t{64} * most_code_pixels + s.result_bytes;
  s.timeout = std::chrono::milliseconds(3'000);  // a board waits; the processor time is over sooner
  s.cpu_timeout = std::chrono::milliseconds(1'500);
  s.timeout_a_byte = std::chrono::nanoseconds(0);
  return s;
}

std::vector<ReadCode> IsolatedCodes::read(const GreyImage& image) const {
  ParseOrder order;
  order.kind = ParseKind::codes;
  put_text(order.name, "the picture of the code");
  FlatWriter size;
  put_size(size, image);
  std::vector<ReadCode> codes;
  try {
    link_.parse(
        order, {size.bytes(), image.grey}, [] {}, [&](ParsedOutput& from) { codes = take_codes(from); },
        [](const std::string& text, FlatReader) { throw CodeError(text); });
  } catch (const ParserEnded& error) {
    throw CodeError(
        std::string(
            "datumd-parse, which looks for codes apart from the rest, did not survive the picture: ") +
        error.what());
  }
  return codes;
}

}  // namespace datum
