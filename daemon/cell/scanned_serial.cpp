// A scan's way into the cell.
#include <fmt/format.h>

#include "daemon/cell/cell.h"
#include "daemon/inspection/verdict/serial_evidence.h"
#include "daemon/instrument/scpi_error.h"

namespace datum {

void InspectionCell::take_scan(const ScannedSerial& scan, const std::string& read_hex, MonotonicNs now) {
  std::string fault = scan.fault;
  if (fault.empty() && scan.text.starts_with(unknown_serial))
    fault = fmt::format("'{}' is a number that datumd gives boards without one", scan.text);
  SerialBinding& serials = orders_.serials();
  const SerialBinding::Scan kind =
      fault.empty() ? serials.scan(scan.text, read_hex, now, busy()) : serials.scan_failed(fault, now);
  switch (kind) {
    case SerialBinding::Scan::taken:
      return boards_.unit_stated();
    case SerialBinding::Scan::repeated:
      return;
    case SerialBinding::Scan::late:
      return events_.raise(
          scpi::data_corrupt_or_stale,
          fmt::format("scan {} came after the trigger of a board without number and may be that "
                      "board's (scanner.late_ms); it is refused: scan before the trigger",
                      scan.text));
    case SerialBinding::Scan::doubtful:
      return events_.raise(
          scpi::data_corrupt_or_stale,
          fmt::format("the next board will be INVALID (SERIAL): {}; CONFigure:UNIT \"\" takes the "
                      "numbers back",
                      serials.doubt()));
    case SerialBinding::Scan::refused:
      return events_.raise(scpi::data_corrupt_or_stale, "scan refused: " + fault);
  }
}

}  // namespace datum
