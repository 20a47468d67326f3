// Reader of centroid (pick-and-place) files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "daemon/design/design.h"

namespace datum::design {

constexpr std::size_t max_centroid_bytes = std::size_t{64} << 20;

/// What a centroid file does not say of itself, by the engineer.
struct CentroidOptions {
  std::string dialect;   // "kicad", "altium", "eagle", "allegro", "jlc", "librepcb", "diptrace"; empty: found
  std::string encoding;  // empty: byte order mark or UTF-8
  std::string unit;      // "mm", "inch", "mil"; needed where neither header nor values state it
  std::optional<Side> side;  // of files with one side each and no column for it
  std::optional<std::pair<Point, Point>>
      outline;  // lower left corner in the file's coordinates and size, mm; these files have none
};

/// Components with places and rotations; no bodies, pads or outline of their own. Throws DesignError with line and column: a column
/// that is missing, a unit that cannot be told, a value that is no number, a reference twice, a table of no dialect or of two.
Design read_centroid(std::string_view bytes, const std::string& name, const CentroidOptions& options);

}  // namespace datum::design
