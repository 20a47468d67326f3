// Text of a table that some program wrote: its encoding, its lines, its fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace datum::design {

/// UTF-8 of a file: by its byte order mark (UTF-8, UTF-16 of both orders), else `encoding` where it is named ("latin-1", "cp1252"
/// or any that iconv knows), else strict UTF-8. Throws DesignError that names the file and the first byte that does not fit.
std::string decoded_text(std::string_view bytes, const std::string& encoding, const std::string& name);

/// Fields of one line; quotes hide separators, doubled quotes are one. A blank as separator joins several. `quoted` fields keep
/// their blanks, others are trimmed.
std::vector<std::string> split_fields(std::string_view line, char separator);

/// `text` with A to Z as a to z.
std::string lower_case(std::string text);

}  // namespace datum::design
