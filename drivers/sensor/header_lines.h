// Lines of a text header in front of data, with the place for messages.
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

  /// Steps to the next line (LF or CR LF); false where none ends within the header's length.
  bool next();
  std::string_view line() const { return line_; }
  /// Words of the present line, separated by blanks and tabs.
  std::vector<std::string_view> words() const;
  /// Where the next line begins: the data, after the header's last line.
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
