// Numbers behind the charts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "daemon/report/chart.h"

namespace datum {
namespace chart_test {
namespace {

using ::testing::ElementsAre;

CheckVerdict check(double value, std::optional<double> lower, std::optional<double> upper,
                   std::optional<double> nominal = std::nullopt) {
  CheckVerdict v;
  v.decision = Decision::pass;
  v.value = value;
  v.check.lower = lower;
  v.check.upper = upper;
  v.check.nominal = nominal;
  return v;
}

}  // namespace

TEST(Chart, ShareOfTheToleranceIsHundredAtALimit) {
  EXPECT_EQ(share_of_tolerance(check(1180, 1140, 1180)), 100);
  EXPECT_EQ(share_of_tolerance(check(1140, 1140, 1180)), -100);
  EXPECT_EQ(share_of_tolerance(check(1165, 1140, 1180)), 25);
  EXPECT_EQ(share_of_tolerance(check(1200, 1140, 1180)), 200);
  EXPECT_EQ(share_of_tolerance(check(7, std::nullopt, 10, 4)), 50);  // one limit: from the nominal to it
  EXPECT_EQ(share_of_tolerance(check(7, 6, std::nullopt, 10)), -75);
  CheckVerdict tilt = check(200, std::nullopt, 800);
  tilt.check.characteristic = Characteristic::tilt;  // a good part's tilt is 0
  EXPECT_EQ(share_of_tolerance(tilt), 25);
}

TEST(Chart, WhatWasNotMeasuredHasNoPlace) {
  CheckVerdict invalid = check(1160, 1140, 1180);
  invalid.decision = Decision::invalid;
  EXPECT_EQ(share_of_tolerance(invalid), std::nullopt);
  EXPECT_EQ(share_of_tolerance(check(std::nan(""), 1140, 1180)), std::nullopt);
  EXPECT_EQ(share_of_tolerance(check(1160, std::nullopt, 1180)), std::nullopt);  // no value of a good part
}

TEST(Chart, AxisMapsItsEndsAndATick) {
  const Axis axis{10, 20, 300, 100};  // values rise as pixels fall
  EXPECT_EQ(axis.at(10), 300);
  EXPECT_EQ(axis.at(20), 100);
  EXPECT_EQ(axis.at(12.5), 250);
  const Axis flat = axis_over(5, 5, 0, 100);
  EXPECT_EQ(flat.at(5), 50);
}

TEST(Chart, TicksAreRound) {
  EXPECT_THAT(ticks_of({1139, 1182, 0, 1}, 5), ElementsAre(1140, 1150, 1160, 1170, 1180));
  EXPECT_THAT(ticks_of({-0.3, 0.3, 0, 1}, 4), ElementsAre(-0.2, 0, 0.2));
  EXPECT_EQ(tick_text(0.30000000000000004, 0.1), "0.3");
  EXPECT_EQ(tick_text(-0.0, 0.1), "0.0");
  EXPECT_EQ(tick_text(1140, 10), "1140");
}

// R: quantile(c(1, 2, 3, 4)), quantile(c(7, 15, 36, 39, 40, 41), c(.25, .5, .75)), type 7.
TEST(Chart, FiveNumbersAreThoseOfR) {
  const FiveNumbers four = five_numbers({4, 1, 3, 2});
  EXPECT_EQ(four.first_quartile, 1.75);
  EXPECT_EQ(four.median, 2.5);
  EXPECT_EQ(four.third_quartile, 3.25);
  const FiveNumbers six = five_numbers({41, 7, 39, 15, 40, 36});
  EXPECT_EQ(six.n, 6u);
  EXPECT_EQ(six.least, 7);
  EXPECT_EQ(six.first_quartile, 20.25);
  EXPECT_EQ(six.median, 37.5);
  EXPECT_EQ(six.third_quartile, 39.75);
  EXPECT_EQ(six.most, 41);
  EXPECT_EQ(five_numbers({3}).median, 3);
  EXPECT_THROW(five_numbers({}), std::invalid_argument);
}

}  // namespace chart_test
}  // namespace datum
