// Tables for people: aligned columns, colour only where a terminal reads them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace datum {

/// Colours that a cell may have; they never carry what its text does not say.
enum class Ink : std::uint8_t { plain, green, yellow, red, magenta };

struct Cell {
  std::string text;  // UTF-8; line ends and other controls are shown as '?'
  Ink ink = Ink::plain;
};

class Table {
 public:
  enum class Align : std::uint8_t { left, right };
  struct Column {
    std::string name;
    Align align = Align::left;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// As many cells as columns; throws std::invalid_argument otherwise.
  void add(std::vector<Cell> row);
  /// A line of names, a rule, a line per row; two blanks between columns, none at a line's end.
  std::string text(bool colour) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// A terminal, and NO_COLOR is not set.
bool wants_colour(std::FILE* out);

/// Three decimals for um and mm, trailing zeros kept, so that columns line up; "-" where there is no number.
std::string shown_number(const std::optional<double>& value);

/// Columns that a terminal needs for UTF-8 text: code points, combining marks not counted.
std::size_t display_width(const std::string& text);

}  // namespace datum
