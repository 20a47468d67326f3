// Lines of a text header in front of data, with their location for messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "drivers/sensor/file_bytes.h"

namespace datum {

class HeaderLines {
 public:
  /// At most `longest` bytes of `file` are header.
  HeaderLines(ByteView file, std::string name, std::size_t longest = 65536);

  /// Advances to the next line (LF or CR LF); false where none ends within the header's length.
  bool next();
  std::string_view line() const { return line_; }
  /// Words of the current line, separated by blanks and tabs.
  std::vector<std::string_view> words() const;
  /// Offset of the next line: of the data, after the header's last line.
  std::size_t at() const { return at_; }
  /// Throws FrameError "FILE:LINE: what".
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  std::string_view text_, line_;
  std::string name_;
  std::size_t at_ = 0;
  int number_ = 0;
};

/// Words of a text, separated by blanks and tabs.
std::vector<std::string_view> words_of(std::string_view text);

}  // namespace datum
