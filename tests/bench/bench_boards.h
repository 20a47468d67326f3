// Boards of simulated cells, for the collector's benchmarks.
#pragma once

#include <fmt/format.h>

#include "tests/daemon/collect/virtual_chain.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum {

/// A board with two checks a component and their budgets, each value other.
inline BoardVerdict bench_board(int n, int measurements) {
  BoardVerdict v = testing::board(n);
  v.decision = Decision::pass;
  v.reason = Reason::none;
  v.unit_id = fmt::format("SN-{}", n);
  const ComponentVerdict one = v.components[0];
  v.components.clear();
  for (int i = 0; i < measurements / 2; ++i) {
    ComponentVerdict c = one;
    c.reference = fmt::format("U{}", i + 1);
    c.checks[0].budget = {{"noise", 0.4}, {"floor", 0.8}, {"calibration", 0.7}};
    c.checks.push_back(c.checks[0]);
    c.checks[1].check.characteristic = Characteristic::tilt;
    for (CheckVerdict& check : c.checks) check.value = 1150 + (n * 7919 + i * 104'729) % 20'000 * 0.001;
    v.components.push_back(c);
  }
  return v;
}

}  // namespace datum
