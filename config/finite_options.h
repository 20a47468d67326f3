// Validation of numeric command line options: refuses NaN and infinities.
#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <string>

namespace datum {

/// Refuses "nan", "inf" and overflowing numbers in each floating-point option of this command and its
/// subcommands. A range check does not refuse NaN, which is neither below nor above a limit. Call it after
/// all options are added.
inline void refuse_not_finite(CLI::App& app) {
  const auto finite = [](const std::string& text) -> std::string {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != '\0' || std::isfinite(value))
      return "";  // another check reports text that is not a number
    return text + " is not finite; a number such as 20.5 is needed";
  };
  for (CLI::Option* option : app.get_options([](CLI::Option*) { return true; }))
    if (option->get_type_name().rfind("FLOAT", 0) == 0) option->check(finite);
  for (CLI::App* below : app.get_subcommands([](CLI::App*) { return true; })) refuse_not_finite(*below);
}

}  // namespace datum
