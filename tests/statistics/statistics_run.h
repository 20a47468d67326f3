// Draws frames, measures them through inspect() and counts.
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

/// Rows in their order, within a row its bodies; `done` gets each of them as soon as it and all before it are measured.
/// The same cells whatever the number of threads.
void run(const Plan& plan, const std::function<void(const Cells&)>& done);

Tallies measure_frame(const Row& row, const Body& body, std::uint64_t seed);

}  // namespace datum::statistics
