// What other programs say, on its way to a terminal: a terminal obeys control characters, so that a daemon, a device or a
// file's name could write over what was shown before, hide it, or type for the operator.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace datum {

/// A stream of UTF-8 as a terminal may have it. Line feeds, tabs and the colours of Table pass; other control characters
/// (C0, DEL, C1), characters that turn the direction of text, and bytes that are no UTF-8 are shown as \xHH.
class TerminalText {
 public:
  /// What may be shown now; a character that has only begun waits for its rest.
  std::string pass(std::string_view bytes);
  /// What waited, when nothing follows.
  std::string end();

 private:
  std::string rest_;
};

/// From here on what is printed to `stream` goes through TerminalText, where `fd` is a terminal; otherwise it goes as it is.
void guard_terminal(std::FILE*& stream, int fd);

}  // namespace datum
