#include "daemon/quality/study/anova.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/quality/statistics/distributions.h"
#include "daemon/quality/statistics/exact.h"

namespace datum::quality {
namespace {

Source row(const char* name, int df, double ss) { return {name, df, ss, df > 0 ? ss / df : 0, {}, {}}; }

/// F of a row over another one; none where that one has no scatter.
void compare(Source& source, const Source& over) {
  if (over.df < 1 || !(over.ms > 0)) return;
  source.f = source.ms / over.ms;
  source.p = f_upper(*source.f, source.df, over.df);
}

Integer square(const Integer& value) { return value * value; }

void demand_balanced(const GaugeData& data) {
  if (!data.balanced())
    throw StudyRefused(
        "cells differ in their number of values: the sums of squares of a balanced study do not hold; "
        "measure the missing "
        "runs, or solve by REML");
}

/// Exact totals of a balanced study.
struct Totals {
  Integer all = 0, squares = 0, parts = 0, operators = 0, cells = 0;  // of squared totals, but for `all`
};

Totals totals_of(const GaugeData& data) {
  Totals t;
  std::vector<Integer> by_operator(data.operators.size(), 0);
  for (const auto& part : data.cells) {
    Integer by_part = 0;
    for (std::size_t j = 0; j < part.size(); ++j) {
      const ExactSums cell = sums_of(part[j]);
      by_part += cell.sum;
      by_operator[j] += cell.sum;
      t.squares += cell.squares;
      t.cells += square(cell.sum);
    }
    t.all += by_part;
    t.parts += square(by_part);
  }
  for (const Integer& total : by_operator) t.operators += square(total);
  return t;
}

}  // namespace

double not_negative(double raw) { return std::max(raw, 0.0); }

std::size_t GaugeData::values() const {
  std::size_t n = 0;
  for (const auto& part : cells)
    for (const Trials& cell : part) n += cell.size();
  return n;
}

bool GaugeData::balanced() const {
  for (const auto& part : cells)
    for (const Trials& cell : part)
      if (cell.size() != cells[0][0].size()) return false;
  return true;
}

double VarianceComponents::reproducibility() const {
  return not_negative(operators) + not_negative(interaction);
}
double VarianceComponents::gauge() const { return repeatability + reproducibility(); }
double VarianceComponents::total() const { return gauge() + not_negative(parts); }

CrossedAnova crossed_anova(const GaugeData& data, double alpha_pool) {
  const int p = static_cast<int>(data.parts.size()), o = static_cast<int>(data.operators.size());
  const int r = p > 0 && o > 0 ? static_cast<int>(data.cells[0][0].size()) : 0;
  if (p < 2 || o < 2 || r < 2)
    throw StudyRefused(
        fmt::format("{} parts x {} operators x {} trials: a crossed study needs two of each at least, and "
                    "ten parts to say much",
                    p, o, r));
  demand_balanced(data);
  const Totals t = totals_of(data);
  const int n = p * o * r, exponent = 2 * data.digits;
  const double ss_p = ratio(p * t.parts - square(t.all), n, exponent);
  const double ss_o = ratio(o * t.operators - square(t.all), n, exponent);
  const Integer interaction = Integer(p) * o * t.cells - p * t.parts - o * t.operators + square(t.all);
  const Integer error = r * t.squares - t.cells;

  CrossedAnova a;
  a.mean = ratio(t.all, n, data.digits);
  const int df_po = (p - 1) * (o - 1), df_e = p * o * (r - 1);
  Source part = row("part", p - 1, ss_p), op = row("operator", o - 1, ss_o);
  Source both = row("part x operator", df_po, ratio(interaction, n, exponent));
  Source repeat = row("repeatability", df_e, ratio(error, r, exponent));
  compare(part, both);
  compare(op, both);
  compare(both, repeat);
  a.full.sources = {part, op, both, repeat};
  a.full.components = {repeat.ms, (both.ms - repeat.ms) / r, (op.ms - both.ms) / (p * r),
                       (part.ms - both.ms) / (o * r), true};

  Source pooled = row("repeatability", df_po + df_e, ratio(interaction + p * o * error, n, exponent));
  compare(part, pooled);
  compare(op, pooled);
  a.pooled.sources = {part, op, pooled};
  a.pooled.components = {pooled.ms, 0, (op.ms - pooled.ms) / (p * r), (part.ms - pooled.ms) / (o * r), true};
  a.p_interaction = both.p.value_or(interaction == 0 ? 1 : 0);
  a.pooled_chosen = a.p_interaction > alpha_pool;
  return a;
}

NestedAnova nested_anova(const GaugeData& data) {
  const std::size_t o = data.operators.size();
  std::size_t p = 0, r = 0, trials = 0;
  Integer all = 0, squares = 0, operators = 0, parts = 0;
  for (std::size_t j = 0; j < o; ++j) {
    Integer total = 0;
    std::size_t of_operator = 0;
    for (const auto& part : data.cells) {
      if (part[j].empty()) continue;
      const ExactSums cell = sums_of(part[j]);
      if (trials == 0) trials = part[j].size();
      if (part[j].size() != trials)
        throw StudyRefused(
            "parts differ in their number of values: measure the missing runs, or solve by REML");
      total += cell.sum;
      squares += cell.squares;
      parts += square(cell.sum);
      ++of_operator;
    }
    if (j == 0) p = of_operator;
    if (of_operator != p)
      throw StudyRefused(
          "operators differ in their number of parts: measure the missing runs, or solve by REML");
    all += total;
    operators += square(total);
  }
  r = trials;
  if (o < 2 || p < 2 || r < 2)
    throw StudyRefused(fmt::format(
        "{} operators x {} parts x {} trials: a nested study needs two of each at least", o, p, r));
  const int n = static_cast<int>(o * p * r), exponent = 2 * data.digits;
  NestedAnova a;
  a.mean = ratio(all, n, data.digits);
  Source op = row("operator", static_cast<int>(o) - 1, ratio(o * operators - square(all), n, exponent));
  Source part =
      row("part in operator", static_cast<int>(o * (p - 1)), ratio(p * parts - operators, p * r, exponent));
  Source repeat =
      row("repeatability", static_cast<int>(o * p * (r - 1)), ratio(r * squares - parts, r, exponent));
  compare(op, part);
  compare(part, repeat);
  a.table.sources = {op, part, repeat};
  const double size = static_cast<double>(r);
  a.table.components = {repeat.ms, 0, (op.ms - part.ms) / (static_cast<double>(p) * size),
                        (part.ms - repeat.ms) / size, true};
  return a;
}

OneWayAnova one_way_anova(const std::vector<Trials>& groups, int digits) {
  // Groups of equal size share a denominator, so that the sum between them stays an integer; others are added as fractions.
  ExactSums all;
  Integer equal = 0;
  double between = 0, within = 0, squared_sizes = 0;
  const bool same = std::all_of(groups.begin(), groups.end(),
                                [&](const Trials& g) { return g.size() == groups[0].size(); });
  for (const Trials& group : groups) {
    if (group.empty()) throw StudyRefused("a group without a value");
    const ExactSums sums = sums_of(group);
    all.merge(sums);
    within += sums.deviations(digits);
    squared_sizes += static_cast<double>(group.size() * group.size());
    equal += square(sums.sum);
  }
  const auto g = groups.size();
  if (g < 2 || all.n <= g)
    throw StudyRefused(
        fmt::format("{} groups with {} values: needed are two groups, and one with two values", g, all.n));
  for (const Trials& group : groups) {
    if (same) break;
    const ExactSums sums = sums_of(group);
    // n (mean - grand mean)^2 = (N sum - n total)^2 / (n N^2)
    between += ratio(square(all.n * sums.sum - sums.n * all.sum), Integer(sums.n) * all.n, 2 * digits) /
               static_cast<double>(all.n);
  }
  if (same) {
    between = ratio(Integer(g) * equal - square(all.sum), all.n, 2 * digits);
    within = ratio(Integer(groups[0].size()) * all.squares - equal, groups[0].size(), 2 * digits);
  }
  OneWayAnova a;
  a.mean = all.mean(digits);
  Source part = row("part", static_cast<int>(g) - 1, between);
  Source repeat = row("repeatability", static_cast<int>(all.n - g), within);
  compare(part, repeat);
  a.table.sources = {part, repeat};
  const double n = static_cast<double>(all.n), n0 = (n - squared_sizes / n) / static_cast<double>(g - 1);
  a.table.components = {repeat.ms, 0, 0, (part.ms - repeat.ms) / n0, false};
  return a;
}

OneWayAnova one_way_anova(const GaugeData& data) {
  std::vector<Trials> groups;
  for (const auto& part : data.cells) {
    Trials group;
    for (const Trials& cell : part) group.insert(group.end(), cell.begin(), cell.end());
    groups.push_back(std::move(group));
  }
  return one_way_anova(groups, data.digits);
}

}  // namespace datum::quality
