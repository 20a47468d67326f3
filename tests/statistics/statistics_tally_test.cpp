// The table's sums and demands.
#include "tests/statistics/statistics_tally.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/statistics/statistics_run.h"
#include "tests/statistics/statistics_table.h"

namespace datum::statistics {
namespace {

/// Known values: 0.5^10 * (10 + 1), and 1.
TEST(StatisticsTally, TheTailOfABinomialDistribution) {
  EXPECT_NEAR(binomial_tail(10, 9, 0.5), 11.0 / 1024, 1e-12);
  EXPECT_NEAR(binomial_tail(10, 1, 0.06), 1 - std::pow(0.94, 10), 1e-12);
  EXPECT_EQ(binomial_tail(10, 0, 0.5), 1);
  EXPECT_EQ(binomial_tail(10, 11, 0.5), 0);
  EXPECT_EQ(binomial_tail(10, 1, 0), 0);
  EXPECT_EQ(binomial_tail(10, 10, 1), 1);
}

TEST(StatisticsTally, EachDemandCanFallShort) {
  Tally good;
  good.cases = good.at_limit = good.beyond = 1000;
  good.outside = 46;
  good.at_limit_passed = 50;
  good.error2 = 1000;
  EXPECT_EQ(shortfall(good, {}, alpha), "");
  const auto with = [&](auto change, Wanted wanted = {}) {
    Tally t = good;
    change(t);
    return shortfall(t, wanted, alpha);
  };
  EXPECT_EQ(with([](Tally& t) { t.outside = 100; }), "outside U");
  EXPECT_EQ(with([](Tally& t) { t.at_limit_passed = 90; }), "PASS at the limit");
  EXPECT_EQ(with([](Tally& t) { t.beyond_passed = 1; }), "PASS at 1.25");
  Wanted wanted;
  wanted.invalid_most = 0.01;
  EXPECT_EQ(with([](Tally& t) { t.invalid = 30; }, wanted), "INVALID");
  EXPECT_EQ(with([](Tally& t) { t.invalid = 20; }, wanted), "");
  wanted = {};
  wanted.invalid_least = 0.99;
  EXPECT_EQ(with(
                [](Tally& t) {
                  t.invalid = 900;
                  t.outside = 0;
                },
                wanted),
            "accepted");
  EXPECT_EQ(with(
                [](Tally& t) {
                  t.invalid = t.cases;
                  t.outside = 0;
                },
                wanted),
            "");
  wanted = {};
  wanted.outside_least = 0.03;
  EXPECT_EQ(with([](Tally& t) { t.outside = 2; }, wanted), "U too large");
  wanted = {};
  wanted.bias_um = 0.3;
  EXPECT_EQ(with([](Tally& t) { t.error = 500; }, wanted), "bias");  // 0.5, with a standard error of 0.03
  EXPECT_EQ(with([](Tally& t) { t.error = 300; }, wanted), "");
}

/// The cells do not depend on the number of threads.
TEST(StatisticsRun, ThreadsChangeNothing) {
  Plan plan;
  plan.rows = {all_rows().front()};
  plan.bodies = {bodies()[4]};  // 0402
  plan.frames = 3;
  std::vector<double> errors;
  for (unsigned threads : {1u, 3u}) {
    plan.threads = threads;
    run(plan,
        [&](const Cells& c) { errors.push_back(c.tallies[static_cast<std::size_t>(Column::median)].error); });
  }
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0], errors[1]);
  EXPECT_NE(errors[0], 0);
}

}  // namespace
}  // namespace datum::statistics
