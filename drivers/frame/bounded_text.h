// Texts that leave the daemon: its log, its answers, what it keeps with a result. Their words come in part from files and
// peers, so their length and their characters are bounded here, in one place.
#pragma once

#include <string>

namespace datum {

constexpr std::size_t max_text_bytes = 512;

/// The text where it has at most max_text_bytes; otherwise as much of its beginning as fits, whole characters of UTF-8, and
/// then "... (N bytes, FNV-1a 0123456789abcdef)" with the length of all of it and the beginning of its hash.
std::string bounded_text(const std::string& text);

/// The same without characters that steer a terminal: a control character of C0 or C1, DEL and what is no UTF-8 become '?',
/// a line's end becomes a blank. For lines that are read where nobody unescapes them.
std::string printable_text(const std::string& text);

}  // namespace datum
