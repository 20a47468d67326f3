// Run rules (daemon/rules/rule_watch.h) over a whole series, and the false alarms that a chosen set gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "daemon/rules/rule_watch.h"

namespace datum::quality {

struct RuleHit {
  int rule = 0;
  std::size_t first = 0, last = 0;  // indices of points; `last` completes the rule
};

/// `z`: standardised points, none for a gap.
std::vector<RuleHit> rule_hits(std::span<const std::optional<double>> z, const RuleSet& rules);

/// Mean number of points up to a false alarm of independent normal values with known mean and sigma, by simulation of `runs` runs with a
/// counter-based generator; its relative standard deviation is about 1 / sqrt(runs).
double run_length_of_rules(const RuleSet& rules, std::uint64_t runs = 10'000);

/// Mean number of points up to a signal by a Markov chain of `states` states (Brook and Evans 1972), at a shift in sigma: of a two-sided
/// CUSUM, also with a head start of h / 2 on both sides (Lucas and Crosier, Technometrics 24, 1982, 199), and of an EWMA with steady limits.
double run_length_of_cusum(double k, double h, double shift = 0, bool head_start = false, int states = 200);
double run_length_of_ewma(double lambda, double width, double shift = 0, int states = 201);

}  // namespace datum::quality
