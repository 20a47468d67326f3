// datumctl report spc, study.
#pragma once

#include "daemon/ctl/command_line.h"

namespace datum {

void add_quality_report_commands(CommandLine& line, CLI::App& report);

}  // namespace datum
