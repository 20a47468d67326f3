// Another program's output, bounded in time and size.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace datum {

struct ProgramLimits {
  int timeout_ms = 10'000;           // then it is killed
  std::size_t most_bytes = 1 << 20;  // what it says beyond is thrown away
};

struct ProgramOutput {
  bool started = false;  // false: there is no such program, or it may not be run
  bool in_time = true;
  bool cut = false;  // it said more
  int status = -1;   // as of waitpid(2)
  std::string text;  // standard output and error, in the order in which they came
  /// Why there is less than all; empty: it ran, and said `text`.
  std::string shortcoming() const;
};

/// Looks the program up in PATH; nothing goes through a shell. Its standard input is empty, its language English.
ProgramOutput run_program(const std::vector<std::string>& arguments, const ProgramLimits& limits = {});

}  // namespace datum
