// Output of another program, limited in time and size.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace datum {

struct ProgramLimits {
  int timeout_ms = 10'000;           // then the program is killed
  std::size_t most_bytes = 1 << 20;  // further output is discarded
};

struct ProgramOutput {
  bool started = false;  // false: the program is missing or not executable
  bool in_time = true;
  bool cut = false;  // output was discarded
  int status = -1;   // as of waitpid(2)
  std::string text;  // standard output and error in their order
  /// Why the output is incomplete; empty: complete in `text`.
  std::string shortcoming() const;
};

/// Searches PATH; no shell is involved. Standard input is empty, and the language English.
ProgramOutput run_program(const std::vector<std::string>& arguments, const ProgramLimits& limits = {});

}  // namespace datum
