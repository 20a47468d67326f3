// Bytes of a host, in pieces, for a session with a test cell.
#include <algorithm>

#include "tests/daemon/scpi/scpi_host.h"
#include "tests/fuzz/fuzz_target.h"

DATUM_FUZZ_TARGET(scpi_session) {
  static datum::testing::ScpiHost host;
  while (!bytes.empty()) {  // the first byte of a piece is its length
    const auto n = std::min<std::size_t>(bytes.size(), 1 + static_cast<unsigned char>(bytes.front()));
    const std::string answers = host.raw(bytes.substr(0, n));
    datum::fuzz::expect(answers.empty() || answers.back() == '\n', "answers are whole lines");
    bytes.remove_prefix(n);
  }
  host.cell.abort();
  host.session.instrument_changed();
  host.answers();
  host.session.link_lost();
}
