// Reader of IPC-2581 (revisions A to C).
#pragma once

#include <string>
#include <string_view>

#include "daemon/design/design.h"

namespace datum::design {

/// Bytes of a file at most; consortium files reach 59 MB.
constexpr std::size_t max_xml_bytes = std::size_t{256} << 20;
constexpr int max_xml_depth = 64;

/// `name` is the file's name in messages. Throws DesignError: no IPC-2581, XML that is damaged or too deep, a missing or
/// ill-formed value, pins that no transform fits to the pads.
Design read_ipc2581(std::string_view text, const std::string& name);

}  // namespace datum::design
