#include "daemon/scpi/scpi_answer.h"

#include <fmt/format.h>

#include <cmath>

#include "daemon/scpi/scpi_pattern.h"

namespace datum::scpi {

std::string block(const std::string& bytes) {
  const std::string length = fmt::format("{}", bytes.size());
  return fmt::format("#{}{}", length.size(), length) + bytes;
}

std::string number(double value) {
  if (std::isnan(value)) return "9.91E37";
  if (std::isinf(value)) return value > 0 ? "9.9E37" : "-9.9E37";
  return upper(fmt::format("{}", value));
}

std::string lower_limit(const std::optional<double>& limit) { return limit ? number(*limit) : "-9.9E37"; }
std::string upper_limit(const std::optional<double>& limit) { return limit ? number(*limit) : "9.9E37"; }

}  // namespace datum::scpi
