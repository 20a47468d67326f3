// Counts of a cell of the table, and its shortfalls against the demands.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "daemon/inspection/verdict/verdict.h"
#include "tests/statistics/statistics_row.h"

namespace datum::statistics {

struct Tally {
  int cases = 0, invalid = 0, outside = 0;
  int at_limit = 0, at_limit_passed = 0;  // checks of accepted values with the limit at the truth
  int beyond = 0, beyond_passed = 0;      // truth at 1.25 times the limit
  double error = 0, error2 = 0, worst = 0, u = 0;
  std::map<Reason, int> reasons;
  std::map<std::string, double> terms;  // squares of the budget terms

  void operator+=(const Tally& t);
  int accepted() const { return cases - invalid; }
  double bias() const { return accepted() > 0 ? error / accepted() : 0; }
  /// Standard deviation of the errors over the root of their number.
  double bias_error() const;
};

using Tallies = std::array<Tally, column_count>;

/// P(X >= x) of a binomial distribution.
double binomial_tail(int n, int x, double p);

/// Text for each unmet demand, joined; empty: all are met. A share falls short where a binomial test against the demanded
/// share gives a probability below `alpha`. A bias falls short where it exceeds the demand by more than four of its
/// standard errors. A single PASS at 1.25 times the limit always falls short.
std::string shortfall(const Tally& t, const Wanted& wanted, double alpha);

}  // namespace datum::statistics
