#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "daemon/batch/batch_plan.h"

namespace datum {
namespace {

double number_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    throw std::runtime_error(fmt::format("'{}' is no number such as 120.5", text));
  return value;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');) fields.push_back(field);
  return fields;
}

StagePosition position_in(const std::vector<std::string>& fields) {
  if (fields.size() != 4 && fields.size() != 7)
    throw std::runtime_error(fmt::format(
        "{} fields; allowed: FRAME,X_MM,Y_MM,Z_MM or the same with A_DEG,B_DEG,C_DEG", fields.size()));
  StagePosition position;
  for (std::size_t i = 0; i < 3; ++i) position.mm.at(i) = number_of(fields[1 + i]);
  if (fields.size() == 4) return position;
  position.head_deg.emplace();
  for (std::size_t i = 0; i < 3; ++i) position.head_deg->at(i) = number_of(fields[4 + i]);
  return position;
}

}  // namespace

std::map<std::string, StagePosition> positions_from_text(const std::string& text, const std::string& name) {
  std::map<std::string, StagePosition> positions;
  std::istringstream in(text);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.starts_with('#')) continue;
    try {
      const auto fields = fields_of(line);
      if (!positions.emplace(fields.at(0), position_in(fields)).second)
        throw std::runtime_error(fmt::format("a second position of '{}'", fields[0]));
    } catch (const std::exception& error) {
      throw std::runtime_error(fmt::format("{}:{}: {}", name, number, error.what()));
    }
  }
  return positions;
}

}  // namespace datum
