// Charts, run rules, run lengths and capability against worked examples and the literature.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "daemon/quality/spc/capability.h"
#include "daemon/quality/spc/charts.h"
#include "daemon/quality/spc/run_rules.h"

namespace datum::quality {
namespace spc_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr double six = 5.1e-7;
const std::vector<std::int64_t> worked{12012, 11998, 12005, 12021, 11989, 12000, 12017, 11994, 12009, 12011,
                                       11986, 12003, 12024, 11999, 12007, 12015, 11992, 12002, 12019, 12006};

std::vector<Point> points_of(const std::vector<std::int64_t>& counts) {
  return {counts.begin(), counts.end()};
}

TEST(IndividualsChart, IsTheWorkedExample) {
  const IndividualsChart c = individuals_chart(points_of(worked), 1);
  EXPECT_NEAR(c.mean, 1200.545, six);
  EXPECT_NEAR(c.mean_range, 1.6, six);
  EXPECT_NEAR(c.sigma, 1.417963, six);
  // The example takes d2 1.128379 and D4 3.26653, rounded as printed.
  EXPECT_NEAR(c.values.lower, 1196.291110, 1e-6);
  EXPECT_NEAR(c.values.upper, 1204.798890, 1e-6);
  EXPECT_NEAR(c.ranges.upper, 5.226448, 1.6 * 5e-6);
}

TEST(IndividualsChart, HasNoRangeAcrossAGap) {
  const IndividualsChart c = individuals_chart(std::vector<Point>{10, 20, std::nullopt, 1000, 1010}, 0);
  EXPECT_EQ(c.n, 4u);
  EXPECT_EQ(c.ranges_n, 2u);
  EXPECT_EQ(c.mean_range, 10);
}

TEST(GroupsChart, HasTheLimitsOfItsConstants) {
  const std::vector<std::vector<std::int64_t>> groups{
      {10, 12, 14, 11, 13}, {11, 15, 12, 13, 10}, {9, 12, 13, 14, 12}};
  const GroupsChart r = groups_chart(groups, 0, true), s = groups_chart(groups, 0, false);
  EXPECT_NEAR(r.mean, 12.0666666667, 1e-9);
  EXPECT_NEAR(r.mean_spread, 14 / 3.0, 1e-12);
  EXPECT_NEAR(r.of_means[0].upper - r.mean, 0.57682 * 14 / 3, 5e-5);
  EXPECT_NEAR(r.of_spreads[0].upper, 2.11450 * 14 / 3, 5e-5);
  EXPECT_NEAR(s.of_means[0].upper - s.mean, 1.42730 * s.mean_spread, 5e-5);
  EXPECT_NEAR(s.of_spreads[0].upper, 2.08900 * s.mean_spread, 5e-5);
  EXPECT_TRUE(s.between_negative);
  EXPECT_EQ(s.sigma_between, 0);
  const GroupsChart unequal = groups_chart({{10, 12}, {11, 15, 12}}, 0, false);
  EXPECT_GT(unequal.of_means[0].upper, unequal.of_means[1].upper) << "a limit for each size";
  EXPECT_THROW(groups_chart({{10, 12}, {11, 15, 12}}, 0, true), std::invalid_argument);
  EXPECT_THROW(groups_chart({{10}}, 0, false), std::invalid_argument);
}

TEST(Ewma, AndCusumFollowTheirRecursion) {
  const std::vector<Point> points{12, std::nullopt, 14};
  const auto e = ewma_chart(points, 0, 10, 1, 0.5, 3);
  EXPECT_EQ(e[0]->z, 11);
  EXPECT_NEAR(e[0]->upper, 11.5, 1e-12);
  EXPECT_FALSE(e[1]);
  EXPECT_EQ(e[2]->z, 12.5);
  EXPECT_TRUE(e[2]->out);
  const auto c = cusum_chart(points, 0, 10, 1, 0.5, 4, false);
  EXPECT_EQ(c[0]->above, 1.5);
  EXPECT_FALSE(c[0]->out);
  EXPECT_EQ(c[2]->above, 5);
  EXPECT_TRUE(c[2]->out);
  EXPECT_EQ(*c[2]->shifted_to, 10 + 0.5 + 5 / 2.0);
  EXPECT_EQ(cusum_chart(points, 0, 10, 1, 0.5, 4, true)[0]->above, 3.5);
}

TEST(RunLengths, AreThoseOfTheLiterature) {
  struct {
    double lambda, width, at[4];
  } const ewma[] = {{.05, 2.615, {500, 28.8, 11.4, 5.22}},
                    {.1, 2.814, {500, 31.3, 10.3, 4.36}},
                    {.2, 2.962, {500, 41.8, 10.5, 3.74}},
                    {.4, 3.054, {500, 71.2, 14.3, 3.52}}};
  struct {
    double k, h, at[4];
  } const cusum[] = {{.5, 4, {167.7, 26.6, 8.38, 3.34}},
                     {.5, 4.77, {368.6, 35.2, 9.92, 3.86}},
                     {.5, 5, {465.4, 38.0, 10.38, 4.01}},
                     {.25, 8.01, {370.3, 28.8, 11.4, 5.22}}};
  const double shifts[] = {0, 0.5, 1, 2};
  for (int i = 0; i < 4; ++i) {
    for (const auto& e : ewma)
      EXPECT_NEAR(run_length_of_ewma(e.lambda, e.width, shifts[i]) / e.at[i], 1, 0.005)
          << e.lambda << " " << shifts[i];
    for (const auto& c : cusum)
      EXPECT_NEAR(run_length_of_cusum(c.k, c.h, shifts[i]) / c.at[i], 1, 0.005) << c.h << " " << shifts[i];
  }
}

TEST(RunLengths, OfAHeadStartAreThoseOfLucasAndCrosier) {
  // Technometrics 24, 1982, table 3: two-sided, k 0.5, head start h / 2, three digits.
  EXPECT_NEAR(run_length_of_cusum(0.5, 5, 0, true), 430, 0.5);
  EXPECT_NEAR(run_length_of_cusum(0.5, 5, 1, true), 6.35, 0.005);
  EXPECT_NEAR(run_length_of_cusum(0.5, 4, 0, true), 149, 0.5);
  EXPECT_NEAR(run_length_of_cusum(0.5, 4, 1, true), 5.29, 0.005);
}

TEST(RunRules, HaveTheFalseAlarmsOfTheTable) {
  // The table's simulation has +- 3 %, 10 000 runs here 1 % (one standard deviation).
  const double alone[] = {370, 518, 431, 608, 511, 289, 945};
  for (int rule = 1; rule <= 7; ++rule)
    EXPECT_NEAR(run_length_of_rules({{rule}, 9}) / alone[rule - 1], 1, 0.06) << rule;
  EXPECT_NEAR(run_length_of_rules(rule_set_of("western-electric")) / 90, 1, 0.06);
  EXPECT_NEAR(run_length_of_rules(rule_set_of("1,2,3,4")) / 120, 1, 0.06);
  EXPECT_NEAR(run_length_of_rules(rule_set_of("nelson")) / 75, 1, 0.06);
}

std::vector<int> rules_hit(const std::vector<std::optional<double>>& z) {
  std::vector<int> rules;
  for (const RuleHit& hit : rule_hits(z, rule_set_of("nelson"))) rules.push_back(hit.rule);
  return rules;
}

TEST(RunRules, AreExact) {
  using ::testing::ElementsAre;
  using ::testing::IsEmpty;
  const std::optional<double> gap;
  EXPECT_THAT(rules_hit({3.0}), IsEmpty()) << "strict";
  EXPECT_THAT(rules_hit({3.01}), ElementsAre(1));
  EXPECT_THAT(rules_hit({.5, .6, .5, .6, .5, .5, .5, .5, .5}), ElementsAre(2));
  EXPECT_THAT(rules_hit({.5, .6, .5, .6, 0, .5, .5, .5, .5}), IsEmpty())
      << "a point on the centre line ends a run";
  EXPECT_THAT(rules_hit({.5, .6, .5, .6, gap, .5, .5, .5, .5}), IsEmpty()) << "so does a gap";
  EXPECT_THAT(rules_hit({-.5, -.4, -.3, .1, .2, .3}), ElementsAre(3));
  EXPECT_THAT(rules_hit({-.5, -.4, -.3, -.3, .2, .3}), IsEmpty()) << "ties";
  std::vector<std::optional<double>> alternating;
  for (int i = 0; i < 14; ++i) alternating.emplace_back(i % 2 ? .5 : -.5);
  EXPECT_THAT(rules_hit(alternating), ElementsAre(4));
  EXPECT_THAT(rules_hit({2.1, 0.5, 2.1}), ElementsAre(5));
  EXPECT_THAT(rules_hit({2.1, gap, 2.1}), IsEmpty()) << "the window needs all members";
  EXPECT_THAT(rules_hit({2.1, 0.5, -2.1}), IsEmpty());
  EXPECT_THAT(rules_hit({1.1, 1.2, .5, 1.1, 1.2}), ElementsAre(6));
  std::vector<std::optional<double>> inside(15);
  for (int i = 0; i < 15; ++i) inside[i] = (i % 4 < 2 ? .5 : -.5);
  EXPECT_THAT(rules_hit(inside), ElementsAre(7));
  EXPECT_THAT(rules_hit({1.1, -1.1, 1.1, -1.1, 1.1, -1.1, 1.1, -1.1}), ElementsAre(8));
  EXPECT_EQ(rule_hits(std::vector<std::optional<double>>{0.1, 3.5}, rule_set_of("1"))[0].first, 1u);
  for (const char* text : {"", "0", "9", "1,", "1;2", "all"})
    EXPECT_THROW(rule_set_of(text), std::invalid_argument) << text;
}

TEST(Capability, IsTheWorkedExample) {
  const IndividualsChart chart = individuals_chart(points_of(worked), 1);
  const Capability c = capability_of(worked, 1, {1192, 1208, 1200}, chart.sigma,
                                     moving_range_df(chart.ranges_n), Distribution::normal, 0.95);
  EXPECT_NEAR(c.mean, 1200.545, six);
  EXPECT_NEAR(c.s, 1.073349, six);
  EXPECT_NEAR(c.cp->value, 1.880632, six);
  EXPECT_NEAR(c.cpk->value, 1.752514, six);
  EXPECT_NEAR(c.pp->value, 2.484435, six);
  EXPECT_NEAR(c.pp->interval->first, 1.701002, six);
  EXPECT_NEAR(c.pp->interval->second, 3.266885, six);
  EXPECT_NEAR(c.ppk->value, 2.315183, six);
  EXPECT_NEAR(c.ppk->interval->first, 1.564719, six);
  EXPECT_NEAR(c.ppk->interval->second, 3.065647, six);
  EXPECT_NEAR(c.ppk->exact->first, 1.569383, six);
  EXPECT_NEAR(c.ppk->exact->second, 3.057774, six);
  EXPECT_NEAR(*c.cpm_s, 2.215231, six);
  EXPECT_NEAR(*c.cpm_n, 2.260618, six);
  EXPECT_THAT(c.notes, Contains(HasSubstr("negative autocorrelation")));
  EXPECT_GT(c.cpk->interval->second - c.cpk->interval->first,
            2 * 1.96 * std::sqrt(1 / 180.0 + c.cpk->value * c.cpk->value / 38))
      << "fewer degrees of freedom than n - 1";
}

TEST(Capability, OfLognormalValuesComesFromQuantiles) {
  // Quantiles of the distribution itself: values at (i - 0.5) / n.
  std::vector<std::int64_t> counts;
  std::mt19937_64 random(5);
  std::lognormal_distribution<double> draw(std::log(5.0), 0.3);
  for (int i = 0; i < 200'000; ++i) counts.push_back(decimal_of(draw(random), 6).count);
  const Specification spec{{}, 15, {}};
  // Standard errors: of the fitted log's mean and s 0.3 / sqrt(n), 0.0007 and 0.0005: 0.5 % of the index.
  EXPECT_NEAR(capability_of(counts, 6, spec, 0, 0, Distribution::lognormal, 0.95).ppk->value, 1.370251, 0.01);
  EXPECT_NEAR(capability_of(counts, 6, spec, 0, 0, Distribution::empirical, 0.95).ppk->value, 1.370251, 0.05);
  const Capability naive = capability_of(counts, 6, spec, 0, 0, Distribution::normal, 0.95);
  EXPECT_NEAR(naive.ppk->value, 2.037608, 0.02);
  EXPECT_THAT(naive.notes, Contains(HasSubstr("not normal")));
  counts.resize(2000);
  const Capability few = capability_of(counts, 6, spec, 0, 0, Distribution::empirical, 0.95);
  EXPECT_FALSE(few.ppk);
  EXPECT_THAT(few.notes, Contains(HasSubstr("need 2218")));
  counts[0] = 0;
  EXPECT_FALSE(capability_of(counts, 6, spec, 0, 0, Distribution::lognormal, 0.95).ppk);
  EXPECT_EQ(std::ceil(std::log(0.05) / std::log(0.99865)), static_cast<double>(least_empirical));
}

TEST(Capability, WithAGuardBandHasLimitsMovedInwards) {
  const Specification spec{1192, 1208, 1200};
  const auto guarded = [&](const Specification& s, double u) {
    Capability c = capability_of(worked, 1, s, 0, 0, Distribution::normal, 0.95);
    const double ppk = c.ppk->value;
    add_guarded(c, s, 2, u, 0.95);
    EXPECT_EQ(c.ppk->value, ppk) << "never overwritten";
    return c;
  };
  // m 1200.545, s 1.073349: the upper limit is nearer, (1208 - 1 - m) / 3 s.
  const Capability c = guarded(spec, 0.5);
  EXPECT_NEAR(c.ppk_gb->value, 6.455 / (3 * 1.073349), 2e-6);
  EXPECT_LT(c.ppk_gb->interval->first, c.ppk_gb->value);
  EXPECT_EQ(*c.guard_band, 1);
  EXPECT_NEAR(guarded({1192, {}, {}}, 0.5).ppk_gb->value, 7.545 / (3 * 1.073349), 3e-6);
  EXPECT_LT(guarded(spec, 3.9).ppk_gb->value, 0) << "the mean lies beyond a moved limit";
  EXPECT_THAT(guarded(spec, 4).notes, Contains(HasSubstr("leaves nothing between the limits")));
  for (const double u : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    const Capability none = guarded(spec, u);
    EXPECT_FALSE(none.ppk_gb || none.guard_band) << u;
    EXPECT_THAT(none.notes, Contains(HasSubstr("no Ppk_gb"))) << u;
  }
}

TEST(Capability, WithAGuardBandOfQuantilesMovesTheLimitsToo) {
  std::vector<std::int64_t> counts;
  for (int i = 1; i <= 40; ++i)
    counts.push_back(decimal_of(std::exp(std::log(5.0) + 0.3 * normal_quantile((i - 0.5) / 40)), 6).count);
  const auto index = [&](const Specification& s) {
    return capability_of(counts, 6, s, 0, 0, Distribution::lognormal, 0.95);
  };
  Capability c = index({{}, 15, {}});
  add_guarded(c, {{}, 15, {}}, 2, 0.25, 0.95);
  EXPECT_DOUBLE_EQ(c.ppk_gb->value, index({{}, 14.5, {}}).ppk->value);
  EXPECT_FALSE(c.ppk_gb->interval);
}

TEST(Capability, OfEqualValuesOrOneValueHasNoIndex) {
  for (const std::size_t n : {0u, 1u, 30u}) {
    const Capability c = capability_of(std::vector<std::int64_t>(n, 12000), 1, {1192, 1208, {}}, 0, 0,
                                       Distribution::normal, 0.95);
    EXPECT_FALSE(c.pp || c.ppk || c.cp || c.cpk) << n;
    EXPECT_EQ(c.notes.size(), 1u);
  }
}

TEST(MovingRanges, HaveTheirEffectiveDegreesOfFreedom) {
  // By simulation: variance of the mean range of 51 normal values over its squared mean is 1 / (2 df).
  std::mt19937_64 random(3);
  std::normal_distribution<double> draw;
  double sum = 0, squares = 0;
  constexpr int runs = 40'000;
  for (int run = 0; run < runs; ++run) {
    double mean = 0, last = draw(random);
    for (int i = 0; i < 50; ++i) {
      const double next = draw(random);
      mean += std::abs(next - last) / 50;
      last = next;
    }
    sum += mean;
    squares += mean * mean;
  }
  const double mean = sum / runs, variance = squares / runs - mean * mean;
  EXPECT_NEAR(moving_range_df(50) / (mean * mean / (2 * variance)), 1,
              0.04);  // the covariance of the ends is left out; 0.7 % of scatter
}

}  // namespace
}  // namespace spc_test
}  // namespace datum::quality
