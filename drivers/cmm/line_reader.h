// LineReader: one line -> what it says, by whatever layout the settings name. It holds what a device must be
// remembered for between lines.
#pragma once

#include <optional>

#include "drivers/cmm/grbl_line.h"
#include "drivers/cmm/line_framer.h"
#include "drivers/cmm/line_pattern.h"
#include "drivers/cmm/line_reading.h"

namespace datum {

class LineReader {
 public:
  /// `settings` as check() accepts them.
  explicit LineReader(const CmmSettings& settings);

  LineReading read(const Line& line);
  GrblReader& grbl() { return grbl_; }
  const GrblReader& grbl() const { return grbl_; }

 private:
  LineReading by_layout(std::string_view line);

  CmmSettings settings_;
  GrblReader grbl_;
  std::optional<LinePattern> pattern_;
};

}  // namespace datum
