// Percent encoding of texts within lines of fields (RFC 3986, section 2.1).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace datum {

/// Blanks, control characters, bytes above 126, '%' and `separators` become %XX.
std::string percent_encoded(std::string_view text, std::string_view separators = "");
/// None where a '%' is not followed by two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace datum
