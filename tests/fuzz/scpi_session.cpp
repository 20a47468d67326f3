// libFuzzer target: bytes as a host may send them, in pieces. Build with clang and -DDATUM_FUZZ=ON; run
// without end.
#include <cstdint>
#include <string_view>

#include "tests/daemon/report/scpi_host.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static datum::testing::ScpiHost host;
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  while (!bytes.empty()) {  // the first byte of a piece gives its length
    const auto n = std::min<std::size_t>(bytes.size(), 1 + static_cast<unsigned char>(bytes.front()));
    host.raw(bytes.substr(0, n));
    bytes.remove_prefix(n);
  }
  host.cell.abort();
  host.session.instrument_changed();
  host.session.link_lost();
  return 0;
}
