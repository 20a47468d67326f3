// A program of the cell, started as a user starts it. Whatever is awaited here is awaited on descriptors,
// with a deadline that only a hung program reaches.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace datum::scenario {

using Deadline = std::chrono::steady_clock::time_point;
/// How often longer than usual its programs take: DATUM_SLOWER, which the sanitizers' presets set; 1 without.
int slower();
/// Far beyond what anything here takes on a busy machine.
Deadline timeout();
/// Waits until one of the descriptors can be read; false: the deadline is over.
bool readable(const std::vector<int>& descriptors, Deadline deadline);

std::string slurp(const std::filesystem::path& file);

class Program {
 public:
  /// `arguments` begin with the program's name in the folder of the built programs, or a path. Standard
  /// output and error go to folder/LOG. It dies with the test, however that ends.
  Program(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
          const std::string& log, const std::map<std::string, std::string>& environment = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  /// Exit status, or minus the signal that ended it. Throws where it does not end.
  int wait();
  /// Becomes readable when the program has ended.
  int ended() const { return ended_; }
  bool has_ended() const;

  std::string output() const { return slurp(log_); }
  /// Waits until the text has been written so many times. False: it ended, or time was over, without.
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
Outcome run(const std::vector<std::string>& arguments, const std::filesystem::path& folder);

}  // namespace datum::scenario
