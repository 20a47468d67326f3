// The check digits of a line: what they must be, and whether they are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "drivers/cmm/settings.h"

namespace datum {

/// Check digits for `text`, as they stand on the line; of xor_byte the byte itself. Empty for none.
std::string check_digits(std::string_view text, Integrity integrity);

/// Takes the check digits off `text`; returns what is wrong with them, empty where nothing is. Those of
/// xor_byte stand behind the terminator: see LineFramer.
std::string strip_check_digits(std::string& text, Integrity integrity);

}  // namespace datum
