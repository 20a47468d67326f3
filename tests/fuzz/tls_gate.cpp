// Bytes of an unknown peer, in pieces, to the gate of a TLS server: without a certified key no connection is admitted,
// and none stays.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "daemon/hosts/tls_gate.h"
#include "tests/drivers/tls/tls_wire.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;

namespace {

constexpr MonotonicNs second_ns = 1'000'000'000;

struct Gate {
  datum::testing::TlsFiles files;
  int in = 0, out = 0;
  MonotonicNs now = 0;
  TlsGate gate{files.server,
               {datum::testing::tls_clock, [this] { return now; },
                [this](std::unique_ptr<Port>, const std::string&, const TlsIdentity&, MonotonicNs) { ++in; },
                [this](const std::string&, const std::string& why, MonotonicNs) {
                  ++out;
                  fuzz::expect(why.size() < 1500, "a refusal is short");
                },
                "REFUSED,host.tcp speaks TLS\r\n"}};
};

}  // namespace

DATUM_FUZZ_TARGET(tls_gate) {
  static Gate g;
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) return;
  const int before = g.out;
  g.now += second_ns;
  g.gate.enter(accepted_port(ends[0], "10.0.0.9:1"), "10.0.0.9:1", g.now);
  while (!bytes.empty()) {  // the first byte of a piece is its length
    const std::size_t wanted = 1 + std::size_t{8} * static_cast<unsigned char>(bytes.front());
    const std::size_t n = std::min(bytes.size() - 1, wanted);
    if (n > 0 && ::send(ends[1], bytes.data() + 1, n, MSG_NOSIGNAL) < 0) break;
    bytes.remove_prefix(1 + n);
    g.gate.on_ready(g.now);
  }
  ::close(ends[1]);
  g.gate.on_ready(g.now);
  g.gate.on_deadline(g.now += TlsGate::handshake_ns);
  fuzz::expect(g.in == 0, "nobody gets in without a key");
  fuzz::expect(g.gate.handshakes() == 0 && g.out == before + 1, "it is refused, once");
}
