// Who may command, what hosts are held to, and the language of hosts made for another sensor.
#include <fmt/format.h>

#include "daemon/hosts/command_server.h"
#include "daemon/manual/manual.h"

namespace datum::manual {
namespace {

std::string limits() {
  const CommandServerSettings tcp;
  return fmt::format(
      "TCP: {} connections; one more is told so by a line REFUSED,... and closed, so that a host at work is "
      "never thrown out. One that has said nothing for {} s makes room, by a line CLOSED,..., unless it has "
      "control, is sent results or waits for an answer. "
      "Each host: {} commands a second; what comes faster stays unread until its turn, and is executed. An "
      "address that is not "
      "in host.tcp.allow is closed without a word. A peer that lost its power is noticed after 11 s, or 60 s "
      "where something "
      "was on its way to it. Answers that nobody reads are dropped above {} MiB (-430); results that are "
      "delivered without "
      "loss then wait in the store.",
      tcp.most_connections, tcp.idle_s, tcp.commands_per_second, CommandLink::most_unsent / 1024 / 1024);
}

}  // namespace

std::vector<Section> control_sections() {
  return {
      {"CONTROL",
       {text("Every host has its own errors, registers, number forms and acknowledged results. While "
             "nobody has control every host commands. One that asked for it by "
             "SYSTem:LOCK:REQuest? keeps the others to "
             "reading, to what is their own link's, and to ABORt: they get -203 and the holder's name. "
             "ABORt is free because a "
             "stop makes no result, so no board passes by it. Control ends by SYSTem:LOCK:RELease and "
             "with the link. A cable "
             "that is pulled off a serial line ends no link: then SYSTem:LOCK:FORCe takes it, which is a "
             "warning in the log."),
        text(
            "[host] control = \"serial\" reserves control for a link, as for the PLC that runs the "
            "line: without asking it is "
            "the only one that commands, others take control by FORCe alone, for which their link needs "
            "role = \"configure\", and SYSTem:LOCK:REQuest? on that link gets it "
            "back from whoever has it. Each link of [host] has a role: \"read\" asks and is sent results; "
            "\"operate\" commands; \"configure\" also stores recipes and calibrations. TCP links operate and "
            "serial lines configure unless their table says otherwise; with [host.tcp.tls] each host of TCP "
            "proves who it is, and its certificate has the role (TLS in datumd(8)). Each command that "
            "changes the cell is "
            "in the log with the host's "
            "name, 20 at once and "
            "2 a second of one host; more are counted.")}},
      {"LIMITS", {text(limits())}},
      {"GOCATOR HOSTS",
       {text("On [host.gocator], TCP port 8190, and on a serial line with protocol = \"gocator_ascii\", "
             "the language is the ASCII "
             "protocol of Gocator sensors: Start (arm), Stop (ABORt), Trigger, LoadJob[,recipe], Stamp, "
             "Result[,id...], "
             "Value[,id...], Decision[,id...]; answers OK, OK,<data> and ERROR,<why>. Unless it is "
             "polled a line comes for each "
             "board:"),
        verbatim("M00,00,V17,D2,M02,01,V1160,D1,M02,02,V1190,D0,M02,03,VINVALID,D2"),
        text("M type, id, V value, D decision. Id 0 is the board, its value the result's sequence modulo "
             "10^9; then the rows of "
             "FETCh:COMPonents? in their order. Values are whole um, of a tilt mdeg, of a presence "
             "permille, of bow and twist thousandths of a percent. Decision 1 is PASS; "
             "0 FAIL, and INCONCLUSIVE too; 2 INVALID, without a number. This is the bit mask of the "
             "manuals of the 2300 and 3000 families: "
             "hosts of the 2000 family, for which 0 was pass, must not be connected. Type: 00 the board, "
             "01 mean, 02 median, 03 "
             "maximum, 04 minimum, 05 percentile, 06 top mean, 07 tilt, 08 presence; of a part "
             "compared with its model 09 profile, 0A largest, 0B least and 0C mean deviation, 0D "
             "flatness, 0E parallelism, 0F thickness; of the board's own form 10 bow, 11 twist, 12 peak to "
             "valley, 13 convexity, 14 flatness of the board under a component."),
        text("There is no checksum, no acknowledgement and nothing is sent again: a lost line is seen "
             "only by the board's value, "
             "which rises by one. Result, Value and Decision are refused while a board is measured, and "
             "until one is finished "
             "since this host's last Start, Trigger or LoadJob: the board before is never read for the "
             "one that lies there.")}},
      {"MODBUS",
       {text("TCP and RTU ([host.modbus_tcp], [host.modbus_serial]): registers, the handshake with a "
             "PLC, and a FIFO of results. "
             "datumd --modbus-map prints the map.")}}};
}

}  // namespace datum::manual
