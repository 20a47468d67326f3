// datumctl report calibration.
#pragma once

#include "daemon/ctl/command_line.h"

namespace datum {

void add_calibration_report_command(CommandLine& line, CLI::App& report);

}  // namespace datum
