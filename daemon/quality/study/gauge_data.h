// Measured values of a gauge study, ordered by part and operator. An automatic cell has load cycles, fixtures or shifts as operators.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace datum::quality {

/// A study that its formulas do not cover; what() says why, and what to do.
class StudyRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Values of one part by one operator, in the order of measurement.
using Trials = std::vector<std::int64_t>;

struct GaugeData {
  std::string unit;
  int digits = 0;  // a count is 10^-digits units
  int trials = 0;  // planned for each cell
  std::vector<std::string> parts, operators;
  std::vector<std::vector<Trials>>
      cells;  // [part][operator]; of a nested study the parts of each operator alone have values

  std::size_t values() const;
  /// Every cell has the same number of values.
  bool balanced() const;
};

/// Parts of the variance of a value, in squared units. Raw: an estimate may be negative, which counts as 0 in sums.
struct VarianceComponents {
  double repeatability = 0;               // EV
  double interaction = 0, operators = 0;  // INT, AV
  double parts = 0;                       // PV
  bool has_operators = true;

  double reproducibility() const;
  double gauge() const;  // GRR
  double total() const;
};

struct Interval {
  double lower = 0, upper = 0;
};

/// A row of a table of the analysis of variance.
struct Source {
  std::string name;
  int df = 0;
  double ss = 0, ms = 0;
  std::optional<double> f, p;  // none where the mean square below is 0
};

/// Intervals of a table's components at the study's confidence.
struct ComponentIntervals {
  std::optional<Interval> repeatability, gauge, parts;  // variances
  std::optional<Interval> gauge_satterthwaite;
  /// Generalised: 100 sigma_GRR / sigma_TV, and sqrt(2) sigma_PV / sigma_GRR.
  std::optional<Interval> percent_study, categories;
};

struct GaugeTable {
  std::vector<Source> sources;
  VarianceComponents components;
  ComponentIntervals intervals;
};

}  // namespace datum::quality
