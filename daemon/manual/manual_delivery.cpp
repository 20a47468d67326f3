// Results pushed and delivered without loss, and how long their lines take.
#include <fmt/format.h>

#include <array>

#include "daemon/manual/manual.h"

namespace datum::manual {
namespace {

constexpr std::array bauds{9600, 19200, 115200, 921600};
constexpr int summary_bytes = 120, row_bytes = 60, binary_bytes = 4;

/// With start and stop bit a byte is ten bits.
double line_ms(int bytes, int baud) { return bytes * 10 * 1e3 / baud; }

std::string arithmetic() {
  std::string table = fmt::format("{:>8} {:>14} {:>24} {:>24}\n", "baud", "summary 120 B",
                                  "100 rows of COMPonents?", "100 heights REAL,32");
  for (const int baud : bauds)
    table += fmt::format("{:>8} {:>11.1f} ms {:>21.1f} ms {:>21.1f} ms\n", baud, line_ms(summary_bytes, baud),
                         line_ms(100 * row_bytes, baud), line_ms(100 * binary_bytes, baud));
  return table;
}

}  // namespace

std::vector<Section> delivery_sections() {
  return {
      {"RESULTS",
       {text("A result is on the disk before it is told. After DATA:PUSH ON a link gets a line for each "
             "board:"),
        verbatim("R,<store id>,<sequence>,<utc "
                 "us>,<recipe>,<frame>,<decision>,<pass>,<inconclusive>,<fail>,<invalid>*<crc>"),
        text("<sequence> never repeats within a store; another <store id> means that numbers began anew, or "
             "that the "
             "store was put back from a copy and goes on with numbers above those that it gave before. The "
             "four counts are "
             "of components. <recipe> and <frame> are percent-encoded where they hold a separator. <crc> is "
             "CRC-16/MODBUS of "
             "all before the '*': 123456789 gives 4B37. What could not be sent is named by a line GAP."),
        text("A host that must not lose any says what it has seen, and acknowledges. Its own lines carry the "
             "same checksum; a "
             "line with a wrong one is dropped by either side and said again:"),
        verbatim(
            "host:    RESUME,-,0*6CDA                 everything; later RESUME,<store id>,<last sequence "
            "seen>\n"
            "datumd:  STORE,<store id>,1,17*<crc>     what there is\n"
            "datumd:  R,<store id>,1,...*<crc>        up to eight lines ahead of the acknowledgement\n"
            "host:    ACK,8*<crc>                     all up to 8 have arrived (NAK,5: send from 5 again)\n"
            "datumd:  HB,<store id>,17*<crc>          each second of silence; three missing: RESUME again\n"
            "datumd:  GAP,<store id>,<from>,<to>*<crc>  no longer stored; acknowledged like a result"),
        text("Unacknowledged lines come again after 2 s, then 4, 8 and 16 s, with the same sequence: drop "
             "one that you have "
             "seen. On a line that damages one byte in a hundred say RESUME with CRC-32 (eight digits, "
             "zlib's: 123456789 "
             "gives CBF43926); answers then carry it too. A host that polls uses DATA:ACK and DATA:NEXT? "
             "instead."),
        text("A store that was put back from a copy has another id. Say RESUME with the id that you know: "
             "STORE tells "
             "the new one, GAP under it covers what you have had under the former id, and the rest follows. "
             "DATA:ACK "
             "takes the id that you know too, and DATA:STORe:FORMer? tells it. A host that names the present "
             "id with "
             "a number that was never given shows that the store was set back; it then gets another id.")}},
      {"LINE TIME",
       {text("A byte with start and stop bit is ten bits, so a line of n bytes takes n * 10 / baud seconds; "
             "a summary "
             "line of 120 bytes at 115200 baud takes 10.4 ms. Details cost more: a row of FETCh:COMPonents? "
             "is about 60 bytes."),
        verbatim(arithmetic()),
        text("Let the line be pushed at each board and ask for details of those that are not PASS: at 115200 "
             "baud and a cycle "
             "of 1 s summaries take 1 % of the line, all rows of 100 components half of it. At 9600 baud "
             "they do not fit.")}}};
}

}  // namespace datum::manual
