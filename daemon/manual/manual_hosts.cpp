// What host software has to be told.
#include "daemon/manual/manual.h"

namespace datum::manual {

std::vector<Section> host_sections() {
  return {
      {"HOSTS",
       {text("pyvisa has no read terminator of its own for sockets and serial lines: without one a query "
             "times out although "
             "its answer came. Over a serial line the resource is ASRL/dev/ttyUSB0::INSTR, with the baud "
             "rate set."),
        verbatim("cell = pyvisa.ResourceManager(\"@py\").open_resource(\"TCPIP0::127.0.0.1::5025::SOCKET\")\n"
                 "cell.read_termination = cell.write_termination = \"\\n\"\n"
                 "cell.timeout = 30_000  # ms\n"
                 "print(cell.query(\"*IDN?\"))"),
        text("Heights as numbers at once, most significant byte first as FORMat:BORDer NORMal sends them:"),
        verbatim(
            "cell.write(\"FORMat REAL,64\")\n"
            "heights_um = cell.query_binary_values(\"FETCh:HEIGht?\", datatype=\"d\", is_big_endian=True)"),
        text("A recipe to the cell, with the hash that shows a damaged line:"),
        verbatim("text = open(\"board.toml\", \"rb\").read()\n"
                 "head = b'MMEMory:DATA \"demo-board\",#6%06d' % len(text)\n"
                 "cell.write_raw(head + text + b',\"%s\"\\n' % hashlib.sha256(text).hexdigest().encode())"),
        text("DATA:PUSH OFF keeps result lines from coming between the answers. lxi-tools: lxi scpi -r -p "
             "5025 -a 127.0.0.1 "
             "\"*IDN?\".")}},
      {"SEE ALSO", {text("datumctl(1), the configuration's sample datumd.toml, which explains every key.")}}};
}

}  // namespace datum::manual
