// Rows of a centroid file before a dialect gives them their meaning.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "daemon/design/centroid.h"

namespace datum::design::centroid {

enum class Dialect : std::uint8_t { kicad, altium, eagle, allegro, jlc, librepcb, diptrace };
const char* name_of(Dialect dialect);

enum Column : std::uint8_t { reference, value, package, x, y, rotation, side, pad_x, pad_y, kind, columns };

struct Row {
  int line = 0;
  std::array<std::string, columns> fields;
};

struct Table {
  Dialect dialect = Dialect::kicad;
  std::vector<Row> rows;
  std::array<bool, columns> has{};
  std::string unit;  // of the whole table: header, preamble; empty: values state it, or nobody
  bool decimal_comma = false;
  std::optional<Side> side;  // of the whole table
};

/// Throws DesignError.
Table read_table(const std::string& text, const std::string& name, const CentroidOptions& options);

}  // namespace datum::design::centroid
