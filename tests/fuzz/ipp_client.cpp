// Lines of an I++ DME server to the client: a session, positions and touches, errors. 0xFF and the byte after it: an
// event, time passes.
#include "drivers/ipp/ipp_client.h"

#include <algorithm>
#include <cmath>

#include "drivers/cmm/presets.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;

static void happens(IppClient& client, char what, MonotonicNs now) {
  if ((what & 3) == 0) client.on_deadline(now);
  if ((what & 3) == 1) client.poll_soon(now);
  if ((what & 3) == 2) client.confirm();
  if ((what & 3) == 3) client.opened(now);
}

static void expect_sound(const ProbePoint& point) {
  if (point.state != ProbeState::ok) return fuzz::expect(!point.detail.empty(), "a fault has its reason");
  for (const double mm : point.position_mm) fuzz::expect(std::isfinite(mm), "a position is finite");
}

DATUM_FUZZ_TARGET(ipp_client) {
  static const CmmSettings settings = [] {
    CmmSettings s = ipp_dme();
    s.ipp.tool = "Probe1";
    return s;
  }();
  IppClient client(settings);
  MonotonicNs now = 1'000'000'000;
  client.opened(now);
  client.take_output(now);
  for (std::size_t at = 0; at < bytes.size();) {
    now += 50'000'000;
    const std::size_t end = std::min(bytes.find('\xFF', at), bytes.size());
    client.receive(reinterpret_cast<const std::uint8_t*>(bytes.data()) + at, end - at, now);
    if (end + 1 < bytes.size()) happens(client, bytes[end + 1], now += 3'000'000'000);
    at = end + 2;
    fuzz::expect(client.take_output(now).size() < 65536, "a few lines at a time");
    while (const auto point = client.next()) expect_sound(*point);
    while (const auto touch = client.next_touch()) expect_sound(*touch);
    client.take_notes();
  }
  client.describe();
}
