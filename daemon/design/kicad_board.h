// Reader of KiCad boards (.kicad_pcb), versions 5 to 9.
#pragma once

#include <string>
#include <string_view>

#include "daemon/design/design.h"

namespace datum::design {

/// `name` is the file's name in messages. Throws DesignError: not a KiCad board, another version, a missing or ill-formed value,
/// an open outline.
Design read_kicad_board(std::string_view text, const std::string& name);

}  // namespace datum::design
