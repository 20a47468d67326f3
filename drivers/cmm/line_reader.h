// LineReader: parses one line in the layout of the settings. It holds the device's state between lines.
#pragma once

#include <optional>

#include "drivers/cmm/grbl_line.h"
#include "drivers/cmm/line_framer.h"
#include "drivers/cmm/line_pattern.h"
#include "drivers/cmm/line_reading.h"

namespace datum {

class LineReader {
 public:
  /// `settings` must satisfy check().
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
