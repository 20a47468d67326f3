// A TOML file: its reader returns values, or throws ConfigError with the place.
#pragma once

#include "config/toml_reader.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/memory_file.h"

namespace datum::fuzz {

template <class Load>
void expect_values_or_refusal(std::string_view bytes, Load load) {
  static MemoryFile file;
  try {
    load(file.holding(bytes));
  } catch (const config::ConfigError& refused) {
    expect(!refused.where().file.empty(), "a refusal names its file");
  }
}

}  // namespace datum::fuzz
