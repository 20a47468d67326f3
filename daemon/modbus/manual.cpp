#include "daemon/modbus/manual.h"

#include <fmt/format.h>

#include <cstring>

#include "daemon/modbus/register_map.h"
#include "daemon/text/roff.h"

namespace datum::modbus {
namespace {

std::string meanings_of(const Register& r) {
  std::string text;
  for (const auto* table : {&bit_meanings(), &value_meanings()})
    for (const Meaning& m : *table)
      if (std::strcmp(m.of, r.name) == 0)
        text += fmt::format("\n{} {}{}{}", m.number, m.name, *m.text ? ": " : "", m.text);
  return text;
}

void registers(Roff& page, const std::vector<Register>& table, const std::string& plus) {
  for (const Register& r : table) {
    const std::string place =
        r.count == 1 ? fmt::format("{}{}", plus, r.address)
                     : fmt::format("{}{} to {}{}", plus, r.address, plus, r.address + r.count - 1);
    page.item(fmt::format("{} {}", place, r.name),
              fmt::format("{}{}{}{}", name_of(r.type), *r.unit ? " in " : "", r.unit,
                          r.access == Access::write ? ", written" : ""),
              (*r.text ? std::string(r.text) + "." : std::string("-")) + meanings_of(r));
  }
}

constexpr const char* order =
    "READY -> TRIGGER rises -> RESULT_ID, TRIGGER_ACK, BUSY -> TRIGGER falls -> TRIGGER_ACK falls\n"
    "  -> the result is stored -> RESULTS_VALID with PASS, FAIL, INCONCLUSIVE or INVALID\n"
    "  -> RESULTS_ACK rises -> RESULTS_VALID falls -> RESULTS_ACK falls -> READY";

void overview(Roff& page) {
  page.section("NAME").paragraph("datumd-modbus - the Modbus registers of datumd and the handshake of a PLC");
  page.section("LINKS")
      .paragraph(
          "Modbus TCP where the configuration has [host.modbus_tcp], port 1502, any unit identifier; RTU "
          "where it "
          "has [host.modbus_serial]. Function codes 1 to 6, 15 and 16; 3 and 4 read the same registers. A "
          "broadcast that writes is done, and not answered. Each link is served by a thread of its "
          "own, at "
          "most 500 requests a second; what comes faster waits.")
      .paragraph(
          "Addresses are those on the wire: the first register is 0. Values of several registers have the "
          "high "
          "word first. What one request reads is of one instant; read a value, and values that belong "
          "together, in "
          "one request. A text has one character a register and ends with 0.")
      .paragraph(
          "Exceptions: 1 another function, 2 registers that are not there, are only read, or a value of "
          "which a "
          "part would not be written, 3 a quantity or a value that means nothing, 4 datumd is ending, 6 it "
          "did not "
          "take the write within a second. A write that is answered by an exception changed nothing; one "
          "that is "
          "confirmed is done, and the next read shows what came of it.");
  page.section("HANDSHAKE")
      .paragraph("For cells whose trigger is bus. The signals are bits of CONTROL and STATUS.")
      .example(order)
      .paragraph(
          "TRIGGER while READY is 0, and RESULTS_ACK while RESULTS_VALID is 0, are ignored and named by "
          "FAULT_CODE. "
          "A result is shown under the RESULT_ID of its own trigger or not at all: the program of the PLC "
          "keeps the "
          "id that it read with TRIGGER_ACK, compares, and rejects a board without PASS under that id in "
          "time. A "
          "board that is aborted, or whose result cannot be stored, has FAULT_CODE BOARD_LOST and no result.")
      .paragraph(
          "RESET clears FAULT and the result that is shown; it stays in the store and in the FIFO. A "
          "heartbeat of "
          "the PLC that is lost takes READY away and is logged; a board in work is finished and stored.");
  page.section("FIFO").paragraph(
      "Each host has its own place in the stored results: over TCP the peer's address, so that it finds its "
      "place from any port, over a serial line the line. It goes on by writing ACK_SEQUENCE, never by a "
      "read, "
      "and is kept over a restart; after a power cut results may be shown again whose acknowledgement it "
      "took. "
      "A host that never acknowledged begins with the oldest stored result; to begin with what comes, write "
      "STORE_LAST to ACK_SEQUENCE. A result that was taken in the handshake is acknowledged with it, unless "
      "an "
      "older one was not. Retention keeps what a host that acknowledges has not acknowledged up to twice its "
      "limits; "
      "FIFO_LOST tells of more.");
}

}  // namespace

std::string manual_page(const std::string& version) {
  Roff page("DATUMD-MODBUS", 7, "datumd " + version, "datumd manual");
  overview(page);
  page.section("REGISTERS");
  registers(page, base_registers(), "");
  page.section("WINDOWS").paragraph(fmt::format(
      "Two windows of the same layout: from {} the result of the handshake, while RESULTS_VALID; from {} the "
      "oldest result that the host has not acknowledged. Offsets:",
      +at_result, +at_fifo));
  registers(page, window_registers(), "+");
  page.section("ROWS").paragraph(
      fmt::format("From +{} on, {} registers for each check, {} rows. Offsets in a row:", +in_first_row,
                  +row_size, +most_rows));
  registers(page, row_registers(), "+");
  page.section("SEE ALSO")
      .paragraph("datumd-protocol(7), datumctl(1). datumd --modbus-map prints this map as CSV.");
  return page.text();
}

}  // namespace datum::modbus
