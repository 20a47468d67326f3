#include "daemon/system/log.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "daemon/system/journal.h"
#include "drivers/frame/bounded_text.h"

namespace datum {

namespace {

std::atomic<std::uint64_t> lost{0};

const char* prefix_of(Priority priority, bool journal) {
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

bool entered(Priority priority, const std::string& line, const LogFieldList& fields) {
  static const Journal journal;
  Journal::Fields all{{"MESSAGE", line},
                      {"PRIORITY", std::to_string(static_cast<int>(priority))},
                      {"SYSLOG_IDENTIFIER", program_invocation_short_name}};
  all.insert(all.end(), fields.begin(), fields.end());
  return journal.send(all);
}

}  // namespace

std::uint64_t log_lines_lost() { return lost; }

void log_line(Priority priority, const std::string& text, const LogFieldList& fields) {
  static const bool journal = Journal::has_standard_error(),
                    prefixed = std::getenv("JOURNAL_STREAM") != nullptr;
  std::string line = printable_text(text);  // one line per event
  LogFieldList bounded = fields;
  for (auto& [name, value] : bounded) value = printable_text(value);
  if (journal && entered(priority, line, bounded)) return;
  // The journal's end of standard error may be full too; a write would then wait.
  pollfd room{STDERR_FILENO, POLLOUT, 0};
  if (journal && (::poll(&room, 1, 0) != 1 || (room.revents & POLLOUT) == 0)) {
    ++lost;
    return;
  }
  line = prefix_of(priority, prefixed) + line + '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace datum
