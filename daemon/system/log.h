// The log: journal entries where systemd started the program, else lines on standard error.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace datum {

enum class Priority { error = 3, warning = 4, notice = 5, info = 6, debug = 7 };

/// Names of journal fields ("DATUM_LINK") with their values; a name may repeat.
using LogFieldList = std::vector<std::pair<const char*, std::string>>;

/// Writes one line after printable_text(). Where standard error is the journal's, it writes an entry with `fields`. Where
/// the journal refuses it, or elsewhere, it writes to standard error, with the "<N>" prefix of the priority. Never waits
/// for the journal. Any thread may call it.
void log_line(Priority priority, const std::string& text, const LogFieldList& fields = {});

/// Number of entries that the journal refused.
std::uint64_t log_lines_lost();

template <class... Args>
void log(Priority priority, fmt::format_string<Args...> text, Args&&... args) {
  log_line(priority, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace datum
