// A known client's handshake of either version with bytes of its flights changed, omitted, inserted and repeated. The
// first byte selects the version, four more are a change: flight and kind, offset, value.
#include "tests/drivers/tls/raw_client.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;

namespace {

struct Change {
  unsigned flight, how;
  std::size_t at;
  unsigned char what;
};

void damage(std::string& flight, const Change& change) {
  if (flight.empty()) return;
  const std::size_t at = change.at % flight.size(), n = 1 + change.what % 64u;
  switch (change.how) {
    case 0:
      flight[at] = static_cast<char>(change.what);
      break;
    case 1:
      flight.erase(at, n);
      break;
    case 2:
      flight.insert(at, std::string(n, static_cast<char>(change.what)));
      break;
    default:
      flight += flight.substr(at);
  }
}

}  // namespace

DATUM_FUZZ_TARGET(tls_handshake) {
  if (bytes.empty()) return;
  static datum::testing::TlsFiles files;
  static const TlsClientSettings known = files.client("line-plc");
  static const auto context = TlsContext::of_server(files.server, datum::testing::tls_clock);
  datum::testing::Wire wire;
  TlsPort server(std::make_unique<datum::testing::WirePort>(wire, true), context);
  using datum::testing::RawClient;
  static const RawClient::Context contexts[]{RawClient::context_of(known, TLS1_3_VERSION),
                                             RawClient::context_of(known, TLS1_2_VERSION)};
  RawClient client(wire, *contexts[bytes.front() & 1]);
  try {
    for (unsigned flight = 0; flight < 4; ++flight) {
      client.shake();
      for (std::string_view rest = bytes.substr(1); rest.size() >= 4; rest.remove_prefix(4)) {
        const auto b = [&](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
        const Change change{b(0) & 3u, b(0) >> 2 & 3u, std::size_t{b(1)} << 8 | b(2), b(3)};
        if (change.flight == flight) damage(wire.to_server, change);
      }
      std::uint8_t read[64];
      const std::size_t n = server.read(read, sizeof read);
      fuzz::expect(n == 0, "the client said nothing yet");
    }
    if (server.connected())
      fuzz::expect(server.peer().name == "line-plc", "whoever gets in is who it proved to be");
  } catch (const RefusedError&) {
  } catch (const LostError&) {
  }
}
