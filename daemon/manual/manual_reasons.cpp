// datumd-reasons(7), from the table of reasons.
#include <fmt/format.h>

#include "daemon/manual/manual.h"
#include "daemon/manual/reason_table.h"
#include "daemon/text/roff.h"

namespace datum::manual {

std::string reasons_page(const std::string& version) {
  Roff page("DATUMD-REASONS", 7, "datumd " + version, "datumd manual");
  page.section("NAME").paragraph("datumd-reasons - why a result of datumd is INVALID, and what to do");
  page.section("DESCRIPTION")
      .paragraph(
          "A component or a board that could not be measured beyond doubt is INVALID, and never PASS. The "
          "reason is "
          "a word that stays; the text beside it names the measured value, what is allowed and the key. "
          "FETCh:BOARd?, "
          "FETCh:COMPonents?, datumctl show, the journal (DATUM_REASON) and a register of Modbus tell it.");
  page.section("REASONS");
  for (const ReasonRow& row : reason_table()) {
    page.item(name_of(row.reason), "", row.meaning);
    page.more(fmt::format("Cause: {}", row.cause));
    page.more(fmt::format("Keys: {}.", row.keys));
    page.more(fmt::format("Remedy: {}", row.remedy));
  }
  page.section("SEE ALSO")
      .paragraph("datumctl(1), datumd(8), datumd.toml(5), datumd-protocol(7), datumd-modbus(7)");
  return page.text();
}

}  // namespace datum::manual
