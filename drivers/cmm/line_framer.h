// LineFramer: bytes -> lines, with the time of their first and last byte. No I/O, no clock.
#pragma once

#include <optional>
#include <string>

#include "drivers/cmm/settings.h"

namespace datum {

struct Line {
  std::string text;   // without start, STX, terminator and check digits
  std::string fault;  // why the line can't be read; then text is what is known of it
  MonotonicNs first_byte_ns = 0;
  MonotonicNs last_byte_ns = 0;
};

class LineFramer {
 public:
  LineFramer(const LineFraming& framing, Integrity integrity) : framing_(framing), integrity_(integrity) {}

  /// Forgets what has come. `mid_line`: the peer may be in the middle of a line, whose rest is skipped.
  void reset(bool mid_line);
  /// The line that this byte ends, or one that became too long with it. Empty lines are not lines.
  std::optional<Line> push(std::uint8_t byte, MonotonicNs at);

 private:
  std::optional<Line> finish(MonotonicNs at);
  bool terminated() const;

  LineFraming framing_;
  Integrity integrity_;
  std::string text_;
  MonotonicNs first_byte_ns_ = 0;
  bool started_ = false;   // the start character was seen
  bool skipping_ = false;  // to the next terminator
};

/// Takes the check digits off `text`; returns what is wrong with them, empty where nothing is.
std::string strip_check_digits(std::string& text, Integrity integrity);

/// `text` in quotes for a message: other than printable ASCII as \xNN, cut at 60 characters.
std::string in_quotes(std::string_view text);

}  // namespace datum
