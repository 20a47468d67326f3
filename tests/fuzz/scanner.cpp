// A scanner's line: two framings, plain and ISO/IEC 15434. No number that is passed on has a control character or is too long.
#include "drivers/scanner/iso15434.h"
#include "drivers/scanner/scan_framer.h"
#include "drivers/scanner/settings.h"
#include "tests/fuzz/fuzz_target.h"

DATUM_FUZZ_TARGET(scanner) {
  if (bytes.empty()) return;
  datum::ScannerSettings settings;
  if (bytes.front() & 1) settings.format = datum::ScanFormat::iso15434;
  datum::ScanFramer framer(bytes.front() & 2 ? "\x02" : "", bytes.front() & 4 ? "\x03" : "\r", 100);
  std::size_t at = 1;
  for (datum::MonotonicNs now = 0; at < bytes.size(); now += bytes[at] & 0x7F) {
    const std::size_t size = 1 + static_cast<unsigned char>(bytes[at]) % 31;
    for (const datum::Scan& scan : framer.receive(bytes.substr(at, size), now)) {
      const datum::ScannedSerial read = datum::serial_of(scan.bytes, settings);
      datum::fuzz::expect(read.text.empty() || read.fault.empty(), "a fault has no number");
      datum::fuzz::expect(read.text.size() <= datum::most_serial_characters, "a number is short");
      for (const char c : read.text) datum::fuzz::expect(c >= ' ' && c <= '~', "a number is printable");
    }
    at += size;
    if (at >= bytes.size()) break;
  }
  const datum::Iso15434 whole = datum::parse_iso15434(bytes);
  datum::fuzz::expect(whole.fault.empty() || whole.fields.empty(), "a fault has no fields");
}
