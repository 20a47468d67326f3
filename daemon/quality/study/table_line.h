// A line of a table that a study reads, for what is refused there.
#pragma once

#include <fmt/format.h>

#include <string>

#include "daemon/quality/study/gauge_data.h"

namespace datum::quality {

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
