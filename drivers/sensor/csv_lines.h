// Lines and cells of a CSV export, with their location for messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/sensor/file_bytes.h"

namespace datum {

class CsvLines {
 public:
  CsvLines(ByteView file, std::string name);

  /// Advances to the next line (LF or CR LF); false at the end of the file.
  bool next();
  std::string_view line() const { return line_; }
  /// Throws FrameError "FILE:LINE: what".
  [[noreturn]] void refuse(const std::string& what) const;

  /// Cells of the current line.
  std::vector<std::string_view> cells() const;
  /// The whole cell as a finite number or an integer; `what` names it in the refusal.
  double number(std::string_view cell, std::string_view what) const;
  std::int64_t integer(std::string_view cell, std::string_view what) const;

 private:
  std::string_view rest_, line_;
  std::string name_;
  int number_ = 0;
};

/// A line of titles and the following line of values.
class CsvTable {
 public:
  /// Reads both lines. Throws FrameError where they differ in length or are missing.
  explicit CsvTable(CsvLines& lines);
  std::string_view text(std::string_view title) const;
  double number(std::string_view title) const { return lines_.number(text(title), title); }
  std::int64_t integer(std::string_view title) const { return lines_.integer(text(title), title); }

 private:
  CsvLines& lines_;
  std::vector<std::string_view> titles_, values_;
};

}  // namespace datum
