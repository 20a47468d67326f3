// Log lines for the journal: one line each, with its priority where the journal reads them.
#pragma once

#include <fmt/format.h>

#include <string>

namespace datum {

enum class Priority { error = 3, warning = 4, notice = 5, info = 6, debug = 7 };

/// Writes one line to standard error; under the journal with the "<N>" prefix that sets its priority.
void log_line(Priority priority, const std::string& text);

template <class... Args>
void log(Priority priority, fmt::format_string<Args...> text, Args&&... args) {
  log_line(priority, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace datum
