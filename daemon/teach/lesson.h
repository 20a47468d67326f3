// What golden boards teach of a recipe: heights and limits to propose, and what differs from it.
//
// Rule of the limits, of n >= 2 boards: mean +- (k s + z u).
//   s  standard deviation of the n values, at least that of the package's components together (root mean square of those whose
//      boards agree), and at least
//      what noise, floor and placement do from board to board (the terms of the uncertainty budget that differ). It contains
//      the measurement's own scatter, as the values that will be compared with the limits do.
//   k  Howe's factor of n (tolerance_factor.h): with 95 % confidence the interval holds 99 % of boards like these.
//   z u  the guard band of the recipe's rule, so that such a board also passes: u the largest standard uncertainty of the n
//      values, z the normal quantile of the rule's confidence ("simple": 0). The half width is at least 2 u (C_m = 1).
// One board, or a half width of more than half the height (a missing part would pass): the recipe's own tolerance about the mean.
#pragma once

#include <string>
#include <vector>

#include "daemon/teach/golden_board.h"

namespace datum::teach {

constexpr double taught_share = 0.99, taught_confidence = 0.95;
/// Probability that among all values of good boards one is called an outlier.
constexpr double false_alarm = 0.01;

enum class Limits : std::uint8_t { taught, kept };

struct Proposal {
  std::string reference, package;
  Characteristic characteristic = Characteristic::median;
  double parameter = 0;
  double nominal_um = 0;                     // mean of the boards' values
  double expanded_um = 0;                    // U (k = 2) of it: 2 sqrt(s^2 / n + u^2)
  std::optional<double> lower_um, upper_um;  // the recipe's side of one limit has none
  Limits limits = Limits::kept;
  double s_um = 0, factor = 0, u_um = 0;  // of the rule; s and factor 0 for one board
  std::vector<double> values_um;          // of the boards, in their order
  /// What differs from the recipe: it is confirmed only by its reference. Empty: nothing.
  std::vector<std::string> differs;
};

enum class Difference : std::uint8_t {
  missing,   // on these boards
  turned,    // by 90 degrees
  shifted,   // from its place, against the other parts
  taller,    // than the recipe's upper limit
  shorter,   // than the lower one
  disagree,  // the boards contradict each other: these are odd
  untold,    // INVALID on these boards
  unknown,   // stands on the board and not in the recipe
};
const char* name_of(Difference d);

struct Finding {
  std::string reference;
  Difference difference = Difference::untold;
  std::vector<std::size_t> boards;  // from 0; empty: all
  std::string text;
};

struct Lesson {
  /// Of each component that is there, not turned and measured on every board, in which the boards agree.
  std::vector<Proposal> proposals;
  std::vector<Finding> findings;
  std::vector<std::string> faults;      // of each board: why it is no golden one; empty: nothing found
  double noise_um = 0, noise_z_mm = 0;  // of a pixel over all floors, and at which height of the sensor
  bool is_golden() const;               // no board has a fault
};

/// `boards`: at least one, each measured by `recipe`. Pure: the same boards give the same lesson.
Lesson lesson_of(const Recipe& recipe, const SensorProfile& sensor, const std::vector<GoldenBoard>& boards);

/// Values that disagree: their indices in `values`, for a standard deviation `sigma` that boards may have and `tests` values
/// looked at in all. Each is compared with the mean of the others, the farthest first; of two both are named.
std::vector<std::size_t> outliers(const std::vector<double>& values, double sigma, double tests);

}  // namespace datum::teach
