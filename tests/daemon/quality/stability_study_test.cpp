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
  EXPECT_NEAR(r.chart.sigma, 0.1 / 0.886227, 1e-6);
  EXPECT_NEAR(r.chart.of_means[7].upper - r.chart.mean, 0.195441, 1e-6);
  EXPECT_NEAR(r.chart.of_spreads[7].upper, 0.256817, 1e-6);
  EXPECT_EQ(r.target, 1200);
  EXPECT_THAT(tell(r, {}, "um").text, HasSubstr("\nin control\n"));
}

TEST(Stability, NamesTheShiftWhoseMeanOrSpreadIsOut) {
  const Stability moved = stability_study(shifts(
                                              20, [](int i) { return i == 4 ? 4 : 0; }, one),
                                          {});
  EXPECT_THAT(moved.means_out, ElementsAre("s4"));
  EXPECT_THAT(moved.spreads_out, IsEmpty());
  EXPECT_FALSE(moved.in_control());
  const Stability wide = stability_study(shifts(20, none, [](int i) { return i == 9 ? 6 : 1; }), {});
  EXPECT_THAT(wide.spreads_out, ElementsAre("s9"));
  EXPECT_THAT(wide.means_out, IsEmpty());
}

TEST(Stability, ShowsASlowShiftInTheCusumWhereNoMeanIsOut) {
  // Second half higher by 0.1 um, 1.53 sigma of a mean: +-0.77 about the mean of all, beyond the slack 0.5 by 0.27 a shift.
  const Stability r = stability_study(shifts(
                                          60, [](int i) { return i < 30 ? 0 : 1; }, one),
                                      {});
  EXPECT_THAT(r.means_out, IsEmpty());
  EXPECT_THAT(r.cusum_out, ::testing::Not(IsEmpty()));
  EXPECT_FALSE(r.in_control());
  // About a certified value the steady gauge with a bias of 0.1 um is out, too: 1.03 a shift, beyond 4.77 at the fifth.
  const Stability biased = stability_study(shifts(20, none, one), {.reference = 1199.9});
  EXPECT_THAT(biased.cusum_out, Contains("s4"));
  EXPECT_THAT(biased.cusum_out, ::testing::Not(Contains("s3")));
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
  EXPECT_THAT(refusal(thin), HasSubstr("subgroup 's1' has 1 values"));
  EXPECT_THAT(refusal(StudyTable{"um", {}}), HasSubstr("0 subgroups"));
}

TEST(Stability, OfEqualReadingsIsNotResolvableAndNeverInControl) {
  const Stability r = stability_study(shifts(20, none, none), {});
  EXPECT_FALSE(r.resolvable() || r.in_control());
  EXPECT_THAT(tell(r, {}, "um").text, HasSubstr("not resolvable"));
}

}  // namespace
}  // namespace stability_study_test
}  // namespace datum::quality
