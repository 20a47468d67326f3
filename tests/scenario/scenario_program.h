// A program of the cell, started as a user starts it. All waiting uses descriptors and a deadline that only a hung
// program reaches.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace datum::scenario {

using Deadline = std::chrono::steady_clock::time_point;
/// Factor of a program's duration: DATUM_SLOWER, which the sanitizers' presets set; default 1.
int slower();
/// Far beyond every duration here on a busy machine.
Deadline timeout();
/// Waits until a descriptor is readable; false: the deadline passed.
bool readable(const std::vector<int>& descriptors, Deadline deadline);

std::string slurp(const std::filesystem::path& file);

class Program {
 public:
  /// `arguments` begin with the name of a built program, or a path. Standard output and error go to folder/LOG. The
  /// program dies with the test in any case.
  Program(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
          const std::string& log, const std::map<std::string, std::string>& environment = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  /// Exit status, or the negative number of a fatal signal. Throws where it does not end.
  int wait(Deadline deadline = timeout());
  /// Readable when the program has ended.
  int ended() const { return ended_; }
  bool has_ended() const;

  std::string output() const { return slurp(log_); }
  /// Waits until the output has the text `times` times. False: the program ended, or timeout.
  bool says(const std::string& text, int times = 1) const;

 private:
  std::filesystem::path log_;
  pid_t pid_ = -1;
  int ended_ = -1;
};

/// Runs to the end.
struct Outcome {
  int status = 0;
  std::string output;
};
Outcome run(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
            Deadline deadline = timeout());

}  // namespace datum::scenario
