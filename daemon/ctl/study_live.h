// Studies measured through the cell: commands start, next and status.
#pragma once

#include "daemon/ctl/command_line.h"

namespace datum {

void add_live_study_commands(CommandLine& line, CLI::App& study);

}  // namespace datum
