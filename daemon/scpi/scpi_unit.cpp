#include "daemon/scpi/scpi_unit.h"

#include <fmt/format.h>

#include "daemon/instrument/scpi_error.h"

namespace datum::scpi {
namespace {

/// base = factor * (value - zero)
struct Suffix {
  Dimension dimension;
  const char* name;
  double factor, zero = 0;
};

// "M" is the metre: a prefix precedes a unit, and milli alone is no unit.
constexpr Suffix units[] = {
    {Dimension::seconds, "S", 1},
    {Dimension::seconds, "MS", 1e-3},
    {Dimension::seconds, "US", 1e-6},
    {Dimension::seconds, "NS", 1e-9},
    {Dimension::millimetres, "MM", 1},
    {Dimension::millimetres, "UM", 1e-3},
    {Dimension::millimetres, "NM", 1e-6},
    {Dimension::millimetres, "M", 1e3},
    {Dimension::millimetres, "IN", 25.4},
    {Dimension::degrees_celsius, "CEL", 1},
    {Dimension::degrees_celsius, "DEGC", 1},
    {Dimension::degrees_celsius, "K", 1, 273.15},
    {Dimension::degrees_celsius, "FAR", 5.0 / 9, 32},
};

}  // namespace

const char* base_unit(Dimension dimension) {
  switch (dimension) {
    case Dimension::seconds:
      return "s";
    case Dimension::millimetres:
      return "mm";
    case Dimension::degrees_celsius:
      return "degC";
    default:
      return "";
  }
}

std::string units_of(Dimension dimension) {
  std::string names;
  for (const Suffix& unit : units)
    if (unit.dimension == dimension) names += (names.empty() ? "" : ", ") + std::string(unit.name);
  return names;
}

double in_base_unit(double value, Dimension dimension, const std::string& suffix) {
  if (suffix.empty()) return value;
  if (dimension == Dimension::none) throw Error(suffix_not_allowed, suffix);
  for (const Suffix& unit : units)
    if (unit.dimension == dimension && suffix == unit.name) return unit.factor * (value - unit.zero);
  throw Error(invalid_suffix, fmt::format("{}; {}", suffix, units_of(dimension)));
}

}  // namespace datum::scpi
