// What a host says of its results: RESUME, ACK, NAK, STOP.
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
  // With the checksum that belongs to it, which no fuzzer guesses.
  read(with_crc(std::string(bytes), LineCheck::crc16));
  read(with_crc(std::string(bytes), LineCheck::crc32));
}
