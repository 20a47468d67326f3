// Output of a shell command (both streams) and its exit status; 128 plus the number of a fatal signal.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace datum::testing {

struct Output {
  int status;
  std::string text;
};

inline Output output_of(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::string text;
  char bytes[4096];
  for (std::size_t n = 0; (n = std::fread(bytes, 1, sizeof bytes, pipe)) > 0;) text.append(bytes, n);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text};
}

}  // namespace datum::testing
