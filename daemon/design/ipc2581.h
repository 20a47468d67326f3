// Reader of IPC-2581 (revisions A to C).
#pragma once

#include <string>
#include <string_view>

#include "daemon/design/design.h"

namespace datum::design {

/// Bytes of a file at most; consortium files reach 59 MB.
constexpr std::size_t max_xml_bytes = std::size_t{256} << 20;
constexpr int max_xml_depth = 64;
/// The largest file of the consortium has some 1.3 million tags. An element takes 64 bytes of memory, an attribute 40.
constexpr std::size_t max_xml_tags = 8'000'000, max_xml_attributes = 20'000'000;

/// `name` is the file's name in messages. Throws DesignError: no IPC-2581, XML that is damaged or too deep, a missing or
/// ill-formed value, pins that no transform fits to the pads.
Design read_ipc2581(std::string_view text, const std::string& name);

}  // namespace datum::design
