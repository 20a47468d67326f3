// The status model, register by register.
#include "daemon/manual/manual.h"

namespace datum::manual {

std::vector<Section> status_sections() {
  return {
      {"STATUS",
       {text("Every link has its own registers. Enables decide what is summed up; events stay until they are "
             "read."),
        item("*STB?",
             "4 errors wait, 8 QUEStionable, 16 an answer waits, 32 *ESR?, 64 any of those that *SRE "
             "enables, 128 "
             "OPERation. There is no service request on these links: ask, or wait with *OPC?."),
        item("*ESR?",
             "1 *OPC is complete, 4 query error, 8 device error, 16 execution error, 32 command error, 128 "
             "power on. "
             "Its enable is *ESE."),
        item("STATus:OPERation",
             "1 calibrating, 8 acquiring (the sensor may expose), 16 measuring, 32 waiting for a trigger, "
             "256 a recipe is chosen, 512 CMM link up, 1024 sensor link up."),
        item("STATus:QUEStionable", "of the last board: 256 calibration, 512 pose, 1024 floor, 2048 frame."),
        text("A condition that comes is an event; PTRansition and NTRansition choose coming and going. *OPC, "
             "*OPC? and *WAI "
             "wait for a board, a calibration's or a hole's step, and a replay. After *OPC? further commands "
             "are executed, "
             "so that ABORt works, and answered behind its 1; *WAI holds everything behind it.")}}};
}

}  // namespace datum::manual
