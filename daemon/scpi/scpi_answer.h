// Forms of answers (IEEE 488.2, chapter 8; SCPI-99 volume 1, 7.2).
#pragma once

#include <optional>
#include <string>

namespace datum::scpi {

/// Definite length block: '#', number of length digits, length, bytes.
std::string block(const std::string& bytes);
/// Shortest text that parses to this number; 9.91E37 for NaN, 9.9E37 and -9.9E37 for infinities.
std::string number(double value);
/// Limits of a tolerance; an absent one is infinite.
std::string lower_limit(const std::optional<double>& limit);
std::string upper_limit(const std::optional<double>& limit);

}  // namespace datum::scpi
