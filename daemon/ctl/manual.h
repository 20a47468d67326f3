// datumctl(1), from the tree of the command line.
#pragma once

#include <string>

#include "daemon/ctl/command_line.h"

namespace datum {

/// The page as roff text.
std::string manual_page(const CommandLine& line);

}  // namespace datum
