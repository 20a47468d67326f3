// What the protocol is, and the lines that it goes over.
#include <fmt/format.h>

#include "daemon/manual/manual.h"
#include "daemon/scpi/scpi_framer.h"

namespace datum::manual {

std::vector<Section> links_sections() {
  return {
      {"NAME", {text("datumd-protocol - commands, answers and results of the inspection controller datumd")}},
      {"DESCRIPTION",
       {text("A host commands datumd in lines of SCPI-99 over IEEE 488.2, on the serial line of "
             "[host.serial] and on TCP "
             "(port 5025 unless [host.tcp] says otherwise; loopback unless it names an address). A whole "
             "board:"),
        verbatim("CONFigure:RECipe \"demo-board\"\n"
                 "INITiate\n"
                 "TRIGger;*OPC?\n"
                 "FETCh:BOARd?"),
        text("Nothing is defaulted or clipped: what is out of range, misspelt or ambiguous is refused, "
             "changes nothing, and "
             "is told by SYSTem:ERRor?. A doubtful measurement is INVALID with its reason, never a number "
             "that looks "
             "good.")}},
      {"LINES",
       {item("Messages",
             fmt::format(
                 "end with LF; a CR before it is taken for a blank. At most {} bytes without those of "
                 "blocks, and {} bytes of blocks. Several commands are separated by ';': after it a header "
                 "goes on at the level of the last word before, ':' goes back to the root.",
                 scpi::Framer::longest_message, scpi::Framer::longest_block)),
        item("Answers",
             "end with LF alone. Those of one message are one line, joined by ';'. A host that has read no "
             "answer "
             "loses none by a new message: answers are queued."),
        item("Serial",
             "8 data bits, no parity, 1 stop bit, 115200 baud unless configured otherwise; no software flow "
             "control, since blocks hold any byte. Set the same at the host. A byte that arrives damaged is "
             "seen "
             "as NUL and refused (-101)."),
        item("Blocks",
             "#, the number of length digits, the length, the bytes: #15bytes. Of unknown length (#0) they "
             "are "
             "refused, nothing could end them on these links."),
        item("Numbers",
             "decimal with exponent, or #H, #Q, #B. Answers: 9.91E37 is no number, 9.9E37 and -9.9E37 are no "
             "limit. "
             "A unit may stand behind: 3 MM, 3000 UM. Without one it is the unit that the parameter "
             "names.")}}};
}

}  // namespace datum::manual
