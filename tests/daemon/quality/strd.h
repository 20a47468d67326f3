// NIST Statistical Reference Datasets (www.itl.nist.gov/div898/strd) whose data are a rule or a short list.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/quality/statistics/exact.h"

namespace datum::testing {

/// Log relative error: correct decimal digits, 15 where the number is equal.
inline double correct_digits(double computed, double certified) {
  const double error = std::abs(computed - certified) / std::abs(certified);
  return error == 0 ? 15 : std::min(15.0, -std::log10(error));
}

/// Counts of texts with `digits` decimals.
inline std::vector<std::int64_t> counts_of(const std::vector<std::string>& texts, int digits) {
  std::vector<std::int64_t> counts;
  for (const std::string& text : texts)
    counts.push_back(quality::count_at(quality::decimal_of(text), digits));
  return counts;
}

/// SmLs01 to SmLs09: nine treatments about the levels base + 0.4, 0.3, 0.5, 0.3, 0.5 ..., each one value at the level, then pairs
/// 0.1 below and above. Counts of 0.1.
inline std::vector<std::vector<std::int64_t>> simon_lesage(std::int64_t base, int replicates) {
  std::vector<std::vector<std::int64_t>> treatments;
  for (int treatment = 0; treatment < 9; ++treatment) {
    const std::int64_t level = 10 * base + (treatment == 0 ? 4 : treatment % 2 ? 3 : 5);
    std::vector<std::int64_t> values{level};
    for (int i = 1; i < replicates; ++i) values.push_back(level + (i % 2 ? -1 : 1));
    treatments.push_back(values);
  }
  return treatments;
}

inline std::vector<std::vector<std::int64_t>> si_rstv() {
  return {counts_of({"196.3052", "196.1240", "196.1890", "196.2569", "196.3403"}, 4),
          counts_of({"196.3042", "196.3825", "196.1669", "196.3257", "196.0422"}, 4),
          counts_of({"196.1303", "196.2005", "196.2889", "196.0343", "196.1811"}, 4),
          counts_of({"196.2795", "196.1748", "196.1494", "196.1485", "195.9885"}, 4),
          counts_of({"196.2119", "196.1051", "196.1850", "196.0052", "196.2090"}, 4)};
}

/// Speed of light less 299 000 km/s, in the order of Michelso.
inline std::vector<std::int64_t> michelson() {
  return {850,  740, 900, 1070, 930, 850, 950, 980, 980, 880, 1000, 980, 930, 650, 760, 810, 1000,
          1000, 960, 960, 960,  940, 960, 940, 880, 800, 850, 880,  900, 840, 830, 790, 810, 880,
          880,  830, 800, 790,  760, 800, 880, 880, 880, 860, 720,  720, 620, 860, 970, 950, 880,
          910,  850, 870, 840,  840, 850, 840, 840, 840, 890, 810,  810, 820, 800, 770, 760, 740,
          750,  760, 910, 920,  890, 860, 880, 720, 840, 850, 850,  780, 890, 840, 780, 810, 760,
          810,  790, 810, 820,  850, 870, 870, 810, 740, 810, 940,  950, 800, 810, 870};
}

struct Point {
  const char *y, *x;
};
inline const std::vector<Point>& norris() {
  static const std::vector<Point> points{
      {"0.1", "0.2"},     {"338.8", "337.4"}, {"118.1", "118.2"}, {"888.0", "884.6"}, {"9.2", "10.1"},
      {"228.1", "226.5"}, {"668.5", "666.3"}, {"998.5", "996.3"}, {"449.1", "448.6"}, {"778.9", "777.0"},
      {"559.2", "558.2"}, {"0.3", "0.4"},     {"0.1", "0.6"},     {"778.1", "775.5"}, {"668.8", "666.9"},
      {"339.3", "338.0"}, {"448.9", "447.5"}, {"10.8", "11.6"},   {"557.7", "556.0"}, {"228.3", "228.1"},
      {"998.0", "995.8"}, {"888.8", "887.6"}, {"119.6", "120.2"}, {"0.3", "0.3"},     {"0.6", "0.3"},
      {"557.6", "556.8"}, {"339.3", "339.1"}, {"888.0", "887.2"}, {"998.5", "999.0"}, {"778.9", "779.0"},
      {"10.2", "11.1"},   {"117.6", "118.3"}, {"228.9", "229.2"}, {"668.4", "669.1"}, {"449.2", "448.9"},
      {"0.2", "0.5"}};
  return points;
}

}  // namespace datum::testing
