// Bounds of texts that leave the daemon: log, answers, text stored with a result. They contain text from
// files and peers, so length and characters are limited here.
#pragma once

#include <string>

namespace datum {

constexpr std::size_t max_text_bytes = 512;

/// The text if it has at most max_text_bytes; otherwise its beginning in whole UTF-8 characters and "... (N
/// bytes, FNV-1a 0123456789abcdef)" with the total length and the start of its hash.
std::string bounded_text(const std::string& text);

/// The same without terminal control: a C0 or C1 control character, DEL and invalid UTF-8 become '?', a line
/// end becomes a blank. For lines that are displayed without escaping.
std::string printable_text(const std::string& text);

}  // namespace datum
