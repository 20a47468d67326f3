// datumctl study start: the plan of a study that the cell measures.
#pragma once

#include "daemon/ctl/command_line.h"

namespace datum {

void add_study_start(CommandLine& line, CLI::App& study);

}  // namespace datum
