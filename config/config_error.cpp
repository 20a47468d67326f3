#include <cmath>
#include <sstream>

#include "config/toml_reader.h"

namespace datum::config {

namespace {

std::string message(const Location& where, const std::string& key, const std::string& problem,
                    const std::string& allowed) {
  std::string text = where.file;
  if (where.line > 0) text += ":" + std::to_string(where.line) + ":" + std::to_string(where.column);
  text += ": ";
  if (!key.empty()) text += key + ": ";
  text += problem;
  if (!allowed.empty()) text += "; allowed: " + allowed;
  return text;
}

}  // namespace

std::string shown(double value) {
  std::ostringstream out;
  out.precision(15);
  out << value;
  return out.str();
}

std::string shown(Range range) {
  const bool open_zero = range.min == positive.min;
  const std::string low = open_zero ? "more than 0" : "at least " + shown(range.min);
  const bool has_low = open_zero || std::isfinite(range.min);
  if (has_low && std::isfinite(range.max)) {
    return open_zero ? low + " and at most " + shown(range.max)
                     : "from " + shown(range.min) + " to " + shown(range.max);
  }
  if (std::isfinite(range.max)) return "at most " + shown(range.max);
  return has_low ? low : "any finite number";
}

ConfigError::ConfigError(Location where, std::string key, const std::string& problem,
                         const std::string& allowed)
    : std::runtime_error(message(where, key, problem, allowed)),
      where_(std::move(where)),
      key_(std::move(key)),
      problem_(problem),
      allowed_(allowed) {}

}  // namespace datum::config
