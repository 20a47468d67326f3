#include "drivers/sensor/csv_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "drivers/frame/frame_error.h"

namespace datum {
namespace {

template <class T>
bool parse(std::string_view cell, T& value) {
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return error == std::errc{} && end == cell.data() + cell.size();
}

// A broken cell may contain anything; a message stays short and printable.
std::string quoted(std::string_view cell) {
  std::string text(cell.substr(0, 24));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return "'" + text + (cell.size() > 24 ? "...'" : "'");
}

}  // namespace

CsvLines::CsvLines(ByteView file, std::string name)
    : rest_(reinterpret_cast<const char*>(file.data()), file.size()), name_(std::move(name)) {}

bool CsvLines::next() {
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  line_ = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
  ++number_;
  return true;
}

void CsvLines::refuse(const std::string& what) const {
  throw FrameError(fmt::format("{}:{}: {}", name_, number_, what));
}

std::vector<std::string_view> CsvLines::cells() const {
  std::vector<std::string_view> cells;
  std::size_t begin = 0;
  for (std::size_t comma = 0; (comma = line_.find(',', begin)) != std::string_view::npos; begin = comma + 1) {
    cells.push_back(line_.substr(begin, comma - begin));
  }
  cells.push_back(line_.substr(begin));
  return cells;
}

double CsvLines::number(std::string_view cell, std::string_view what) const {
  double value = 0;
  if (!parse(cell, value) || !std::isfinite(value))
    refuse(fmt::format("{} is {}, not a number", what, quoted(cell)));
  return value;
}

std::int64_t CsvLines::integer(std::string_view cell, std::string_view what) const {
  std::int64_t value = 0;
  if (!parse(cell, value)) refuse(fmt::format("{} is {}, not a whole number", what, quoted(cell)));
  return value;
}

CsvTable::CsvTable(CsvLines& lines) : lines_(lines) {
  if (!lines.next()) lines.refuse("the file ends before a line of titles; export it again");
  titles_ = lines.cells();
  if (!lines.next()) lines.refuse("the file ends before the line of values; export it again");
  values_ = lines.cells();
  if (titles_.size() != values_.size()) {
    lines.refuse(fmt::format("{} values under {} titles", values_.size(), titles_.size()));
  }
}

std::string_view CsvTable::text(std::string_view title) const {
  const auto found = std::find(titles_.begin(), titles_.end(), title);
  if (found == titles_.end()) lines_.refuse(fmt::format("no column '{}' in the section above", title));
  return values_[static_cast<std::size_t>(found - titles_.begin())];
}

}  // namespace datum
