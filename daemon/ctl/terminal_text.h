// Filters foreign text for a terminal. A terminal obeys control characters, so a daemon, a device or a file name could
// overwrite or hide shown text, or type for the operator.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace datum {

/// A stream of UTF-8 that is safe on a terminal. Line feeds, tabs and the colours of Table pass. Other control characters
/// (C0, DEL, C1), characters that change the text direction, and invalid UTF-8 become \xHH.
class TerminalText {
 public:
  /// The safe text so far; an incomplete character waits for its remaining bytes.
  std::string pass(std::string_view bytes);
  /// The waiting bytes at the end of the stream.
  std::string end();

 private:
  std::string rest_;
};

/// From now on output to `stream` passes TerminalText where `fd` is a terminal.
void guard_terminal(std::FILE*& stream, int fd);

}  // namespace datum
