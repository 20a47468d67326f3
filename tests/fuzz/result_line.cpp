// Result lines for the host's parser.
#include "daemon/delivery/result_line.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;

static void read(std::string_view line) {
  try {
    parse_result_line(line);
  } catch (const std::runtime_error&) {
  }
}

DATUM_FUZZ_TARGET(result_line) {
  read(bytes);
  read(with_crc("R," + std::string(bytes), LineCheck::crc16));
  read(with_crc("R," + std::string(bytes), LineCheck::crc32));
  try {
    utc_us_from_iso8601(std::string(bytes));
  } catch (const std::invalid_argument&) {
  }
}
