// datumctl(1), from the command line's own tree.
#pragma once

#include <string>

#include "daemon/ctl/command_line.h"

namespace datum {

/// Roff text of the page.
std::string manual_page(const CommandLine& line);

}  // namespace datum
