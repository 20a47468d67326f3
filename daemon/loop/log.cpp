#include "daemon/loop/log.h"

#include <cstdio>
#include <cstdlib>

namespace datum {

namespace {

const char* prefix_of(Priority priority) {
  static const bool journal = std::getenv("JOURNAL_STREAM") != nullptr;
  switch (priority) {
    case Priority::error:
      return journal ? "<3>" : "error: ";
    case Priority::warning:
      return journal ? "<4>" : "warning: ";
    case Priority::notice:
      return journal ? "<5>" : "";
    case Priority::info:
      return journal ? "<6>" : "";
    case Priority::debug:
      return journal ? "<7>" : "debug: ";
  }
  return "";
}

}  // namespace

void log_line(Priority priority, const std::string& text) {
  std::string line = prefix_of(priority);
  for (const char c : text) line += c == '\n' ? ' ' : c;  // one event, one line
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace datum
