#include "daemon/quality/study/intervals.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "daemon/quality/statistics/distributions.h"
#include "daemon/quality/study/anova.h"
#include "gpu/core/philox.h"

namespace datum::quality {
namespace {

double sqr(double x) { return x * x; }

/// A mean square and what MLS needs of its degrees of freedom.
struct MeanSquare {
  double ms, df;
  double g, h;  // 1 - n / chi2(1 - alpha / 2; n), n / chi2(alpha / 2; n) - 1
};

MeanSquare mean_square(const Source& source, double tail) {
  const double n = source.df;
  return {source.ms, n, 1 - n / chi2_quantile(1 - tail, n), n / chi2_quantile(tail, n) - 1};
}

Interval exact(const MeanSquare& m, double tail) {
  return {m.df * m.ms / chi2_quantile(1 - tail, m.df), m.df * m.ms / chi2_quantile(tail, m.df)};
}

struct Term {
  double factor;
  MeanSquare m;
};

/// MLS interval of a sum of mean squares with positive factors.
Interval of_sum(const std::vector<Term>& terms) {
  double sum = 0, below = 0, above = 0;
  for (const Term& t : terms) {
    const double value = t.factor * t.m.ms;
    sum += value;
    below += sqr(t.m.g * value);
    above += sqr(t.m.h * value);
  }
  return {not_negative(sum - std::sqrt(below)), sum + std::sqrt(above)};
}

/// (a - b) / size; both ends at least 0.
Interval of_difference(const MeanSquare& a, const MeanSquare& b, double size, double tail) {
  const double f1 = f_quantile(1 - tail, a.df, b.df), f2 = f_quantile(tail, a.df, b.df);
  const double g13 = (sqr(f1 - 1) - sqr(a.g * f1) - sqr(b.h)) / f1;
  const double h13 = (sqr(1 - f2) - sqr(a.h * f2) - sqr(b.g)) / f2;
  const double below = sqr(a.g * a.ms) + sqr(b.h * b.ms) + g13 * a.ms * b.ms;
  const double above = sqr(a.h * a.ms) + sqr(b.g * b.ms) + h13 * a.ms * b.ms;
  const double point = a.ms - b.ms;
  return {not_negative(point - std::sqrt(not_negative(below))) / size,
          not_negative(point + std::sqrt(not_negative(above))) / size};
}

Interval satterthwaite(const std::vector<Term>& terms, double tail) {
  double sum = 0, spread = 0;
  for (const Term& t : terms) {
    sum += t.factor * t.m.ms;
    spread += sqr(t.factor * t.m.ms) / t.m.df;
  }
  const double nu = sqr(sum) / spread;
  return {nu * sum / chi2_quantile(1 - tail, nu), nu * sum / chi2_quantile(tail, nu)};
}

/// Numbers in (0, 1) of one draw.
class DrawnNumbers {
 public:
  DrawnNumbers(std::uint64_t draw, std::uint64_t seed) : draw_(draw), seed_(seed) {}
  double next() {
    if (at_ == 4) {
      block_ = philox(
          {{static_cast<std::uint32_t>(draw_), static_cast<std::uint32_t>(draw_ >> 32), counter_++, 0}},
          seed_);
      at_ = 0;
    }
    return (block_.word[at_++] + 0.5) * 0x1p-32;
  }

 private:
  std::uint64_t draw_, seed_;
  std::uint32_t counter_ = 0;
  int at_ = 4;
  PhiloxBlock block_{};
};

/// Of few degrees of freedom by sums of exponential numbers and the square of a normal one, else by the quantile.
double drawn_chi2(DrawnNumbers& numbers, int df) {
  constexpr int few = 64;
  if (df > few) return chi2_quantile(numbers.next(), df);
  double value = 0;
  for (int i = 0; i < df / 2; ++i) value -= 2 * std::log(numbers.next());
  if (df % 2) {
    const double radius = -2 * std::log(numbers.next());
    value += radius * sqr(std::cos(2 * std::numbers::pi * numbers.next()));
  }
  return value;
}

struct Sizes {
  double p, o, r;
};

/// Components of drawn mean squares, in the order of the table's rows.
VarianceComponents components_of(const std::vector<double>& ms, Design design, const Sizes& s) {
  switch (design) {
    case Design::crossed:
      return {ms[3], (ms[2] - ms[3]) / s.r, (ms[1] - ms[2]) / (s.p * s.r), (ms[0] - ms[2]) / (s.o * s.r),
              true};
    case Design::crossed_pooled:
      return {ms[2], 0, (ms[1] - ms[2]) / (s.p * s.r), (ms[0] - ms[2]) / (s.o * s.r), true};
    case Design::nested:
      return {ms[2], 0, (ms[0] - ms[1]) / (s.p * s.r), (ms[1] - ms[2]) / s.r, true};
    case Design::one_way:
      break;
  }
  return {ms[1], 0, 0, (ms[0] - ms[1]) / s.r, false};
}

/// The interval between the two tails' nearest ranks.
Interval tails_of(std::vector<double>& drawn, double tail) {
  const auto at = [&](double p) {
    const auto n = static_cast<double>(drawn.size());
    const auto rank = static_cast<std::ptrdiff_t>(std::clamp(std::ceil(p * n) - 1, 0.0, n - 1));
    std::nth_element(drawn.begin(), drawn.begin() + rank, drawn.end());
    return drawn[static_cast<std::size_t>(rank)];
  };
  const double lower = at(tail);
  return {lower, at(1 - tail)};
}

void add_generalised(ComponentIntervals& intervals, const GaugeTable& table, Design design,
                     const Sizes& sizes, const IntervalSettings& settings) {
  std::vector<double> percent, categories, gauge, parts;
  std::vector<double> ms(table.sources.size());
  for (std::uint64_t draw = 0; draw < settings.draws; ++draw) {
    DrawnNumbers numbers(draw, settings.seed);
    for (std::size_t i = 0; i < ms.size(); ++i) {
      const Source& source = table.sources[i];
      ms[i] = source.ss / drawn_chi2(numbers, source.df);
    }
    const VarianceComponents c = components_of(ms, design, sizes);
    // As in MLS a negative interaction counts: the sum of both is a sum of mean squares with positive factors in a crossed study.
    const double grr = c.repeatability +
                       (design == Design::nested ? not_negative(c.operators) : c.operators + c.interaction);
    const double pv = not_negative(c.parts);
    percent.push_back(100 * std::sqrt(grr / (grr + pv)));
    categories.push_back(std::sqrt(2 * pv / grr));
    gauge.push_back(grr);
    parts.push_back(pv);
  }
  const double tail = (1 - settings.confidence) / 2;
  intervals.percent_study = tails_of(percent, tail);
  intervals.categories = tails_of(categories, tail);
  if (!intervals.gauge) intervals.gauge = tails_of(gauge, tail);
  if (!intervals.parts) intervals.parts = tails_of(parts, tail);
}

}  // namespace

ComponentIntervals intervals_of(const GaugeTable& table, Design design, int trials,
                                const IntervalSettings& settings) {
  const double tail = (1 - settings.confidence) / 2;
  const double r = trials;
  const auto& rows = table.sources;
  ComponentIntervals intervals;
  if (!(rows.back().ms > 0)) return intervals;  // no scatter: nothing is resolved
  const MeanSquare error = mean_square(rows.back(), tail);
  intervals.repeatability = exact(error, tail);
  Sizes sizes{0, 0, r};
  if (design == Design::crossed || design == Design::crossed_pooled) {
    sizes.p = rows[0].df + 1;
    sizes.o = rows[1].df + 1;
    const double pr = sizes.p * r;
    const MeanSquare part = mean_square(rows[0], tail), op = mean_square(rows[1], tail);
    std::vector<Term> terms{{1 / pr, op}};
    MeanSquare below = error;
    if (design == Design::crossed) {
      below = mean_square(rows[2], tail);
      terms.push_back({(sizes.p - 1) / pr, below});
      terms.push_back({(r - 1) / r, error});
    } else {
      terms.push_back({(pr - 1) / pr, error});
    }
    intervals.gauge = of_sum(terms);
    intervals.gauge_satterthwaite = satterthwaite(terms, tail);
    intervals.parts = of_difference(part, below, sizes.o * r, tail);
  } else if (design == Design::nested) {
    sizes.o = rows[0].df + 1;
    sizes.p = rows[1].df / sizes.o + 1;
  } else {
    sizes.p = rows[0].df + 1;
    intervals.gauge = intervals.repeatability;
    intervals.parts = of_difference(mean_square(rows[0], tail), error, r, tail);
  }
  if (settings.draws > 0) add_generalised(intervals, table, design, sizes, settings);
  return intervals;
}

}  // namespace datum::quality
