// Stability of a gauge: control charts of one master over shifts.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "daemon/quality/study/stability_study.h"

namespace datum::quality {
namespace stability_study_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Three readings in um of a master in each shift: 1200 - 0.1, + 0, + 0.1, moved by `moved(shift)` and spread by `wide(shift)` tenths.
template <class Moved, class Wide>
StudyTable shifts(int n, Moved moved, Wide wide) {
  StudyTable table{"um", {}};
  for (int shift = 0; shift < n; ++shift)
    for (const int i : {0, -1, 1})
      table.readings.push_back({"M",
                                fmt::format("s{}", shift),
                                "",
                                Decimal{12000 + i * wide(shift) + moved(shift), 1},
                                {},
                                "",
                                "",
                                0});
  return table;
}
const auto none = [](int) { return 0; };
const auto one = [](int) { return 1; };

template <class Is>
std::vector<std::string> names_where(const Stability& r, Is is) {
  std::vector<std::string> names;
  for (const Subgroup& g : r.subgroups)
    if (is(g)) names.push_back(g.name);
  return names;
}
std::vector<std::string> means_out(const Stability& r) {
  return names_where(r, [](const Subgroup& g) { return g.mean_out; });
}
std::vector<std::string> spreads_out(const Stability& r) {
  return names_where(r, [](const Subgroup& g) { return g.spread_out; });
}
std::vector<std::string> cusum_out(const Stability& r) {
  return names_where(r, [](const Subgroup& g) { return g.cusum.out; });
}

std::string refusal(const StudyTable& table) {
  try {
    stability_study(table, {});
  } catch (const StudyRefused& refused) {
    return refused.what();
  }
  return "taken";
}

TEST(Stability, OfASteadyGaugeIsInControlWithTheChartsOwnLimits) {
  const Stability r = stability_study(shifts(20, none, one), {});
  EXPECT_TRUE(r.in_control());
  // Each s is 0.1, c4(3) = 0.886227: sigma 0.112838; A3(3) = 1.95441, B4(3) = 2.56817.
  EXPECT_NEAR(r.sigma, 0.1 / 0.886227, 1e-6);
  EXPECT_NEAR(r.subgroups[7].of_mean.upper - r.mean, 0.195441, 1e-6);
  EXPECT_NEAR(r.subgroups[7].of_spread.upper, 0.256817, 1e-6);
  EXPECT_EQ(r.target, 1200);
  EXPECT_THAT(tell(r, {}, "um").text, HasSubstr("\nin control\n"));
}

TEST(Stability, NamesTheShiftWhoseMeanOrSpreadIsOut) {
  const Stability moved = stability_study(shifts(
                                              20, [](int i) { return i == 4 ? 4 : 0; }, one),
                                          {});
  EXPECT_THAT(means_out(moved), ElementsAre("s4"));
  EXPECT_THAT(spreads_out(moved), IsEmpty());
  EXPECT_FALSE(moved.in_control());
  const Stability wide = stability_study(shifts(20, none, [](int i) { return i == 9 ? 6 : 1; }), {});
  EXPECT_THAT(spreads_out(wide), ElementsAre("s9"));
  EXPECT_THAT(means_out(wide), IsEmpty());
}

TEST(Stability, ShowsASlowShiftInTheCusumWhereNoMeanIsOut) {
  // Second half higher by 0.1 um, 1.53 sigma of a mean: +-0.77 about the mean of all, beyond the slack 0.5 by 0.27 a shift.
  const Stability r = stability_study(shifts(
                                          60, [](int i) { return i < 30 ? 0 : 1; }, one),
                                      {});
  EXPECT_THAT(means_out(r), IsEmpty());
  EXPECT_THAT(cusum_out(r), ::testing::Not(IsEmpty()));
  EXPECT_FALSE(r.in_control());
  // About a certified value the steady gauge with a bias of 0.1 um is out, too: 1.03 a shift, beyond 4.77 at the fifth.
  const Stability biased = stability_study(shifts(20, none, one), {.reference = 1199.9});
  EXPECT_THAT(cusum_out(biased), Contains("s4"));
  EXPECT_THAT(cusum_out(biased), ::testing::Not(Contains("s3")));
  EXPECT_TRUE(stability_study(shifts(20, none, one), {.reference = 1199.9, .k = 2}).in_control());
}

TEST(Stability, OfASteadyNoisyGaugeSeldomAlarms) {
  // 1,000 studies of 20 shifts: expected false alarms of means and s about 20 (1/370 + 1/200), of the CUSUM 20 / 369; together below 0.22.
  std::mt19937_64 random(3);
  std::normal_distribution<double> draw(0, 300);
  int alarms = 0;
  for (int study = 0; study < 1000; ++study) {
    StudyTable table = shifts(20, none, one);
    for (Reading& r : table.readings) r.value = Decimal{12'000'000 + std::llround(draw(random)), 4};
    alarms += !stability_study(table, {}).in_control();
  }
  EXPECT_GT(alarms, 20);
  EXPECT_LT(alarms, 220);
}

TEST(Stability, RefusesWhatIsNoSeriesOfOneMaster) {
  StudyTable two = shifts(20, none, one);
  two.readings[40].part = "N";
  EXPECT_THAT(refusal(two), HasSubstr("'M' and 'N': a stability study has one master"));
  EXPECT_THAT(refusal(shifts(9, none, one)), HasSubstr("9 subgroups (operators)"));
  StudyTable torn = shifts(20, none, one);
  torn.readings[30].op = "s1";
  EXPECT_THAT(refusal(torn), HasSubstr("operator 's1' has readings before and after"));
  StudyTable thin = shifts(20, none, one);
  thin.readings[3].value.reset();
  EXPECT_EQ(refusal(thin), "taken") << "two values are left, with limits of their own";
  thin.readings[4].value.reset();
  EXPECT_THAT(refusal(thin), HasSubstr("subgroup 's1' has 1 value, others have more"));
  thin.readings[5].value.reset();
  EXPECT_THAT(refusal(thin), HasSubstr("subgroup 's1' has no value"));
  const auto with = [](const StabilitySettings& s) {
    return [s] { return stability_study(shifts(20, none, one), s); };
  };
  EXPECT_THROW(with({.baseline = 9})(), StudyRefused);
  EXPECT_THROW(with({.baseline = 21})(), StudyRefused);
  StudyTable unequal = shifts(20, none, one);
  unequal.readings[3].value.reset();
  EXPECT_THROW(stability_study(unequal, {.by_range = true}), StudyRefused);
  EXPECT_THAT(refusal(StudyTable{"um", {}}), HasSubstr("0 subgroups"));
}

/// Three readings of each of 20 subgroups, 8 h apart with 12 h in the middle; computed by R 4.2.2 on its own:
///   i <- rep(0:19, each=3); j <- rep(0:2, 20); x <- 1200 + 0.1*((7*i*i + 5*j*i + 3*j) %% 11) + 0.02*i
///   t <- 8*3600*i + 60*j + ifelse(i >= 10, 4*3600, 0)
///   m <- tapply(x,i,mean); s <- tapply(x,i,sd); d <- tapply(t,i,mean)/86400; d <- d-d[1]; c4 <- sqrt(2/2)*gamma(3/2)/gamma(1)
///   lm(m ~ d), confint; ptukey for d2; CUSUM by its two sums
StudyTable worked(int trials) {
  StudyTable table{"um", {}};
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < trials; ++j)
      table.readings.push_back({"M",
                                fmt::format("s{}", i + 1),
                                "",
                                Decimal{120'000 + 10 * ((7 * i * i + 5 * j * i + 3 * j) % 11) + 2 * i, 2},
                                {},
                                "",
                                "",
                                0,
                                1'700'000'000 + 28'800 * i + 60 * j + (i >= 10 ? 14'400 : 0)});
  return table;
}
constexpr double of_r = 2e-9;  // R prints ten decimals; d2 of ptukey has nine digits

TEST(Stability, AgreesWithRInChartsDriftAndBias) {
  const Stability r = stability_study(worked(3), {.reference = 1200.5});
  EXPECT_EQ(r.kind, StabilityChart::deviations);
  EXPECT_NEAR(r.mean, 1200.72, of_r);
  EXPECT_NEAR(r.sigma, 0.2817618358, of_r);
  EXPECT_NEAR(r.subgroups[5].of_mean.upper, 1201.2080258153, of_r);
  EXPECT_NEAR(r.subgroups[5].of_spread.upper, 0.6412845992, of_r);
  EXPECT_NEAR(*r.sigma_between, 0.2178644356, of_r);
  ASSERT_TRUE(r.drift && r.drift->by_time);
  EXPECT_NEAR(r.drift->slope, 0.0732984293, of_r);
  EXPECT_NEAR(r.drift->interval.lower, 0.0177037650, of_r);
  EXPECT_NEAR(r.drift->interval.upper, 0.1288930937, of_r);
  EXPECT_NEAR(r.drift->p, 0.0126230297, of_r);
  EXPECT_NEAR(r.drift->span, 6.5, of_r);
  EXPECT_NEAR(r.df, 36.5979236633, 1e-7);
  EXPECT_NEAR(r.subgroups[0].bias->lower, -0.7281691677, 1e-8);
  EXPECT_NEAR(r.subgroups[0].bias->upper, 0.3281691677, 1e-8);
  EXPECT_THAT(cusum_out(r), ElementsAre("s10", "s17", "s19"));
  EXPECT_NEAR(r.subgroups[2].cusum.above, 1.590053370, 1e-8);
  EXPECT_NEAR(r.subgroups[1].cusum.below, 0.721220423, 1e-8);
}

TEST(Stability, TakesLimitsFromPhaseOneRangesOrIndividualsAlone) {
  const Stability first = stability_study(worked(3), {.baseline = 12});
  EXPECT_NEAR(first.mean, 1200.6238888889, of_r);
  EXPECT_NEAR(first.sigma, 0.2889255746, of_r);
  EXPECT_NEAR(first.subgroups[19].of_mean.upper, 1201.1243226637, of_r);
  EXPECT_NEAR(stability_study(worked(3), {.by_range = true}).sigma, 0.2924548854, of_r);
  const Stability single = stability_study(worked(1), {});
  EXPECT_EQ(single.kind, StabilityChart::individuals);
  EXPECT_FALSE(single.subgroups[0].spread);
  EXPECT_NEAR(single.mean, 1200.785, of_r);
  EXPECT_NEAR(single.sigma, 0.4039329039, of_r);
  EXPECT_NEAR(single.subgroups[3].of_spread.upper, 1.4888508099, 1e-7);
  EXPECT_NEAR(single.drift->slope, 0.0807329843, of_r);
  EXPECT_NEAR(single.drift->p, 0.0519265728, of_r);
}

TEST(Stability, SaysWhatItShowsAndOverWhatADriftIs) {
  const std::string text = tell(stability_study(worked(3), {}), {}, "um").text;
  EXPECT_THAT(
      text, HasSubstr("0.0732984 um per day, 95 %: 0.0177038 ... 0.128893 (p 0.012623); over the 6.5 days"));
  EXPECT_THAT(text, HasSubstr("in control, and drifts\n"));
  EXPECT_THAT(text, HasSubstr("a bias that was there all the time"));
  StudyTable back = worked(3);
  back.readings[30].at_s = back.readings[31].at_s = back.readings[32].at_s = 1'700'000'000;
  const Stability by_number = stability_study(back, {});
  EXPECT_FALSE(by_number.drift->by_time) << "a clock was set back";
  EXPECT_NEAR(by_number.drift->slope, 0.0256140351, of_r);
  EXPECT_NEAR(by_number.drift->p, 0.0115786336, of_r);
  EXPECT_THAT(tell(by_number, {}, "um").text, HasSubstr("the drift is per subgroup"));
}

TEST(Stability, OfOneDaySaysThatDaysAreNotInIt) {
  StudyTable hours = worked(3);
  for (Reading& r : hours.readings)
    r.at_s = 1'700'000'000 + (*r.at_s - 1'700'000'000) / 10;  // 6.5 days in 15.6 h
  EXPECT_THAT(tell(stability_study(hours, {}), {}, "um").text, HasSubstr("! all subgroups lie within a day"));
  EXPECT_THAT(tell(stability_study(worked(3), {}), {}, "um").text, ::testing::Not(HasSubstr("within a day")));
}

TEST(Stability, ABiasWithinTheReferencesUncertaintyIsNotShown) {
  // s10 has the largest mean: its interval lies beyond 0, and U = 2 u of the reference covers the rest.
  const auto biased = [](double u) {
    return names_where(stability_study(worked(3), {.reference = 1200.0, .u_reference = u}),
                       [](const Subgroup& g) { return g.bias_shown; });
  };
  EXPECT_THAT(biased(0), Contains("s10"));
  EXPECT_THAT(biased(2), IsEmpty());
}

TEST(Stability, OfEqualReadingsIsNotResolvableAndNeverInControl) {
  const Stability r = stability_study(shifts(20, none, none), {});
  EXPECT_FALSE(r.resolvable() || r.in_control());
  EXPECT_THAT(tell(r, {}, "um").text, HasSubstr("not resolvable"));
}

}  // namespace
}  // namespace stability_study_test
}  // namespace datum::quality
