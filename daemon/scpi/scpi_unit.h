// Units after numbers (IEEE 488.2, 7.7.3; SCPI-99 volume 1, 7.3), by parameter.
#pragma once

#include <cstdint>
#include <string>

namespace datum::scpi {

/// Dimension of a number; its value is in the base unit named here.
enum class Dimension : std::uint8_t { none, seconds, millimetres, degrees_celsius };

/// "", "s", "mm", "degC".
const char* base_unit(Dimension dimension);
/// The accepted suffixes, "MM, UM, ...".
std::string units_of(Dimension dimension);

/// `suffix` in upper case, "" for the base unit. Throws Error: -138 where no unit is allowed, -131 for an unknown one.
double in_base_unit(double value, Dimension dimension, const std::string& suffix);

}  // namespace datum::scpi
