// Type 1, bias, linearity and attribute studies against worked examples and NIST StRD.
#include <gtest/gtest.h>

#include <cmath>

#include "daemon/quality/statistics/line_fit.h"
#include "daemon/quality/study/attribute_study.h"
#include "daemon/quality/study/reference_studies.h"
#include "tests/daemon/quality/strd.h"

namespace datum::quality {
namespace reference_studies_test {
namespace {

using testing::correct_digits;
constexpr double six = 5.1e-7;

std::vector<std::int64_t> type1_readings() {
  std::vector<std::int64_t> counts;
  for (int i = 0; i < 5; ++i)
    counts.insert(counts.end(), {12002, 11999, 12001, 12004, 11998, 12000, 12003, 12001, 11999, 12002});
  return counts;
}

TEST(Type1, IsTheWorkedExample) {
  const Type1 six_sigma =
      type1_study(type1_readings(), 1, {.reference = 1200, .tolerance = 16, .resolution = 0.1});
  EXPECT_NEAR(six_sigma.s, 0.183225, six);
  EXPECT_NEAR(six_sigma.bias, 0.09, 1e-10);
  EXPECT_NEAR(*six_sigma.cg, 2.910810, six);
  EXPECT_NEAR(*six_sigma.cgk, 2.747077, six);
  EXPECT_NEAR(*six_sigma.t, 3.473302, six);
  EXPECT_NEAR(*six_sigma.p, 0.001085, six);
  EXPECT_NEAR(*six_sigma.resolution_percent, 0.625, 1e-12);
  const Type1 four = type1_study(type1_readings(), 1, {.reference = 1200, .tolerance = 16, .sigmas = 4});
  EXPECT_NEAR(*four.cg, 4.366215, six);
  EXPECT_NEAR(*four.cgk, 4.120615, six);
}

TEST(Type1, OfEqualReadingsHasNoIndexAndOfFewIsRefused) {
  const Type1 equal =
      type1_study(std::vector<std::int64_t>(30, 12000), 1, {.reference = 1200, .tolerance = 16});
  EXPECT_FALSE(equal.cg);
  EXPECT_FALSE(equal.p);
  EXPECT_THROW(type1_study(std::vector<std::int64_t>(24, 12000), 1, {.reference = 1200, .tolerance = 16}),
               StudyRefused);
}

TEST(Bias, HasTheIntervalOfRsTTest) {
  // t.test(rep(c(1200.2,1199.9,1200.1,1200.4,1199.8,1200.0,1200.3,1200.1,1199.9,1200.2),5), mu=1200)
  const Bias b = bias_study(type1_readings(), 1, 1200, 0.05, 0.95);
  EXPECT_NEAR(b.mean + (b.interval.lower - b.bias), 1200.037928, six);
  EXPECT_NEAR(b.mean + (b.interval.upper - b.bias), 1200.142072, six);
  EXPECT_NEAR(*b.p, 0.0010845, 5.1e-8);
  EXPECT_NEAR(b.u, std::hypot(0.1832250763 / std::sqrt(50.0), 0.05), 1e-9);
}

TEST(Linearity, IsTheWorkedExample) {
  const std::vector<std::vector<std::int64_t>> biases{
      {4, 2, 3, 5}, {3, 1, 2, 4}, {1, 2, -1, 2}, {0, -2, 1, 1}, {-2, -3, -1, 0}};
  std::vector<Master> masters;
  for (std::size_t i = 0; i < 5; ++i) {
    const std::int64_t reference = 200 + 400 * static_cast<std::int64_t>(i);
    masters.push_back({{reference, 0}, biases[i]});
    for (auto& count : masters.back().counts) count += 10 * reference;
  }
  const Linearity l = linearity_study(masters, 1, 0.95);
  EXPECT_NEAR(l.slope, -0.0003125, 1e-12);
  EXPECT_NEAR(l.intercept, 0.4225, 1e-9);
  EXPECT_NEAR(l.s, 0.123153, six);
  EXPECT_NEAR(l.r2, 0.695991, six);
  EXPECT_NEAR(*l.t_slope, 6.419407, six);
  EXPECT_NEAR(*l.t_intercept, 7.554134, six);
  EXPECT_NEAR(l.t_limit, 2.100922, six);
  EXPECT_FALSE(l.kept());
  EXPECT_FALSE(l.bands.front().holds_zero());
  // t s sqrt(1 / 20 + 800^2 / 6.4e6)
  EXPECT_NEAR(l.bands.front().half_width, 0.1002075, 1e-6);
}

TEST(Linearity, GivesTheCertifiedDigitsOfNorris) {
  // Biases y - x over x have Norris' slope less 1; each point is a master of its own.
  std::vector<Master> masters;
  for (const auto& point : testing::norris())
    masters.push_back({decimal_of(point.x), testing::counts_of({point.y}, 1)});
  EXPECT_THROW(linearity_study(masters, 1, 0.95), StudyRefused) << "one reading each";
  const Linearity l = bias_regression(masters, 1, 0.95);
  EXPECT_GE(correct_digits(l.slope + 1, 1.00211681802045), 14);
  EXPECT_GE(correct_digits(l.intercept, -0.262323073774029), 12);
  EXPECT_GE(correct_digits(l.u_slope, 0.429796848199937e-03), 12);
  EXPECT_GE(correct_digits(l.u_intercept, 0.232818234301152), 12);
  EXPECT_GE(correct_digits(l.s, 0.884796396144373), 12);
}

TEST(LineFit, GivesTheCertifiedDigitsOfNorrisAndRefusesWhatIsNoLine) {
  std::vector<double> x, y;
  for (const auto& point : testing::norris()) {
    x.push_back(std::stod(point.x));
    y.push_back(std::stod(point.y));
  }
  const LineFit fit = line_fit(x, y);
  EXPECT_GE(correct_digits(fit.slope, 1.00211681802045), 14);
  EXPECT_GE(correct_digits(fit.intercept, -0.262323073774029), 13);
  EXPECT_GE(correct_digits(fit.u_slope, 0.429796848199937e-03), 13);
  EXPECT_GE(correct_digits(fit.u_intercept, 0.232818234301152), 13);
  EXPECT_GE(correct_digits(fit.s, 0.884796396144373), 13);
  EXPECT_EQ(fit.df, 34);
  EXPECT_THROW(line_fit(std::vector{1.0, 2.0}, std::vector{1.0, 2.0}), std::invalid_argument);
  EXPECT_THROW(line_fit(std::vector{1.0, 1.0, 1.0}, std::vector{1.0, 2.0, 3.0}), std::invalid_argument);
  EXPECT_THROW(line_fit(x, std::vector{1.0, 2.0, 3.0}), std::invalid_argument);
}

TEST(Kappa, IsTheWorkedExample) {
  const Kappa k = cohen_kappa({{44, 6}, {3, 97}});
  EXPECT_NEAR(k.agreement, 0.94, 1e-12);
  EXPECT_NEAR(k.by_chance, 0.562222, six);
  EXPECT_NEAR(*k.kappa, 0.862944, six);
  const Bounds b = clopper_pearson(47, 50, 0.95);
  EXPECT_NEAR(b.first, 0.834518, six);
  EXPECT_NEAR(b.second, 0.987451, six);
  EXPECT_FALSE(cohen_kappa({{50, 0}, {0, 0}}).kappa) << "all in one category";
}

TEST(Kappa, OfFleissIsThatOfHisPaper) {
  // Fleiss 1971, ten subjects, fourteen ratings, five categories: kappa 0.210.
  const std::vector<std::vector<std::uint64_t>> subjects{
      {0, 0, 0, 0, 14}, {0, 2, 6, 4, 2}, {0, 0, 3, 5, 6}, {0, 3, 9, 2, 0}, {2, 2, 8, 1, 1},
      {7, 7, 0, 0, 0},  {3, 2, 6, 3, 0}, {2, 5, 3, 2, 2}, {6, 5, 2, 1, 0}, {0, 2, 2, 3, 7}};
  const Kappa k = fleiss_kappa(subjects);
  EXPECT_NEAR(k.agreement, 0.378, 5e-4);
  EXPECT_NEAR(k.by_chance, 0.213, 5e-4);
  EXPECT_NEAR(*k.kappa, 0.210, 5e-4);
}

TEST(AttributeStudy, CountsMissesAndFalseAlarms) {
  std::vector<Rating> ratings;
  for (int part = 0; part < 10; ++part)
    for (const char* appraiser : {"A", "B"})
      for (int trial = 0; trial < 2; ++trial) {
        const bool bad = part >= 8;
        const bool wrong = (part == 0 && appraiser[0] == 'B' && trial == 0) ||
                           (part == 9 && appraiser[0] == 'B' && trial == 0);
        ratings.push_back(
            {"P" + std::to_string(part), appraiser, bad != wrong ? "FAIL" : "PASS", bad ? "FAIL" : "PASS"});
      }
  const AttributeStudy s = attribute_study(ratings, 0.95);
  ASSERT_EQ(s.appraisers.size(), 2u);
  EXPECT_EQ(s.appraisers[0].effectiveness.k, 10u);
  EXPECT_EQ(*s.appraisers[0].with_reference.kappa, 1);
  EXPECT_EQ(s.appraisers[1].effectiveness.k, 8u);
  EXPECT_EQ(s.appraisers[1].misses.k, 1u);
  EXPECT_EQ(s.appraisers[1].misses.n, 4u);
  EXPECT_EQ(s.appraisers[1].false_alarms.k, 1u);
  EXPECT_EQ(s.appraisers[1].false_alarms.n, 16u);
  ASSERT_TRUE(s.between);
  ratings.push_back({"P0", "A", "PASS", "FAIL"});
  EXPECT_THROW(attribute_study(ratings, 0.95), StudyRefused) << "two references";
}

}  // namespace
}  // namespace reference_studies_test
}  // namespace datum::quality
