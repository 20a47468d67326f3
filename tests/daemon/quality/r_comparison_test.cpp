// The same studies by R (aov, lme4) and by daemon/quality: the worked sets, and random ones with fixed seeds. SKIPPED where there is no
// Rscript, or no lme4.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <sstream>

#include "daemon/quality/statistics/control_constants.h"
#include "daemon/quality/statistics/distributions.h"
#include "daemon/quality/study/anova.h"
#include "daemon/quality/study/intervals.h"
#include "daemon/quality/study/reml.h"
#include "tests/daemon/quality/gauge_sets.h"
#include "tests/daemon/quality/r_values.h"

namespace datum::quality {
namespace r_comparison_test {
namespace {

using testing::Agreement;

/// Nearly normal: a sum of twelve uniform numbers, with the same bits in every library.
double deviate(std::mt19937& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random()) / 4294967296.0;
  return sum;
}

GaugeData random_study(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto up_to = [&](std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(random()) % (most - least + 1);
  };
  GaugeData d;
  d.unit = "um";
  d.digits = 1;
  d.trials = static_cast<int>(up_to(2, 4));
  for (std::uint32_t p = up_to(3, 10); p > 0; --p) d.parts.push_back("P" + std::to_string(p));
  for (std::uint32_t o = up_to(2, 5); o > 0; --o) d.operators.push_back("O" + std::to_string(o));
  const double of_parts = up_to(5, 200), of_operators = up_to(0, 40), of_both = up_to(0, 20),
               of_trials = up_to(2, 30);
  std::vector<double> ops;
  for (std::size_t o = 0; o < d.operators.size(); ++o) ops.push_back(of_operators * deviate(random));
  for (std::size_t p = 0; p < d.parts.size(); ++p) {
    const double part = of_parts * deviate(random);
    d.cells.emplace_back();
    for (std::size_t o = 0; o < d.operators.size(); ++o) {
      const double cell = 12'000 + part + ops[o] + of_both * deviate(random);
      Trials trials;
      for (int t = 0; t < d.trials; ++t) trials.push_back(std::llround(cell + of_trials * deviate(random)));
      d.cells[p].push_back(std::move(trials));
    }
  }
  return d;
}

std::map<std::string, GaugeData> studies() {
  std::map<std::string, GaugeData> all{{"A", testing::gauge_set_a()}, {"B", testing::gauge_set_b()}};
  for (std::uint32_t seed = 1; seed <= 20; ++seed) all["random-" + std::to_string(seed)] = random_study(seed);
  std::map<std::string, GaugeData> missing;
  for (const auto& [name, study] : all) {
    GaugeData& m = missing[name + "-missing"] = study;
    m.cells[study.parts.size() / 2][1].pop_back();
    if (study.parts.size() > 4) m.cells[0][0].pop_back();
  }
  all.merge(missing);
  return all;
}

std::string table_of(const std::map<std::string, GaugeData>& all) {
  std::ostringstream csv;
  csv << "study,part,operator,count\n";
  for (const auto& [name, study] : all)
    for (std::size_t p = 0; p < study.parts.size(); ++p)
      for (std::size_t o = 0; o < study.operators.size(); ++o)
        for (const std::int64_t count : study.cells[p][o])
          csv << name << ',' << study.parts[p] << ',' << study.operators[o] << ',' << count << '\n';
  return csv.str();
}

class RComparison : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    all = studies();
    theirs = testing::values_of_r(DATUM_R_SCRIPT, table_of(all), "library(lme4)");
  }
  void SetUp() override {
    if (!theirs) GTEST_SKIP() << "no Rscript with lme4 here (r-base-core, r-cran-lme4)";
  }
  static inline std::map<std::string, GaugeData> all;
  static inline std::optional<testing::RValues> theirs;
};

// R's doubles lose some three digits in the orthogonalisation of up to 200 values.
TEST_F(RComparison, AnalysesOfVariance) {
  Agreement squares, tests, intervals;
  for (const auto& [name, study] : all) {
    if (!study.balanced()) continue;
    const CrossedAnova a = crossed_anova(study, 0.05);
    for (std::size_t i = 0; i < 4; ++i)
      squares.compare(name + " ss " + std::to_string(i), a.full.sources[i].ss, *theirs);
    squares.compare(name + " pooled", a.pooled.sources[2].ms, *theirs);
    tests.compare(name + " f", *a.full.sources[2].f, *theirs);
    tests.compare(name + " p", a.p_interaction, *theirs);
    const ComponentIntervals by_ours =
        intervals_of(a.full, Design::crossed, study.trials, {.confidence = 0.95, .draws = 0});
    for (const auto& [what, interval] : {std::pair{" ev", by_ours.repeatability},
                                         std::pair{" grr", by_ours.gauge}, std::pair{" pv", by_ours.parts}}) {
      ASSERT_TRUE(interval) << name << what;
      intervals.compare(name + what + " lower", interval->lower, *theirs);
      intervals.compare(name + what + " upper", interval->upper, *theirs);
    }
  }
  intervals.demand(11, "MLS intervals of GRR and PV, exact of EV");
  squares.demand(11, "sums of squares, aov");
  tests.demand(11, "F and p of the interaction, aov");
}

// The criterion is flat at its minimum, so it agrees in twice the digits of the components; those of lme4 end with its optimiser. A
// component at its bound is 0 for both, or below 1e-7 of all for lme4.
TEST_F(RComparison, RestrictedMaximumLikelihood) {
  Agreement criterion, components;
  for (const auto& [name, study] : all) {
    const Reml r = reml(study, RemlModel::crossed);
    EXPECT_TRUE(r.converged) << name;
    criterion.compare(name + " criterion", r.minus_two_log_likelihood, *theirs);
    double total = 0;
    for (const RemlComponent& c : r.components) total += c.variance;
    for (const RemlComponent& c : r.components) {
      const double by_r = theirs->at(name + " reml " + c.name);
      if (by_r < 1e-7 * total)
        EXPECT_LT(c.variance, 1e-7 * total) << name << " " << c.name;
      else
        components.compare(name + " reml " + c.name, c.variance, *theirs);
    }
  }
  criterion.demand(9, "-2 log REML, lme4");
  components.demand(4, "components, lme4");
}

TEST_F(RComparison, ChartConstantsAndDistributions) {
  Agreement gamma, ranges, spread, distributions;
  for (const int n : {2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 25}) {
    const std::string of = " " + std::to_string(n);
    gamma.compare("c4" + of, c4(n), *theirs);
    const RangeConstants r = range_constants(n);
    ranges.compare("d2" + of, r.d2, *theirs);
    spread.compare("r2" + of, r.d2 * r.d2 + r.d3 * r.d3, *theirs);
  }
  for (const auto& [text, df] : {std::pair{"1", 1.0}, {"2.5", 2.5}, {"15", 15.0}, {"120", 120.0}}) {
    distributions.compare(std::string("t ") + text, t_quantile(0.975, df), *theirs);
    distributions.compare(std::string("chi2 ") + text, chi2_quantile(0.025, df), *theirs);
    distributions.compare(std::string("fq ") + text, f_quantile(0.975, df, 8), *theirs);
    distributions.compare(std::string("fp ") + text, f_upper(3.7, 4, df), *theirs);
  }
  distributions.compare("z", normal_quantile(0.99865), *theirs);
  const Bounds share = clopper_pearson(47, 50, 0.95);
  distributions.compare("binomial lower", share.first, *theirs);
  distributions.compare("binomial upper", share.second, *theirs);
  gamma.demand(12, "c4");
  ranges.demand(12, "d2");
  spread.demand(12, "d2 d2 + d3 d3");
  distributions.demand(11, "quantiles and probabilities");
}

}  // namespace
}  // namespace r_comparison_test
}  // namespace datum::quality
