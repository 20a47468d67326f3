// A table that a study reads: its text, and a line of it, for what is refused there.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "daemon/quality/study/gauge_data.h"

namespace datum::quality {

/// UTF-8 of a table, by its byte order mark or `encoding` (design::decoded_text). Throws StudyRefused.
std::string table_text(std::string_view csv, const std::string& encoding, const std::string& name);

class TableLine {
 public:
  /// The file's name outlives this object.
  TableLine(const std::string& file, int number) : file_(file), number_(number) {}
  /// Throws StudyRefused "FILE:LINE: what".
  [[noreturn]] void refuse(const std::string& what) const {
    throw StudyRefused(fmt::format("{}:{}: {}", file_, number_, what));
  }

 private:
  const std::string& file_;
  int number_;
};

}  // namespace datum::quality
