// Observations of the soak in text files, from which it continues, and their evaluation.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/scenario/process_usage.h"
#include "tests/scenario/soak/soak_plan.h"

namespace datum::soak {

/// Circumstances of a board's result.
enum class Mark : char {
  plain = '-',   // single, with only its own fault
  burst = 'b',   // one of many at once: its latency includes the queue
  broken = 'k',  // the daemon was killed during it, or the soak was interrupted
};

struct BoardLine {
  int number = 0;
  std::uint64_t sequence = 0;
  std::string decision;
  std::int64_t latency_us =
      -1;  // us from the last rename of the frame to the result line at the host; -1: unknown
  Mark mark = Mark::plain;
};
struct UsageLine {
  int life = 0, number = 0;  // number of the daemon's start, and of the last board
  scenario::Usage usage;
};

class Record {
 public:
  /// Reads the record of an earlier run in `folder`; drops an incomplete last line.
  explicit Record(const std::filesystem::path& folder);

  void add(const BoardLine& line);
  void add(const UsageLine& line);
  void add(Fault fault);
  void ran(double seconds);

  const std::vector<BoardLine>& boards() const { return boards_; }
  const std::vector<UsageLine>& usage() const { return usage_; }
  std::uint64_t count(Fault fault) const { return faults_.at(static_cast<std::size_t>(fault)); }
  double seconds() const { return seconds_; }
  /// Of the last result; 0: none.
  std::uint64_t last_sequence() const { return boards_.empty() ? 0 : boards_.back().sequence; }
  int last_life() const { return usage_.empty() ? 0 : usage_.back().life; }

 private:
  std::vector<BoardLine> boards_;
  std::vector<UsageLine> usage_;
  std::array<std::uint64_t, faults> faults_{};
  double seconds_ = 0;
  std::ofstream boards_file_, usage_file_, faults_file_, seconds_file_;
};

/// Prints a line, marked where it reports a fault; returns 1 for a fault, else 0.
int say(bool wrong, const std::string& text);

/// Verifies the store's chain and exports its results by datumctl, and compares them with the announced ones. Prints the
/// findings and returns the number of faults. It may run beside the daemon.
int check_store(const Record& record, const std::filesystem::path& store);

/// Prints the evaluation of record and store; returns the number of faults.
int report(const Record& record, std::uint64_t seed, const Rhythm& rhythm,
           const std::filesystem::path& store);

}  // namespace datum::soak
