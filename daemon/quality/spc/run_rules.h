// Nelson's run rules (L. S. Nelson, J. Quality Technology 16, 1984, 237) and the false alarms that a chosen set gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace datum::quality {

/// 1 to 8; `side_run`: points on one side of rule 2, nine by Nelson, eight by Western Electric.
struct RuleSet {
  std::set<int> rules{1};
  int side_run = 9;
};

/// "1,2,5", "nelson" (1 to 8), "western-electric" (1, 5, 6 and eight on one side). Throws std::invalid_argument.
RuleSet rule_set_of(const std::string& text);
const char* rule_text(int rule);

struct RuleHit {
  int rule = 0;
  std::size_t first = 0, last = 0;  // indices of points; `last` completes the rule
};

/// `z`: standardised points, none for a gap, which ends runs 2, 3, 4, 7 and 8 and takes its place in the windows of 5 and 6. Comparisons
/// are strict; a point on the centre line ends a run. A rule is hit at each point that completes it.
std::vector<RuleHit> rule_hits(std::span<const std::optional<double>> z, const RuleSet& rules);

/// Mean number of points up to a false alarm of independent normal values with known mean and sigma, by simulation of `runs` runs with a
/// counter-based generator; its relative standard deviation is about 1 / sqrt(runs).
double run_length_of_rules(const RuleSet& rules, std::uint64_t runs = 10'000);

/// Mean number of points up to a signal by a Markov chain of `states` states (Brook and Evans 1972), at a shift in sigma: of a two-sided
/// CUSUM, and of an EWMA with steady limits.
double run_length_of_cusum(double k, double h, double shift = 0, int states = 200);
double run_length_of_ewma(double lambda, double width, double shift = 0, int states = 201);

}  // namespace datum::quality
