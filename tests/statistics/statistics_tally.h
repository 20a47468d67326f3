// What is counted in a cell of the table, and where it falls short of what is wanted.
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
  int at_limit = 0, at_limit_passed = 0;  // checks whose limit is the truth, of accepted values
  int beyond = 0, beyond_passed = 0;      // the truth at 1.25 times the limit
  double error = 0, error2 = 0, worst = 0, u = 0;
  std::map<Reason, int> reasons;
  std::map<std::string, double> terms;  // of the budgets, squares

  void operator+=(const Tally& t);
  int accepted() const { return cases - invalid; }
  double bias() const { return accepted() > 0 ? error / accepted() : 0; }
  /// Standard deviation of the errors over the root of their number.
  double bias_error() const;
};

using Tallies = std::array<Tally, column_count>;

/// P(X >= x) of a binomial distribution.
double binomial_tail(int n, int x, double p);

/// Words for each demand that is not met, joined; empty: all are. A share falls short where so many or more would come
/// with a probability below `alpha` if the share were exactly the wanted one; a bias where it is beyond the wanted one by
/// more than four of its standard errors; a single PASS at 1.25 times the limit always.
std::string shortfall(const Tally& t, const Wanted& wanted, double alpha);

}  // namespace datum::statistics
