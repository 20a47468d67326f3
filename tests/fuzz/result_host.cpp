// Lines of the daemon to a lossless host: each result once, in order.
#include "daemon/ctl/result_host.h"

#include "tests/fuzz/fuzz_target.h"

using namespace datum;

/// Lines that begin with a blank get a valid checksum, which a fuzzer does not find.
static std::string checked(std::string_view line) {
  return line.substr(0, 1) == " " ? with_crc(std::string(line.substr(1)), LineCheck::crc32)
                                  : std::string(line);
}

DATUM_FUZZ_TARGET(result_host) {
  ResultHost host(bytes.empty() || bytes.front() < ' ' ? std::nullopt : std::optional<std::uint64_t>(0));
  MonotonicNs now = 0;
  host.connected(now);
  std::uint64_t last = 0;
  while (!bytes.empty()) {
    const auto end = std::min(bytes.find('\n'), bytes.size());
    host.take(checked(bytes.substr(0, end)), now += 100'000'000);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (now >= host.deadline()) host.on_deadline(now);
    for (const auto& event : host.events()) {
      if (event.kind == DeliveryEvent::Kind::store) {
        last = 0;
      } else {
        const bool gap = event.kind == DeliveryEvent::Kind::gap;
        const std::uint64_t to = gap ? event.to : event.result.sequence;
        fuzz::expect(to > last, "each result once, in order");
        last = to;
      }
    }
    fuzz::expect(host.to_daemon().size() < 4096, "a few words for each line");
  }
}
