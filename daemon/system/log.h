// The log: entries of the journal where systemd started the program, else lines on standard error.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace datum {

enum class Priority { error = 3, warning = 4, notice = 5, info = 6, debug = 7 };

/// Names of journal fields ("DATUM_LINK") with their values; one may come several times.
using LogFieldList = std::vector<std::pair<const char*, std::string>>;

/// Writes one line: where standard error is the journal's, as an entry with `fields`, and without them on standard error
/// where the journal does not take it: printable_text of it and of each field (with the "<N>" prefix of its priority). Never waits for the journal. From any thread.
void log_line(Priority priority, const std::string& text, const LogFieldList& fields = {});

/// Entries that the journal did not take.
std::uint64_t log_lines_lost();

template <class... Args>
void log(Priority priority, fmt::format_string<Args...> text, Args&&... args) {
  log_line(priority, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace datum
