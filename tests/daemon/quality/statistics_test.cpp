// Exact sums against NIST StRD, distributions against R, chart constants against QUALITY's table by quadrature.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "daemon/quality/statistics/control_constants.h"
#include "daemon/quality/statistics/distributions.h"
#include "daemon/quality/statistics/exact.h"
#include "tests/daemon/quality/strd.h"

namespace datum::quality {
namespace statistics_test {
namespace {

using testing::correct_digits;

constexpr double digits_wanted = 14.5;  // a double holds 15.95; certified values have 15

/// Value, then `pairs` times a - 0.1, a + 0.1: NumAcc2 to 4. Counts of 0.1.
std::vector<std::int64_t> numerical_accuracy(std::int64_t level) {
  std::vector<std::int64_t> counts{level};
  for (int i = 0; i < 500; ++i) counts.insert(counts.end(), {level - 1, level + 1});
  return counts;
}

TEST(ExactSums, GiveTheCertifiedDigitsOfUnivariateStRD) {
  struct {
    const char* name;
    std::vector<std::int64_t> counts;
    int digits;
    double mean, deviation;
  } const sets[] = {
      {"NumAcc1", {10000001, 10000003, 10000002}, 0, 10000002, 1},
      {"NumAcc2", numerical_accuracy(12), 1, 1.2, 0.1},
      {"NumAcc3", numerical_accuracy(10000002), 1, 1000000.2, 0.1},
      {"NumAcc4", numerical_accuracy(100000002), 1, 10000000.2, 0.1},
  };
  for (const auto& set : sets) {
    const ExactSums sums = sums_of(set.counts);
    EXPECT_GE(correct_digits(sums.mean(set.digits), set.mean), digits_wanted) << set.name;
    EXPECT_GE(correct_digits(std::sqrt(sums.variance(set.digits)), set.deviation), digits_wanted) << set.name;
  }
  std::vector<std::int64_t> light = testing::michelson();
  for (std::int64_t& count : light) count += 299'000;
  EXPECT_GE(correct_digits(sums_of(light).mean(3), 299.852400000000), digits_wanted);
  EXPECT_GE(correct_digits(std::sqrt(sums_of(light).variance(3)), 0.0790105478190518), digits_wanted);
}

TEST(ExactSums, AreTheSameBitsInAnyOrderAndForAnyMerge) {
  std::vector<std::int64_t> counts;
  std::mt19937_64 random(7);
  for (int i = 0; i < 10'000; ++i)
    counts.push_back(1'200'000'000'000 + static_cast<std::int64_t>(random() % 4'000'000));
  const ExactSums forward = sums_of(counts);
  std::shuffle(counts.begin(), counts.end(), random);
  ExactSums halves = sums_of(std::span(counts).first(3'333));
  halves.merge(sums_of(std::span(counts).subspan(3'333)));
  EXPECT_EQ(halves.sum, forward.sum);
  EXPECT_EQ(halves.squares, forward.squares);
  EXPECT_EQ(halves.variance(6), forward.variance(6));
  for (int i = 0; i < 5'000; ++i) halves.remove(counts[i]);
  EXPECT_EQ(halves.variance(6), sums_of(std::span(counts).subspan(5'000)).variance(6));
}

TEST(ExactSums, TakeABillionOfTheLargestValues) {
  // By doubling: sum 2^30 * 1e18, squares 2^30 * 1e36.
  ExactSums sums;
  sums.add(largest_count);
  sums.add(-largest_count);
  for (int i = 0; i < 29; ++i) sums.merge(ExactSums(sums));
  EXPECT_EQ(sums.n, 1u << 30);
  EXPECT_EQ(sums.mean(0), 0);
  EXPECT_GE(correct_digits(sums.variance(0), 1e36 * 1073741824.0 / 1073741823.0), digits_wanted);
}

TEST(Decimal, IsTheTextsNumber) {
  EXPECT_EQ(decimal_of("1200.4").count, 12004);
  EXPECT_EQ(decimal_of("-0.05").count, -5);
  EXPECT_EQ(decimal_of("-0.05").digits, 2);
  EXPECT_EQ(decimal_of("1.2e3").count, 1200);
  EXPECT_EQ(decimal_of("1.2e3").digits, 0);
  EXPECT_EQ(decimal_of("12e-1").digits, 1);
  EXPECT_EQ(decimal_of("1200.4000").digits, 1);
  EXPECT_EQ(decimal_of("0.000").digits, 0);
  EXPECT_EQ(count_at(decimal_of("7"), 3), 7000);
  EXPECT_EQ(decimal_of(1200.4, 6).count, 1'200'400'000);
}

TEST(Decimal, RefusesWhatIsNoNumber) {
  for (const char* text : {"",
                           " ",
                           "nan",
                           "NaN",
                           "inf",
                           "-inf",
                           "1,5",
                           "1.5.2",
                           "0x10",
                           "1e",
                           "e5",
                           ".",
                           "-",
                           "1 200",
                           "=1+2",
                           "1200.4um",
                           "1e19",
                           "1234567890123456789",
                           "1e-19",
                           "1e99999999999",
                           "\xef\xbb\xbf"
                           "1"})
    EXPECT_THROW(decimal_of(text), std::invalid_argument) << text;
  EXPECT_THROW(decimal_of(std::nan(""), 6), std::invalid_argument);
  EXPECT_THROW(decimal_of(1e13, 6), std::invalid_argument);
  EXPECT_THROW(count_at(decimal_of("123456789012345678"), 3), std::invalid_argument);
}

// Rscript -e 'options(digits=15); cat(qnorm(.975), qt(.975,18), 2*pt(-3.473302,49), pf(0.286052,8,15,lower=F), qf(.025,4,8),
//   qchisq(.025,15), qbeta(.025,47,4), qbeta(.975,48,3), pf(5507.921487,4,8,lower=F))'
TEST(Distributions, AreThoseOfR) {
  EXPECT_GE(correct_digits(normal_quantile(.975), 1.95996398454005), 12);
  EXPECT_GE(correct_digits(t_quantile(.975, 18), 2.10092204024104), 12);
  EXPECT_GE(correct_digits(t_two_sided(3.473302, 49), 0.00108452220346227), 12);
  EXPECT_GE(correct_digits(f_upper(0.286052, 8, 15), 0.960278255606728), 12);
  EXPECT_GE(correct_digits(f_upper(5507.921487, 4, 8), 8.67725207830068e-14), 12);
  EXPECT_GE(correct_digits(f_quantile(.025, 4, 8), 0.111363778014429), 12);
  EXPECT_GE(correct_digits(chi2_quantile(.025, 15), 6.26213779504325), 12);
  const auto [low, high] = clopper_pearson(47, 50, .95);
  EXPECT_GE(correct_digits(low, 0.834518053396227), 11);
  EXPECT_GE(correct_digits(high, 0.987451412164666), 11);
  EXPECT_EQ(clopper_pearson(0, 50, .95).first, 0);
  EXPECT_EQ(clopper_pearson(50, 50, .95).second, 1);
}

TEST(ControlConstants, AreThoseOfTheTableByQuadrature) {
  struct {
    int n;
    double c4, d2, d3, a2, a3, b3, b4, D3, D4;
  } const rows[] = {{2, .797885, 1.128379, .852502, 1.87997, 2.65868, 0, 3.26653, 0, 3.26653},
                    {3, .886227, 1.692569, .888368, 1.02333, 1.95441, 0, 2.56817, 0, 2.57459},
                    {4, .921318, 2.058751, .879808, .72860, 1.62810, 0, 2.26605, 0, 2.28205},
                    {5, .939986, 2.325929, .864082, .57682, 1.42730, 0, 2.08900, 0, 2.11450},
                    {6, .951533, 2.534413, .848040, .48325, 1.28713, .03036, 1.96964, 0, 2.00383},
                    {8, .965030, 2.847201, .819831, .37253, 1.09910, .18509, 1.81491, .13617, 1.86383},
                    {10, .972659, 3.077505, .797051, .30826, .97535, .28371, 1.71629, .22302, 1.77698}};
  for (const auto& r : rows) {
    const RangeConstants range = range_constants(r.n);
    EXPECT_NEAR(c4(r.n), r.c4, 5.1e-7);
    EXPECT_NEAR(range.d2, r.d2, 5.1e-7);
    EXPECT_NEAR(range.d3, r.d3, 5.1e-7);
    EXPECT_NEAR(3 / (range.d2 * std::sqrt(r.n)), r.a2, 5.1e-6);
    EXPECT_NEAR(3 / (c4(r.n) * std::sqrt(r.n)), r.a3, 5.1e-6);
    EXPECT_NEAR(s_lower_factor(r.n), r.b3, 5.1e-6);
    EXPECT_NEAR(s_upper_factor(r.n), r.b4, 5.1e-6);
    EXPECT_NEAR(range.lower_factor(), r.D3, 5.1e-6);
    EXPECT_NEAR(range.upper_factor(), r.D4, 5.1e-6);
  }
  // K2, K3 of AIAG: 1 / d2* of one range.
  EXPECT_NEAR(1 / range_constants(2).single(), .7071, 5e-5);
  EXPECT_NEAR(1 / range_constants(3).single(), .5231, 5e-5);
  EXPECT_NEAR(1 / range_constants(10).single(), .3146, 5e-5);
}

}  // namespace
}  // namespace statistics_test
}  // namespace datum::quality
