#include "daemon/quality/study/gauge_report.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "daemon/quality/statistics/distributions.h"

namespace datum::quality {
namespace {

void count_missing(const StudyTable& table, GaugeReport& report) {
  std::map<std::string, MissingCount> parts, operators;
  for (const Reading& r : table.readings) {
    for (auto* counts : {&parts, &operators}) {
      const std::string& name = counts == &parts ? r.part : r.op;
      MissingCount& count = counts->try_emplace(name, MissingCount{name, 0, 0}).first->second;
      count.missing += !r.value;
      ++count.of;
    }
    report.missing += !r.value;
  }
  report.readings = table.readings.size();
  for (const auto& [name, count] : parts)
    if (count.missing > 0) report.missing_parts.push_back(count);
  for (const auto& [name, count] : operators)
    if (count.missing > 0 && !name.empty()) report.missing_operators.push_back(count);
}

/// Line through the residuals from the cells' means, which take a degree of freedom each.
std::optional<Drift> drift_of(const StudyTable& table, const GaugeData& data) {
  std::map<std::pair<std::string, std::string>, ExactSums> cells;
  for (const Reading& r : table.readings)
    if (r.value) cells[{r.part, r.op}].add(count_at(*r.value, data.digits));
  // Order and value both less their cell's mean: the slope of an analysis of covariance.
  std::map<std::pair<std::string, std::string>, std::pair<double, double>> orders;
  double order = 0;
  for (const Reading& r : table.readings) {
    ++order;
    if (!r.value) continue;
    auto& [sum, n] = orders[{r.part, r.op}];
    sum += order;
    ++n;
  }
  double sxx = 0, sxy = 0, syy = 0;
  std::size_t n = 0;
  order = 0;
  for (const Reading& r : table.readings) {
    ++order;
    if (!r.value) continue;
    const auto key = std::make_pair(r.part, r.op);
    const ExactSums& cell = cells[key];
    const auto& [sum, count] = orders[key];
    const double x = order - sum / count;
    const double y = ratio(Integer(count_at(*r.value, data.digits)) * cell.n - cell.sum, cell.n, data.digits);
    sxx += x * x;
    sxy += x * y;
    syy += y * y;
    ++n;
  }
  const double df = static_cast<double>(n) - static_cast<double>(cells.size()) - 1;
  const double slope = sxy / sxx, residual = syy - slope * sxy;
  if (!(df >= 1) || !(sxx > 0) || !(residual > 0)) return std::nullopt;
  Drift drift{slope, slope / std::sqrt(residual / df / sxx), 1};
  drift.p = t_two_sided(drift.t, df);
  return drift;
}

/// Each operator's readings come in one piece.
bool sorted_by_operator(const StudyTable& table) {
  std::set<std::string> seen;
  std::string last;
  for (const Reading& r : table.readings) {
    if (r.op != last && !seen.insert(r.op).second) return false;
    last = r.op;
  }
  return seen.size() > 1;
}

void flag_negative(const VarianceComponents& c, const char* table, std::vector<std::string>& flags) {
  const std::pair<const char*, double> raw[] = {
      {"part x operator", c.interaction}, {"operator", c.operators}, {"part", c.parts}};
  for (const auto& [name, value] : raw)
    if (value < 0)
      flags.push_back(
          fmt::format("{}: raw variance of {} is negative, {:.6f}: 0 in all sums", table, name, value));
}

void solve_reml(GaugeReport& report) {
  const GaugeKind kind = report.settings.kind;
  bool empty = false;
  for (const auto& part : report.data.cells)
    for (const Trials& cell : part) empty |= cell.empty();
  RemlModel model = kind == GaugeKind::nested    ? RemlModel::nested
                    : kind == GaugeKind::one_way ? RemlModel::one_way
                                                 : RemlModel::crossed;
  if (model == RemlModel::crossed && empty) {
    model = RemlModel::crossed_without_interaction;
    report.flags.emplace_back(
        "a part x operator cell has no value: the interaction is refused, and its variance lies in "
        "repeatability");
  }
  report.reml = reml(report.data, model);
  const Reml& r = *report.reml;
  report.components = {r.variance("repeatability"), r.variance("part x operator"), r.variance("operator"),
                       r.variance("part") + r.variance("part in operator"), kind != GaugeKind::one_way};
  report.method = "REML, since values are missing";
  if (!r.converged) report.flags.emplace_back("REML did not converge: its numbers are no result");
  for (const RemlComponent& c : r.components)
    if (c.boundary)
      report.flags.push_back(fmt::format("REML: the variance of {} lies at its bound 0", c.name));
}

void solve_balanced(GaugeReport& report) {
  const GaugeSettings& s = report.settings;
  if (s.kind == GaugeKind::crossed) {
    CrossedAnova& a = report.crossed.emplace(crossed_anova(report.data, s.alpha_pool));
    const int r = static_cast<int>(report.data.cells[0][0].size());
    a.full.intervals = intervals_of(a.full, Design::crossed, r, s.intervals);
    a.pooled.intervals = intervals_of(a.pooled, Design::crossed_pooled, r, s.intervals);
    report.mean = a.mean;
    report.components = a.chosen().components;
    report.intervals = a.chosen().intervals;
    report.method = fmt::format("ANOVA {} (p of part x operator {:.6f} {} alpha {})",
                                a.pooled_chosen ? "with the interaction pooled" : "with interaction",
                                a.p_interaction, a.pooled_chosen ? ">" : "<=", s.alpha_pool);
    flag_negative(a.full.components, "with interaction", report.flags);
    flag_negative(a.pooled.components, "pooled", report.flags);
    report.range = range_method(report.data);
  } else if (s.kind == GaugeKind::nested) {
    const NestedAnova a = nested_anova(report.data);
    report.mean = a.mean;
    report.table = a.table;
    report.method = "ANOVA, parts nested in operators: the operators' part is confounded with their batches";
  } else {
    const OneWayAnova a = one_way_anova(report.data);
    report.mean = a.mean;
    report.table = a.table;
    report.method = "ANOVA, one way";
  }
  if (!report.table) return;
  int trials = 0;
  for (const auto& part : report.data.cells)
    for (const Trials& cell : part) trials = std::max(trials, static_cast<int>(cell.size()));
  if (s.kind == GaugeKind::nested || report.data.balanced())
    report.table->intervals = intervals_of(
        *report.table, s.kind == GaugeKind::nested ? Design::nested : Design::one_way, trials, s.intervals);
  else
    report.flags.emplace_back("parts differ in their number of readings: no intervals");
  report.components = report.table->components;
  report.intervals = report.table->intervals;
  flag_negative(report.components, "table", report.flags);
}

/// Cells of a nested study are those of each operator's own parts.
bool complete(const GaugeData& data, GaugeKind kind) {
  std::size_t trials = 0;
  std::map<std::size_t, std::size_t> parts;  // of each operator
  for (const auto& part : data.cells)
    for (std::size_t j = 0; j < part.size(); ++j) {
      if (kind == GaugeKind::nested && part[j].empty()) continue;
      if (trials == 0) trials = part[j].size();
      if (part[j].size() != trials || trials == 0) return false;
      ++parts[j];
    }
  for (const auto& [op, count] : parts)
    if (count != parts.begin()->second) return false;
  return true;
}

}  // namespace

const char* name_of(GaugeKind kind) {
  return kind == GaugeKind::crossed ? "crossed" : kind == GaugeKind::nested ? "nested" : "one-way";
}

double GaugeReport::sigma_gauge() const { return std::sqrt(components.gauge()); }
double GaugeReport::sigma_total() const { return std::sqrt(components.total()); }

std::optional<double> GaugeReport::percent_tolerance(double sigma) const {
  if (settings.lower && settings.upper)
    return 100 * settings.tolerance_sigmas * sigma / (*settings.upper - *settings.lower);
  if (settings.lower || settings.upper) {
    const double limit = settings.lower ? *settings.lower : *settings.upper;
    return 100 * settings.tolerance_sigmas / 2 * sigma / std::abs(limit - mean);
  }
  return std::nullopt;
}

std::optional<int> GaugeReport::categories() const {
  return distinct_categories(std::sqrt(not_negative(components.parts)), sigma_gauge());
}

GaugeReport solve_gauge(const StudyTable& table, const GaugeSettings& settings) {
  if (settings.lower && settings.upper && !(*settings.lower < *settings.upper))
    throw StudyRefused("the lower limit is not below the upper one");
  GaugeReport report;
  report.settings = settings;
  report.data = gauge_data(table);
  count_missing(table, report);
  const std::size_t p = report.data.parts.size(), o = report.data.operators.size();
  if (settings.kind == GaugeKind::one_way) {
    for (auto& part : report.data.cells) {  // operators, where the table has some, are not told apart
      for (std::size_t j = 1; j < part.size(); ++j)
        part[0].insert(part[0].end(), part[j].begin(), part[j].end());
      part.resize(1);
    }
    report.data.operators = {""};
  } else if (p < 2 || o < 2 || report.data.trials < 2) {
    throw StudyRefused(
        fmt::format("{} parts x {} operators x {} trials: a {} study needs two of each at least, and ten "
                    "parts to say much",
                    p, o, report.data.trials, name_of(settings.kind)));
  }
  ExactSums all;
  for (const std::int64_t count : counts_of(table)) all.add(count);
  report.mean = all.mean(report.data.digits);
  // A one-way study takes groups of any size; the others' sums of squares hold for equal ones alone.
  if (settings.kind == GaugeKind::one_way ? report.missing == 0 || complete(report.data, settings.kind)
                                          : complete(report.data, settings.kind))
    solve_balanced(report);
  else
    solve_reml(report);
  report.wide = wide_cells(report.data);
  for (const WideCell& w : report.wide)
    report.flags.push_back(fmt::format(
        "part {}, operator {}: range {:.6f} is beyond D4 Rbar: measure it again, or name the cause",
        report.data.parts[w.part], report.data.operators[w.op], w.range));
  report.drift = drift_of(table, report.data);
  if (sorted_by_operator(table) && settings.kind == GaugeKind::crossed)
    report.flags.emplace_back(
        "each operator's readings come in one piece: a drift looks like an operator; measure in random "
        "order");
  if (report.missing > 0)
    report.flags.push_back(fmt::format(
        "{} of {} readings have no value: that is a property of the gauge too, counted by part and operator",
        report.missing, report.readings));
  if (!(report.components.repeatability > 0))
    report.flags.emplace_back("repeated values are equal: the gauge does not resolve its repeatability");
  if (settings.kind != GaugeKind::one_way && o < 3)
    report.flags.push_back(fmt::format(
        "{} operators: their variance has one degree of freedom, and an interval that says little", o));
  return report;
}

}  // namespace datum::quality
