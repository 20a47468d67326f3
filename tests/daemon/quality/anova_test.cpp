// Analyses of variance, intervals, range method and REML against worked examples, NIST StRD and R's lme4.
#include <gtest/gtest.h>

#include <cmath>

#include "daemon/quality/study/anova.h"
#include "daemon/quality/study/intervals.h"
#include "daemon/quality/study/range_method.h"
#include "daemon/quality/study/reml.h"
#include "tests/daemon/quality/gauge_sets.h"
#include "tests/daemon/quality/strd.h"

namespace datum::quality {
namespace anova_test {
namespace {

using testing::correct_digits;
using testing::gauge_set_a;
using testing::gauge_set_b;

constexpr double six = 5.1e-7;  // half a unit of the sixth decimal that the examples print
constexpr double digits_wanted = 14;

TEST(OneWayAnova, GivesTheCertifiedDigitsOfStRD) {
  // F of SmLs with 21, 201 and 2001 values a treatment.
  for (const std::int64_t base : std::vector<std::int64_t>{1, 1'000'000, 1'000'000'000'000}) {
    for (const int replicates : {21, 201, 2001}) {
      const OneWayAnova a = one_way_anova(testing::simon_lesage(base, replicates), 1);
      const auto& rows = a.table.sources;
      EXPECT_EQ(rows[0].df, 8);
      EXPECT_EQ(rows[1].df, 9 * (replicates - 1));
      EXPECT_GE(correct_digits(rows[0].ss, 0.08 * replicates), digits_wanted) << base;
      EXPECT_GE(correct_digits(rows[1].ss, 0.09 * (replicates - 1)), digits_wanted) << base;
      EXPECT_GE(correct_digits(*rows[0].f, replicates), digits_wanted) << base << " x " << replicates;
    }
  }
  const auto rows = one_way_anova(testing::si_rstv(), 4).table.sources;
  EXPECT_GE(correct_digits(rows[0].ss, 5.11462616000000e-02), digits_wanted);
  EXPECT_GE(correct_digits(rows[1].ss, 2.16636560000000e-01), digits_wanted);
  EXPECT_GE(correct_digits(*rows[0].f, 1.18046237440255e+00), digits_wanted);
}

TEST(OneWayAnova, TakesGroupsOfDifferentSize) {
  // summary(aov(y ~ g, data.frame(y = c(1, 2, 4, 6, 7, 9.5, 3), g = factor(c(1, 1, 1, 2, 2, 2, 3)))))
  const OneWayAnova a = one_way_anova({{10, 20, 40}, {60, 70, 95}, {30}}, 1);
  EXPECT_NEAR(a.table.sources[0].ss, 43.19047619, 5e-9);
  EXPECT_NEAR(a.table.sources[1].ss, 11.16666667, 5e-9);
  EXPECT_NEAR(*a.table.sources[0].f, 7.73561, 5.1e-6);
  EXPECT_NEAR(*a.table.sources[0].p, 0.042202, 5.1e-7);
}

TEST(CrossedAnova, IsTheWorkedExample) {
  const CrossedAnova a = crossed_anova(gauge_set_a(), 0.05), b = crossed_anova(gauge_set_b(), 0.05);
  EXPECT_NEAR(a.mean, 1203.33, six);
  const double ss_a[] = {888.611333, 5.954, 0.322667, 2.115}, ss_b[] = {879.476667, 4.502, 2.141333, 2.115};
  const double ms_a[] = {222.152833, 2.977, 0.040333, 0.141}, ms_b[] = {219.869167, 2.251, 0.267667, 0.141};
  const int df[] = {4, 2, 8, 15};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(a.full.sources[i].ss, ss_a[i], six);
    EXPECT_NEAR(b.full.sources[i].ss, ss_b[i], six);
    EXPECT_NEAR(a.full.sources[i].ms, ms_a[i], six);
    EXPECT_NEAR(b.full.sources[i].ms, ms_b[i], six);
    EXPECT_EQ(a.full.sources[i].df, df[i]);
  }
  EXPECT_NEAR(*a.full.sources[2].f, 0.286052, six);
  EXPECT_NEAR(a.p_interaction, 0.960278, six);
  EXPECT_NEAR(*b.full.sources[2].f, 1.898345, six);
  EXPECT_NEAR(b.p_interaction, 0.135484, six);
  EXPECT_NEAR(*a.full.sources[0].f, 5507.9214876, six);
  EXPECT_NEAR(*a.full.sources[0].p / 1e-14, 8.677, 5.1e-4);
  EXPECT_NEAR(*a.full.sources[1].f, 73.809917, six);
  EXPECT_NEAR(*a.full.sources[1].p / 1e-6, 6.984, 5.1e-4);
  EXPECT_TRUE(a.pooled_chosen);
  EXPECT_TRUE(b.pooled_chosen);
  EXPECT_FALSE(crossed_anova(gauge_set_b(), 0.25).pooled_chosen);

  const VarianceComponents &ca = a.full.components, &cb = b.full.components;
  EXPECT_NEAR(ca.interaction, -0.050333, six);
  EXPECT_NEAR(cb.interaction, 0.063333, six);
  EXPECT_NEAR(ca.repeatability, 0.141, six);
  EXPECT_NEAR(ca.operators, 0.293667, six);
  EXPECT_NEAR(ca.parts, 37.01875, six);
  EXPECT_NEAR(cb.operators, 0.198333, six);
  EXPECT_NEAR(cb.parts, 36.60025, six);
  EXPECT_NEAR(std::sqrt(ca.gauge()), 0.659293, six);
  EXPECT_NEAR(std::sqrt(ca.total()), 6.119920, six);
  EXPECT_NEAR(std::sqrt(cb.gauge()), 0.634560, six);
  EXPECT_NEAR(std::sqrt(cb.total()), 6.083002, six);
  EXPECT_NEAR(100 * std::sqrt(ca.gauge() / ca.total()), 10.772896, six);
  EXPECT_NEAR(100 * std::sqrt(cb.gauge() / cb.total()), 10.431695, six);

  EXPECT_EQ(a.pooled.sources[2].df, 23);
  EXPECT_NEAR(a.pooled.sources[2].ms, 0.105986, six);
  EXPECT_NEAR(b.pooled.sources[2].ms, 0.185058, six);
  EXPECT_NEAR(*a.pooled.sources[0].f, 2096.068030, six);
  EXPECT_NEAR(*a.pooled.sources[1].f, 28.088746, six);
  EXPECT_NEAR(a.pooled.components.operators, 0.287101, six);
  EXPECT_NEAR(a.pooled.components.parts, 37.007808, six);
  EXPECT_NEAR(b.pooled.components.operators, 0.206594, six);
  EXPECT_NEAR(b.pooled.components.parts, 36.614018, six);
  EXPECT_NEAR(std::sqrt(a.pooled.components.gauge()), 0.626966, six);
}

TEST(NestedAnova, IsTheWorkedExampleWithItsNegativeComponent) {
  // Set A read as nested: the parts of an operator are measured by nobody else.
  const GaugeData a = gauge_set_a();
  GaugeData nested = a;
  nested.parts.clear();
  nested.cells.clear();
  for (std::size_t j = 0; j < 3; ++j) {
    for (std::size_t i = 0; i < 5; ++i) {
      nested.parts.push_back(a.operators[j] + a.parts[i]);
      std::vector<Trials> row(3);
      row[j] = a.cells[i][j];
      nested.cells.push_back(row);
    }
  }
  const NestedAnova n = nested_anova(nested);
  EXPECT_NEAR(n.table.sources[0].ms, 2.977, six);
  EXPECT_NEAR(n.table.sources[1].ms, 74.077833, six);
  EXPECT_EQ(n.table.sources[1].df, 12);
  EXPECT_NEAR(n.table.sources[2].ms, 0.141, six);
  EXPECT_EQ(n.table.sources[2].df, 15);
  EXPECT_NEAR(n.table.components.operators, -7.110083, six);
  EXPECT_NEAR(n.table.components.parts, 36.968417, six);
  EXPECT_NEAR(n.table.components.gauge(), 0.141, six);
  const Reml r = reml(nested, RemlModel::nested);
  EXPECT_TRUE(r.converged);
  EXPECT_TRUE(r.components[0].boundary);
  EXPECT_NEAR(r.variance("part in operator"), 31.889786, six);
}

TEST(Intervals, AreTheWorkedExample) {
  const IntervalSettings settings{.confidence = 0.95, .draws = 400'000, .seed = 1};
  const auto a = intervals_of(crossed_anova(gauge_set_a(), 0.05).full, Design::crossed, 2, settings);
  const auto b = intervals_of(crossed_anova(gauge_set_b(), 0.05).full, Design::crossed, 2, settings);
  EXPECT_NEAR(a.repeatability->lower, 0.076942, six);
  EXPECT_NEAR(a.repeatability->upper, 0.337744, six);
  EXPECT_NEAR(a.gauge->lower, 0.164809, six);
  EXPECT_NEAR(a.gauge->upper, 11.845658, six);
  EXPECT_NEAR(b.gauge->lower, 0.225644, six);
  EXPECT_NEAR(b.gauge->upper, 9.073814, six);
  EXPECT_NEAR(a.gauge_satterthwaite->lower, 0.128194, six);
  EXPECT_NEAR(a.gauge_satterthwaite->upper, 4.407064, six);
  EXPECT_NEAR(b.gauge_satterthwaite->lower, 0.167045, six);
  EXPECT_NEAR(b.gauge_satterthwaite->upper, 1.958554, six);
  EXPECT_NEAR(a.parts->lower, 13.285196, six);
  EXPECT_NEAR(a.parts->upper, 305.723861, six);
  EXPECT_NEAR(b.parts->lower, 13.117388, six);
  EXPECT_NEAR(b.parts->upper, 302.539414, six);
  // Percentiles of 100 000 draws scatter by 0.9 % at these tails (three seeds), of four times as many by half of it.
  const auto near = [](double value, double printed) {
    EXPECT_NEAR(value, printed, 0.015 * printed) << printed;
  };
  near(a.percent_study->lower, 3.57);
  near(a.percent_study->upper, 49.4);
  near(b.percent_study->lower, 3.93);
  near(b.percent_study->upper, 45.0);
  near(a.categories->lower, 2.5);
  near(a.categories->upper, 39.6);
  near(b.categories->lower, 2.8);
  near(b.categories->upper, 35.9);
}

TEST(Intervals, OfDrawnNumbersAreTheSameForASeedAndOthersForAnother) {
  const CrossedAnova a = crossed_anova(gauge_set_a(), 0.05);
  const auto with = [&](std::uint64_t seed) {
    return intervals_of(a.full, Design::crossed, 2, {.confidence = 0.95, .draws = 2'000, .seed = seed})
        .percent_study->upper;
  };
  EXPECT_EQ(with(1), with(1));
  EXPECT_NE(with(1), with(2));
}

TEST(RangeMethod, IsTheWorkedExample) {
  const RangeMethod m = range_method(gauge_set_a());
  EXPECT_NEAR(m.mean_range, 0.513333, six);
  EXPECT_NEAR(m.difference, 1.09, six);
  EXPECT_NEAR(m.part_range, 16.066667, six);
  // The examples take K1 .8862, K2 .5231, K3 .4030, which have four digits.
  EXPECT_NEAR(m.repeatability, 0.454916, 5e-5);
  EXPECT_NEAR(m.reproducibility, 0.551733, 5e-5);
  EXPECT_NEAR(m.gauge, 0.715093, 7e-5);
  EXPECT_NEAR(m.parts, 6.474867, 16.1 * 5e-5);
  EXPECT_NEAR(m.percent_study(), 10.977388, 3e-3);
  EXPECT_EQ(distinct_categories(m.parts, m.gauge), 12);
  EXPECT_TRUE(m.wide.empty());
  GaugeData wide = gauge_set_a();
  wide.cells[2][1][0] += 60;
  ASSERT_EQ(range_method(wide).wide.size(), 1u);
  EXPECT_EQ(range_method(wide).wide[0].part, 2u);
}

TEST(Categories, OfNoScatterAreNotInfinite) {
  EXPECT_EQ(distinct_categories(6, 0), std::nullopt);
  EXPECT_EQ(distinct_categories(0, 1), 1);
  EXPECT_EQ(distinct_categories(std::sqrt(36.6), 0.6), 14);
}

TEST(Reml, OfBalancedDataIsTheAnovaOrItsPooledSolution) {
  const Reml a = reml(gauge_set_a(), RemlModel::crossed), b = reml(gauge_set_b(), RemlModel::crossed);
  EXPECT_TRUE(a.converged);
  EXPECT_NEAR(a.variance("repeatability"), 0.105986, 1.1e-6);
  EXPECT_NEAR(a.variance("operator"), 0.287101, 1.1e-6);
  EXPECT_EQ(a.variance("part x operator"), 0);
  EXPECT_TRUE(a.components[2].boundary);
  EXPECT_NEAR(a.variance("part"), 37.0078, 5.1e-5);
  EXPECT_NEAR(b.variance("repeatability"), 0.141, six);
  EXPECT_NEAR(b.variance("operator"), 0.198333, six);
  EXPECT_NEAR(b.variance("part x operator"), 0.063333, six);
  EXPECT_NEAR(b.variance("part"), 36.60025, 5.1e-6);
}

TEST(Reml, OfAMissingValueIsThatOfLme4) {
  for (const bool second : {false, true}) {
    GaugeData data = second ? gauge_set_b() : gauge_set_a();
    data.cells[2][1].pop_back();
    EXPECT_THROW(crossed_anova(data, 0.05), StudyRefused);
    const Reml r = reml(data, RemlModel::crossed);
    EXPECT_TRUE(r.converged);
    EXPECT_NEAR(r.variance("repeatability"), second ? 0.136658 : 0.102391, six);
    EXPECT_NEAR(r.variance("operator"), second ? 0.224834 : 0.315081, six);
    EXPECT_NEAR(r.variance("part x operator"), second ? 0.069510 : 0, six);
    EXPECT_EQ(r.components[2].boundary, !second);
    EXPECT_NEAR(r.variance("part"), second ? 36.2693 : 36.6834, 5.1e-5);
    EXPECT_NEAR(r.minus_two_log_likelihood, second ? 67.6247 : 56.3993, 5.1e-5);
  }
}

TEST(Studies, OfTooLittleAreRefused) {
  GaugeData one = gauge_set_a();
  one.parts.resize(1);
  one.cells.resize(1);
  EXPECT_THROW(crossed_anova(one, 0.05), StudyRefused);
  GaugeData single = gauge_set_a();
  for (auto& part : single.cells)
    for (Trials& cell : part) cell.resize(1);
  EXPECT_THROW(crossed_anova(single, 0.05), StudyRefused);
  EXPECT_THROW(reml(single, RemlModel::crossed), StudyRefused);
  EXPECT_THROW(crossed_anova({}, 0.05), StudyRefused);
  EXPECT_THROW(one_way_anova({{1}, {2}}, 0), StudyRefused);
}

TEST(Studies, OfEqualValuesResolveNothingAndSaySo) {
  GaugeData equal = gauge_set_a();
  for (auto& part : equal.cells)
    for (Trials& cell : part) cell = {12000, 12000};
  const CrossedAnova a = crossed_anova(equal, 0.05);
  for (const Source& s : a.full.sources) {
    EXPECT_EQ(s.ss, 0);
    EXPECT_FALSE(s.f);
  }
  EXPECT_EQ(a.full.components.total(), 0);
  EXPECT_FALSE(intervals_of(a.full, Design::crossed, 2, {}).gauge);
  EXPECT_THROW(reml(equal, RemlModel::crossed), StudyRefused);
}

}  // namespace
}  // namespace anova_test
}  // namespace datum::quality
