#include "daemon/ctl/touch_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "drivers/frame/bounded_text.h"
#include "drivers/sensor/file_bytes.h"
#include "drivers/sensor/stored_number.h"

namespace datum {
namespace {

constexpr std::size_t most_touch_bytes = std::size_t{16} << 20;
constexpr double farthest_touch_mm = 1e5;

std::vector<std::string> touch_fields(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line + ",");
  for (std::string field; std::getline(in, field, ',');) {
    const auto from = field.find_first_not_of(" \t\r"), to = field.find_last_not_of(" \t\r");
    fields.push_back(from == std::string::npos ? "" : field.substr(from, to - from + 1));
  }
  return fields;
}

struct TouchLine {
  const std::string& file;
  std::size_t line = 0;
  [[noreturn]] void refuse(const std::string& what, const std::string& wanted) const {
    throw std::invalid_argument(
        fmt::format("{}:{}: {}; wanted: {}", file, line, bounded_text(printable_text(what)), wanted));
  }
};

double millimetres(const std::string& field, const TouchLine& at) {
  const auto value = number_in(field);
  if (!value || !(std::fabs(*value) <= farthest_touch_mm))
    at.refuse("'" + field + "'", "a number in mm with '.' as its decimal point, within 100 m");
  return *value;
}

}  // namespace

std::string text_of_file(const std::string& file) {
  const Bytes bytes = read_bytes(link_followed(file), most_touch_bytes);
  return {bytes.begin(), bytes.end()};
}

std::vector<ListedTouch> read_touches(const std::string& text, const std::string& file,
                                      const std::vector<std::string>& labels) {
  std::vector<std::string> wanted = labels;
  for (const char* axis : {"x_mm", "y_mm", "z_mm"}) wanted.emplace_back(axis);
  const std::string head = fmt::format("{}", fmt::join(wanted, ","));
  std::vector<std::size_t> column;
  std::vector<ListedTouch> touches;
  std::istringstream in(text);
  TouchLine at{file};
  for (std::string line; std::getline(in, line);) {
    ++at.line;
    const std::vector<std::string> fields = touch_fields(line);
    if (line.empty() || line[0] == '#' || (fields.size() == 1 && fields[0].empty())) continue;
    if (fields.size() != wanted.size())
      at.refuse(fmt::format("{} fields", fields.size()), fmt::format("{}: {}", wanted.size(), head));
    if (column.empty()) {
      for (const std::string& name : wanted) {
        const auto found = std::find(fields.begin(), fields.end(), name);
        if (found == fields.end()) at.refuse("no column " + name, "a head line " + head);
        column.push_back(static_cast<std::size_t>(found - fields.begin()));
      }
      continue;
    }
    ListedTouch touch;
    for (std::size_t k = 0; k < labels.size(); ++k) touch.labels.push_back(fields[column[k]]);
    for (std::size_t k = 0; k < 3; ++k)
      touch.tip_mm[static_cast<Eigen::Index>(k)] = millimetres(fields[column[labels.size() + k]], at);
    touches.push_back(std::move(touch));
  }
  if (touches.empty())
    throw std::invalid_argument(file + ": no touches; wanted: a head line " + head + ", then one a line");
  return touches;
}

}  // namespace datum
