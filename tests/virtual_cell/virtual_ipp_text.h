// Parser of I++ DME commands' arguments in the virtual server.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace datum {

/// "X(1.5)" -> "X".
inline std::string name_of_argument(const std::string& argument) {
  return argument.substr(0, argument.find_first_of(" ("));
}

/// "X(1.5)" -> 1.5 for the right name.
inline std::optional<double> value_of(const std::vector<std::string>& arguments, const std::string& name) {
  for (const std::string& argument : arguments) {
    const auto open = argument.find('(');
    if (open == std::string::npos || argument.substr(0, argument.find_last_not_of(' ', open - 1) + 1) != name)
      continue;
    return std::strtod(argument.c_str() + open + 1, nullptr);
  }
  return std::nullopt;
}

}  // namespace datum
