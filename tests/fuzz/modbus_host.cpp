// Modbus requests: parsed, checked against the map, written to a host of the cell. Each has its length in front.
#include <algorithm>

#include "daemon/modbus/host.h"
#include "tests/daemon/scpi/fixture.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;
using namespace datum::modbus;

namespace {

struct Peer {
  datum::testing::FreshFolder folder;
  datum::testing::TestCell cell{folder / "results.db"};
  LockArbiter control{{}, [] { return MonotonicNs{0}; }, [](int, const std::string&) {}};
  CellView view{cell, control, [](int, const std::string&) {}, {}, {}, false};
};

void serve(Host& host, std::string_view pdu, MonotonicNs now) {
  const Request request = parse_request({reinterpret_cast<const std::uint8_t*>(pdu.data()), pdu.size()});
  if (request.refusal != Exception::none) return;
  if (!request.writes) {
    check_read(request);
  } else if (check_write(request) == Exception::none) {
    host.write(request, now);
  }
}

}  // namespace

DATUM_FUZZ_TARGET(modbus_host) {
  static Peer peer;
  Host host("modbus_tcp 10.0.0.2:1", 0, 0, peer.view);
  MonotonicNs now = 0;
  while (!bytes.empty()) {
    const auto n = std::min<std::size_t>(bytes.size() - 1, static_cast<unsigned char>(bytes.front()));
    serve(host, bytes.substr(1, n), now += 100'000'000);
    bytes.remove_prefix(1 + n);
  }
  host.image(now);
  peer.cell.abort();
  peer.cell.reset();
}
