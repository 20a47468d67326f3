// Options of a command line that are numbers: nan and inf are none.
#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <string>

namespace datum {

/// Refuses "nan", "inf" and numbers that overflow in each option of a floating-point type, of this command and of those below
/// it. A limit does not: nan is neither below nor above it. Call it when all options are there.
inline void refuse_not_finite(CLI::App& app) {
  const auto finite = [](const std::string& text) -> std::string {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != '\0' || std::isfinite(value))
      return "";  // what is no number is told elsewhere
    return text + " is not finite; a number such as 20.5 is needed";
  };
  for (CLI::Option* option : app.get_options([](CLI::Option*) { return true; }))
    if (option->get_type_name().rfind("FLOAT", 0) == 0) option->check(finite);
  for (CLI::App* below : app.get_subcommands([](CLI::App*) { return true; })) refuse_not_finite(*below);
}

}  // namespace datum
