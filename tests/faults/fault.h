// A fault that is made to happen to the real daemon in its virtual cell, and what must hold afterwards.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace datum::faults {

/// How often a fault is made to happen, and what its random moments are drawn from.
struct Order {
  int times = 1;
  std::uint32_t seed = 1;
};

/// This machine can't make the fault happen; what() says why.
class Skipped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What was seen: counts of what was checked, and what did not hold.
class Findings {
 public:
  /// Notes `otherwise` where it does not hold.
  void expect(bool holds, const std::string& otherwise) {
    if (!holds) wrong_.push_back(otherwise);
  }
  /// Adds to a number that the fault's line shows: "512 kills".
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
  int times;  // where the command line says nothing
  int few;    // in the share that ./datum test runs, 0: it is none of it
  void (*run)(const Order&, Findings&);
};

/// In the order in which they are run.
const std::vector<Fault>& all_faults();

}  // namespace datum::faults
