// A gauge study solved: both tables, the range method beside them, intervals, and what a reader must know of them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "daemon/quality/study/anova.h"
#include "daemon/quality/study/intervals.h"
#include "daemon/quality/study/range_method.h"
#include "daemon/quality/study/reml.h"
#include "daemon/quality/study/study_table.h"

namespace datum::quality {

enum class GaugeKind : std::uint8_t { crossed, nested, one_way };

/// All limits stand in the report.
struct GaugeSettings {
  GaugeKind kind = GaugeKind::crossed;
  double alpha_pool = 0.05;
  IntervalSettings intervals{};
  bool satterthwaite = false;
  std::optional<double> lower{}, upper{};  // specification limits
  double tolerance_sigmas = 6;  // k of %tolerance = 100 k sigma / (upper - lower); half of it for one limit
  std::optional<double> process_sigma{};  // in place of TV: %process
  double good_percent = 10, poor_percent = 30;
};

/// Missing values of a part or an operator.
struct MissingCount {
  std::string name;
  std::size_t missing = 0, of = 0;
};

/// Trend of residuals over the order of measurement.
struct Drift {
  double slope = 0, t = 0, p = 1;  // per reading
};

struct GaugeReport {
  GaugeSettings settings;
  GaugeData data;
  double mean = 0;
  std::size_t readings = 0, missing = 0;
  std::vector<MissingCount> missing_parts, missing_operators;  // those that miss some
  std::optional<CrossedAnova> crossed;
  std::optional<GaugeTable> table;  // of a nested or one-way study
  std::optional<RangeMethod> range;
  std::optional<Reml> reml;  // where values are missing
  std::vector<WideCell> wide;
  std::optional<Drift> drift;
  VarianceComponents components;  // those that count: of the chosen table, or of REML
  ComponentIntervals intervals;
  std::string method;  // of `components`
  std::vector<std::string> flags;

  double sigma_gauge() const;
  double sigma_total() const;
  /// 100 x sigma over the tolerance's share; none without limits.
  std::optional<double> percent_tolerance(double sigma) const;
  std::optional<int> categories() const;
};

/// Throws StudyRefused.
GaugeReport solve_gauge(const StudyTable& table, const GaugeSettings& settings);

std::string gauge_text(const GaugeReport& report);
nlohmann::ordered_json gauge_json(const GaugeReport& report);

const char* name_of(GaugeKind kind);

}  // namespace datum::quality
