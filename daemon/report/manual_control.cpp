// Several hosts at once, and those that speak something else.
#include "daemon/report/manual.h"

namespace datum::manual {

std::vector<Section> control_sections() {
  return {
      {"SEVERAL HOSTS",
       {text("Every host has its own errors, registers, number forms and acknowledged results. While nobody "
             "has control "
             "each of them commands. One that has it by SYSTem:LOCK:REQuest? keeps the others to reading, to "
             "what is set for "
             "their own link, and to ABORt, which makes no result; what else they try is refused with -203. "
             "Control ends by "
             "SYSTem:LOCK:RELease and with the link. control = \"serial\" under [host] reserves it for a "
             "link: others take it "
             "by SYSTem:LOCK:FORCe alone. Who changes the cell is in the log."),
        text("allow under [host.tcp] names the addresses that may connect; without it everybody who reaches "
             "the address may. One "
             "host more than most_connections is told so by a line REFUSED and closed. A host that sends "
             "faster than "
             "commands_per_second is slowed, none of its commands is lost.")}},
      {"OTHER PROTOCOLS",
       {item(
            "Gocator ASCII",
            "on TCP port 8190 ([host.gocator]) or a serial line (protocol = \"gocator_ascii\"): results as a "
            "Gocator sensor sends them, for a host that reads those. Without checksum and acknowledgement: "
            "a lost line shows only as a gap in the value of measurement 0, the number of the result."),
        item("Modbus",
             "TCP and RTU ([host.modbus_tcp], [host.modbus_serial]): registers, the handshake with a PLC, "
             "and a FIFO "
             "of results. datumd --modbus-map prints the map.")}}};
}

}  // namespace datum::manual
