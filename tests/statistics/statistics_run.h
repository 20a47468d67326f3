// Generates frames, measures them through inspect() and counts.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/statistics/statistics_tally.h"

namespace datum::statistics {

struct Cells {
  Row row;
  Body body;
  Tallies tallies;
};

struct Plan {
  std::vector<Row> rows;
  std::vector<Body> bodies;
  int frames = 25;
  std::uint64_t seed = 1;
  unsigned threads = 1;
};

/// Rows in their order, within a row its components; `done` gets each row as soon as it and all before it are measured.
/// The cells do not depend on the number of threads.
void run(const Plan& plan, const std::function<void(const Cells&)>& done);

Tallies measure_frame(const Row& row, const Body& body, std::uint64_t seed);

}  // namespace datum::statistics
