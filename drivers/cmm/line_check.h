// Check digits of a line: computation and verification.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "drivers/cmm/settings.h"

namespace datum {

/// Check digits for `text` as sent; for xor_byte the byte itself. Empty for none.
std::string check_digits(std::string_view text, Integrity integrity);

/// Removes the check digits from `text`; returns their fault, or empty. Those of xor_byte follow the
/// terminator: see LineFramer.
std::string strip_check_digits(std::string& text, Integrity integrity);

}  // namespace datum
