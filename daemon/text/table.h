// Tables for people: aligned columns, and colour only on a terminal.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace datum {

/// Colours of a cell; they never carry information beyond its text.
enum class Ink : std::uint8_t { plain, green, yellow, red, magenta };

struct Cell {
  std::string text;  // UTF-8; line ends and other controls appear as '?'
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
  /// `row` has one cell per column; throws std::invalid_argument otherwise.
  void add(std::vector<Cell> row);
  /// A header line, a rule, a line per row; two blanks between columns, no trailing blanks.
  std::string text(bool colour) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// True: a terminal, and NO_COLOR is not set.
bool wants_colour(std::FILE* out);

/// Three decimals for um and mm, with trailing zeros, for aligned columns; "-" for none.
std::string shown_number(const std::optional<double>& value);

/// Columns of UTF-8 text on a terminal: code points without combining marks.
std::size_t display_width(const std::string& text);

}  // namespace datum
