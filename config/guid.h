// Identifiers of things by their content.
#pragma once

#include <string>
#include <string_view>

namespace datum {

/// GUID (version 8 of RFC 9562) from the SHA-256 of a text: the same text has the same one.
std::string guid_of(std::string_view text);

}  // namespace datum
