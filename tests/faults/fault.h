// A fault of the real daemon in its virtual cell, and the conditions afterwards.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace datum::faults {

/// Number of repetitions, and the seed of the random moments.
struct Order {
  int times = 1;
  std::uint32_t seed = 1;
};

/// This machine can't produce the fault; what() gives the reason.
class Skipped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Results of a fault: counts of checks, and failures.
class Findings {
 public:
  /// Records `otherwise` where the condition does not hold.
  void expect(bool holds, const std::string& otherwise) {
    if (!holds) wrong_.push_back(otherwise);
  }
  /// Adds to a count in the fault's line: "512 kills".
  void count(const std::string& what, std::uint64_t n = 1) {
    if (!counts_.count(what)) order_.push_back(what);
    counts_[what] += n;
  }
  /// "512 kills, 2011 results announced", in the order of their first count.
  std::string counted() const;
  const std::vector<std::string>& wrong() const { return wrong_; }

 private:
  std::vector<std::string> order_, wrong_;
  std::map<std::string, std::uint64_t> counts_;
};

struct Fault {
  const char* name;
  const char* what;
  int times;  // default of the command line
  int few;    // number in ./datum test; 0: not part of it
  void (*run)(const Order&, Findings&);
};

/// In the order of execution.
const std::vector<Fault>& all_faults();

}  // namespace datum::faults
