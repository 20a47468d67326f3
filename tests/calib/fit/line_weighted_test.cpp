#include "calib/fit/line_weighted.h"

#include <gtest/gtest.h>

#include "tests/calib/fit/fit_points.h"
#include "tests/calib/fit/quad_newton.h"

namespace datum::line_weighted_test {
namespace {

using testing::Jet;

/// Pearson's data of 1901 with York's weights of 1966.
std::vector<WeightedPoint> pearson_york() {
  return {{0.0, 5.9, 1000, 1},  {0.9, 5.4, 1000, 1.8}, {1.8, 4.4, 500, 4}, {2.6, 4.6, 800, 8},
          {3.3, 3.5, 200, 20},  {4.4, 3.7, 80, 20},    {5.2, 2.8, 60, 70}, {6.1, 2.8, 20, 70},
          {6.5, 2.4, 1.8, 100}, {7.4, 1.5, 1, 500}};
}

TEST(LineWeighted, PearsonsDataWithYorksWeights) {
  const auto points = pearson_york();
  const WeightedLine line = fit_line_weighted(points);
  // As published, nine digits.
  EXPECT_NEAR(line.intercept_mm, 5.47991022, 5e-9);
  EXPECT_NEAR(line.slope, -0.480533407, 5e-10);
  // Standard errors at the adjusted points, York et al. 2004.
  EXPECT_NEAR(std::sqrt(line.covariance(0, 0)), 0.294970735, 5e-10);
  EXPECT_NEAR(std::sqrt(line.covariance(1, 1)), 0.0579850090, 5e-10);

  const auto sum = [&](const std::array<Jet<2>, 2>& x) {
    Jet<2> f;
    for (const WeightedPoint& p : points) {
      const Jet<2> r = Jet<2>(p.y_mm) - x[0] - x[1] * Jet<2>(p.x_mm);
      const Jet<2> variance =
          Jet<2>(1 / testing::Quad(p.weight_y)) + x[1] * x[1] * Jet<2>(1 / testing::Quad(p.weight_x));
      f = f + r * r * inverse(variance);
    }
    return f;
  };
  const auto truth = testing::lowest<2>(sum, {5, -0.5}, {2, 0.5}, 10);
  EXPECT_NEAR(line.intercept_mm, double(truth.at[0]), 1e-9 * 5.5);
  EXPECT_NEAR(line.slope, double(truth.at[1]), 1e-9 * 0.48);
  EXPECT_NEAR(line.chi_square, double(truth.value), 1e-9 * 12);
}

TEST(LineWeighted, ItsCovarianceIsHonest) {
  constexpr int trials = 4000;
  testing::Noise noise(41);
  std::array<double, 2> inside{};
  double product = 0, covariance = 0;
  for (int k = 0; k < trials; ++k) {
    auto points = pearson_york();
    for (auto& p : points) {  // noise of a hundredth, for which first order holds
      p.y_mm = 5.5 - 0.48 * p.x_mm;
      p.weight_x *= 1e4;
      p.weight_y *= 1e4;
      p.x_mm += noise.gauss(1 / std::sqrt(p.weight_x));
      p.y_mm += noise.gauss(1 / std::sqrt(p.weight_y));
    }
    const WeightedLine line = fit_line_weighted(points);
    inside[0] += std::abs(line.intercept_mm - 5.5) <= 2 * std::sqrt(line.covariance(0, 0));
    inside[1] += std::abs(line.slope + 0.48) <= 2 * std::sqrt(line.covariance(1, 1));
    product += (line.intercept_mm - 5.5) * (line.slope + 0.48) / trials;
    covariance += line.covariance(0, 1) / trials;
  }
  // The weights are known, so the errors are normal: 95.45 %, binomial within 4 standard deviations.
  const double band = 4 * std::sqrt(0.9545 * 0.0455 / trials);
  for (const double n : inside) EXPECT_NEAR(n / trials, 0.9545, band);
  // Products of two normal errors have a standard deviation of at most sqrt(2) times the root of their
  // variances' product; the correlation is close to 1 here.
  EXPECT_NEAR(product / covariance, 1, 4 * std::sqrt(2.0 / trials) * 1.1);
}

TEST(LineWeighted, EqualWeightsGiveTheOrthogonalLine) {
  testing::Noise noise(42);
  std::vector<WeightedPoint> points;
  testing::PointList in_space;
  for (int i = 0; i < 40; ++i) {
    points.push_back({i + noise.gauss(0.1), 3 + 0.7 * i + noise.gauss(0.1), 100, 100});
    in_space.push_back({points.back().x_mm, points.back().y_mm, 0});
  }
  const Line3 line = fit_line(in_space).feature;
  EXPECT_NEAR(fit_line_weighted(points).slope, line.direction.y() / line.direction.x(), 1e-12);
}

TEST(LineWeighted, RefusesWhatItCannotFit) {
  const auto refusal_of = [](const std::vector<WeightedPoint>& points) -> std::string {
    try {
      fit_line_weighted(points);
    } catch (const FitRefused& refused) {
      return refused.what();
    }
    return "(accepted)";
  };
  auto points = pearson_york();
  points[3].weight_x = 0;
  EXPECT_EQ(refusal_of(points),
            "weighted line: point 3 is not finite or has a weight that is not positive: leave it out");
  points = pearson_york();
  points.resize(2);
  EXPECT_EQ(refusal_of(points),
            "weighted line: 2 points, needs at least 3 (two fix it, a third shows whether it is one)");
  points = pearson_york();
  for (auto& p : points) p.x_mm = 1.5;
  EXPECT_EQ(refusal_of(points), "weighted line: all points have the same x: exchange x and y");
  points = pearson_york();
  for (auto& p : points) p.weight_y *= 100, p.weight_x *= 100;
  EXPECT_EQ(
      refusal_of(points),
      "weighted line: chi-square is 1187 with 10 points: the weights promise less scatter than the points "
      "have");
}

}  // namespace
}  // namespace datum::line_weighted_test
