// LineFramer: lines from bytes, with the times of their first and last byte. No I/O, no clock.
#pragma once

#include <optional>
#include <string>

#include "drivers/cmm/settings.h"

namespace datum {

struct Line {
  std::string text;   // without start, STX, terminator and check digits
  std::string fault;  // why the line is unreadable; `text` is then its known part
  MonotonicNs first_byte_ns = 0;
  MonotonicNs last_byte_ns = 0;
};

class LineFramer {
 public:
  LineFramer(const LineFraming& framing, Integrity integrity) : framing_(framing), integrity_(integrity) {}

  /// Clears the buffer. `mid_line`: the peer may be in the middle of a line, whose rest is skipped.
  void reset(bool mid_line);
  /// The line that this byte, the pause before it, or its excessive length ends. Empty lines are skipped.
  std::optional<Line> push(std::uint8_t byte, MonotonicNs at);
  /// Time at which a pause ends the current line; none: no pause ends lines, or no line has begun.
  std::optional<MonotonicNs> ends_by_pause() const;
  /// The line that the pause until `now` ends.
  std::optional<Line> pause(MonotonicNs now);
  /// No byte of a line is buffered.
  bool between_lines() const { return text_.empty() && !skipping_ && !check_due_; }

 private:
  std::optional<Line> take_check_byte(std::uint8_t byte, MonotonicNs at);
  std::optional<Line> too_long(MonotonicNs at);
  std::optional<Line> finish(MonotonicNs at, std::string check_fault = "");
  std::string fault_in(std::string& text) const;
  bool terminated() const;
  MonotonicNs pause_ns() const { return framing_.gap_ms * ns_per_ms; }

  LineFraming framing_;
  Integrity integrity_;
  std::string text_;
  MonotonicNs first_byte_ns_ = 0, last_byte_ns_ = 0;
  bool check_due_ = false;  // the terminator has arrived, its check byte has not
  bool started_ = false;    // the start character was seen
  bool skipping_ = false;   // up to the next terminator or pause
};

/// `text` in quotes for a message: non-printable characters as \xNN, at most 60 characters.
std::string in_quotes(std::string_view text);

}  // namespace datum
