// Bytes of a Gocator host, in pieces, for its session with a test cell.
#include <algorithm>

#include "daemon/gocator_ascii/gocator_session.h"
#include "tests/daemon/scpi/fixture.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;

DATUM_FUZZ_TARGET(gocator_host) {
  static const datum::testing::FreshFolder folder;
  static datum::testing::TestCell cell(folder / "results.db");
  static const bool measured = (cell.finish_board(datum::testing::board()), true);
  fuzz::expect(measured, "there is a result to be asked for");
  GocatorSettings settings;
  if (!bytes.empty()) {  // the first byte selects the configuration
    settings.terminator = bytes.front() & 1 ? "\r" : "\r\n";
    settings.format = bytes.front() & 2 ? std::string(bytes.substr(1, 64)) : "";
    bytes.remove_prefix(1);
  }
  GocatorSession session(cell, settings, "gocator 10.0.0.9:1053");
  while (!bytes.empty()) {  // the first byte of a piece is its length
    const auto n = std::min<std::size_t>(bytes.size(), 1 + static_cast<unsigned char>(bytes.front()));
    session.receive(bytes.substr(0, n));
    for (const std::string& line : session.take_answers()) {
      const bool known = line.rfind("OK", 0) == 0 || line.rfind("ERROR,", 0) == 0;
      fuzz::expect(known && line.ends_with(settings.terminator), "each answer is OK or ERROR and ended");
    }
    bytes.remove_prefix(n);
  }
  cell.who_did_what.clear();
  cell.abort();
}
