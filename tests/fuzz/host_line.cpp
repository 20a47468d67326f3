// Lines of a host about its results: RESUME, ACK, NAK, STOP.
#include "daemon/delivery/host_line.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;

static void read(std::string_view line) {
  try {
    const HostLine said = parse_host_line(line);
    fuzz::expect(said.kind != HostLine::Kind::stop || said.sequence == 0, "STOP carries no number");
  } catch (const std::runtime_error&) {
  }
}

DATUM_FUZZ_TARGET(host_line) {
  is_host_line(bytes);
  read(bytes);
  // With a valid checksum, which a fuzzer does not find.
  read(with_crc(std::string(bytes), LineCheck::crc16));
  read(with_crc(std::string(bytes), LineCheck::crc32));
}
