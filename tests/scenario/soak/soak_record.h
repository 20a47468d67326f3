// What the soak has seen so far, in text files that it goes on from, and what they show.
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

/// How a board came to its result.
enum class Mark : char {
  plain = '-',   // alone, nothing but its own fault in its way
  burst = 'b',   // among many at once: its latency is a queue's
  broken = 'k',  // the daemon was killed over it, or the soak was cut off
};

struct BoardLine {
  int number = 0;
  std::uint64_t sequence = 0;
  std::string decision;
  std::int64_t latency_us =
      -1;  // from the frame's last rename to the result's line at the host; -1: not seen
  Mark mark = Mark::plain;
};
struct UsageLine {
  int life = 0, number = 0;  // which start of the daemon, after which board
  scenario::Usage usage;
};

class Record {
 public:
  /// Reads what `folder` holds of an earlier run; a last line that was cut off is dropped.
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

/// Prints a line, marked where it tells of something wrong; 1 there, else 0.
int say(bool wrong, const std::string& text);

/// Has datumctl verify the store's chain and export its results, and compares them with what was announced. Prints what is
/// found; the number of things that must not be. It may run beside the daemon.
int check_store(const Record& record, const std::filesystem::path& store);

/// Prints what the record and the store show; the number of things that must not be.
int report(const Record& record, std::uint64_t seed, const Rhythm& rhythm,
           const std::filesystem::path& store);

}  // namespace datum::soak
