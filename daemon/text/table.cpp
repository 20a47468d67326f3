#include "daemon/text/table.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

namespace datum {
namespace {

const char* escape_of(Ink ink) {
  switch (ink) {
    case Ink::green:
      return "\x1b[32m";
    case Ink::yellow:
      return "\x1b[33m";
    case Ink::red:
      return "\x1b[1;31m";
    case Ink::magenta:
      return "\x1b[35m";
    case Ink::plain:
      break;
  }
  return "";
}

/// Text of a file name or a device must not move the cursor.
std::string printable(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = '?';
  return text;
}

}  // namespace

std::size_t display_width(const std::string& text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool continues = (byte & 0xC0) == 0x80;
    // U+0300 to U+036F, approximately.
    const bool combining = (byte == 0xCC || byte == 0xCD) && i + 1 < text.size();
    if (!continues && !combining) ++width;
  }
  return width;
}

void Table::add(std::vector<Cell> row) {
  if (row.size() != columns_.size())
    throw std::invalid_argument(
        fmt::format("a row of {} cells in a table of {} columns", row.size(), columns_.size()));
  for (auto& cell : row) cell.text = printable(std::move(cell.text));
  rows_.push_back(std::move(row));
}

std::string Table::text(bool colour) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = display_width(columns_[c].name);
    for (const auto& row : rows_) width = std::max(width, display_width(row[c].text));
    widths.push_back(width);
  }
  std::string out;
  const auto line = [&](const auto& cell_of) {
    std::string text;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const Cell cell = cell_of(c);
      const std::string pad(widths[c] - display_width(cell.text), ' ');
      const bool inked = colour && cell.ink != Ink::plain;
      const std::string body = inked ? escape_of(cell.ink) + cell.text + "\x1b[0m" : cell.text;
      text += (c ? "  " : "") + (columns_[c].align == Align::right ? pad + body : body + pad);
    }
    out += text.erase(text.find_last_not_of(' ') + 1) + '\n';
  };
  line([&](std::size_t c) { return Cell{columns_[c].name}; });
  line([&](std::size_t c) { return Cell{std::string(widths[c], '-')}; });
  for (const auto& row : rows_) line([&](std::size_t c) { return row[c]; });
  return out;
}

bool wants_colour(std::FILE* out) {
  const char* no = std::getenv("NO_COLOR");  // https://no-color.org
  // stdout may be a filter stream in front of the terminal, which has no descriptor.
  const int fd = out == stdout ? STDOUT_FILENO : fileno(out);
  return isatty(fd) == 1 && (!no || *no == 0);
}

std::string shown_number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? fmt::format("{:.3f}", *value) : "-";
}

}  // namespace datum
