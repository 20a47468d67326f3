#include "calib/fit/robust.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "calib/fit/construction.h"
#include "calib/fit/robust_search.h"
#include "tests/calib/fit/fit_points.h"
#include "tests/refusal.h"

namespace datum::robust_test {
namespace {

using testing::Noise;
using testing::PointList;

constexpr double sigma = 0.01;
const Eigen::Vector3d axis = Eigen::Vector3d(0.2, -0.35, 0.9).normalized();

RobustSettings settings(std::uint64_t seed = 1) {
  RobustSettings s;
  s.noise_sigma_mm = sigma;
  s.seed = seed;
  return s;
}

/// Clutter in a box of half width `half` about `center`, not on the feature.
void add_clutter(PointList& points, const Eigen::Vector3d& center, double half, int count, Noise& noise) {
  for (int i = 0; i < count; ++i) {
    points.push_back(center + Eigen::Vector3d(noise.uniform(-half, half), noise.uniform(-half, half),
                                              noise.uniform(-half, half)));
  }
}

// Clutter of density 1 in 8 half^3 has few points within 3 sigma of the feature; each pulls it by at most 3
// sigma / n. 5 standard uncertainties contain the plain fit's error (1e-6) with one left for them.
TEST(Robust, FindsEveryFeatureInHalfClutter) {
  Noise noise(11);
  const Eigen::Vector3d center(12, -40, 31);
  constexpr int own = 600, clutter = 400;

  PointList points = testing::on_plane({center, axis}, 20, 10, own, sigma, noise);
  add_clutter(points, center, 20, clutter, noise);
  const auto plane = fit_plane_robust(points, {0, 0, 1}, settings());
  EXPECT_NEAR(distance_mm(plane.fit.feature, center), 0, 5 * sigma / std::sqrt(own));
  EXPECT_LT(plane.fit.feature.normal.cross(axis).norm(), 5 * sigma / (10 / std::sqrt(3.0) * std::sqrt(own)));

  points = testing::on_line({center, axis}, 20, own, sigma, noise);
  add_clutter(points, center, 20, clutter, noise);
  const auto line = fit_line_robust(points, settings());
  EXPECT_LT((line.fit.feature.point_mm - center).cross(axis).norm(),
            5 * sigma / std::sqrt(own) * std::sqrt(2.0));

  points = testing::on_circle({center, axis, 8}, 4, own, sigma, noise);
  add_clutter(points, center, 10, clutter, noise);
  const auto circle = fit_circle_robust(points, settings());
  EXPECT_NEAR(circle.fit.feature.radius_mm, 8, 5 * std::sqrt(circle.fit.covariance(5, 5)));

  points = testing::on_sphere({center, 8}, axis, 1.2, own, sigma, noise);
  add_clutter(points, center, 10, clutter, noise);
  const auto sphere = fit_sphere_robust(points, settings());
  EXPECT_NEAR(sphere.fit.feature.radius_mm, 8, 5 * std::sqrt(sphere.fit.covariance(3, 3)));

  points = testing::on_cylinder({center, axis, 8}, 15, 3, own, sigma, noise);
  add_clutter(points, center, 15, clutter / 2, noise);
  const auto cylinder = fit_cylinder_robust(points, settings(), Eigen::Vector3d(0, 0, 1));
  EXPECT_NEAR(cylinder.fit.feature.radius_mm, 8, 5 * std::sqrt(cylinder.fit.covariance(4, 4)));
}

TEST(Robust, AChangedOrderChangesNoBit) {
  Noise noise(12);
  PointList points = testing::on_sphere({{1, 2, 3}, 8}, axis, 1.2, 3000, sigma, noise);
  add_clutter(points, {1, 2, 3}, 10, 1000, noise);
  const auto first = fit_sphere_robust(points, settings());
  PointList reversed(points.rbegin(), points.rend());
  const auto second = fit_sphere_robust(reversed, settings());
  EXPECT_EQ(first.fit.feature.center_mm, second.fit.feature.center_mm);
  EXPECT_EQ(first.fit.feature.radius_mm, second.fit.feature.radius_mm);
  EXPECT_EQ(first.fit.covariance, second.fit.covariance);
  ASSERT_EQ(first.inliers.size(), second.inliers.size());
  for (std::size_t i = 0; i < first.inliers.size(); ++i) {
    ASSERT_EQ(first.inliers[i], points.size() - 1 - second.inliers[second.inliers.size() - 1 - i]);
  }
}

TEST(Robust, InliersAreThoseOfTheFeature) {
  Noise noise(13);
  PointList points = testing::on_plane({{0, 0, 0}, axis}, 20, 20, 500, sigma, noise);
  for (int i = 0; i < 200; ++i) points[i] += axis * 0.5;  // a second level beside it, 50 sigma up
  const auto fit = fit_plane_robust(points, axis, settings());
  EXPECT_EQ(fit.fit.evidence.points, 500u);
  EXPECT_EQ(fit.fit.evidence.used, fit.inliers.size());
  // 0.27 % of 300 are beyond 3 sigma: 0.8 expected, more than 6 with a probability below 1e-4.
  EXPECT_GE(fit.inliers.size(), 294u);
  EXPECT_LE(fit.inliers.size(), 300u);
  EXPECT_GE(fit.inliers.front(), 200u);
  EXPECT_NEAR(fit.fit.evidence.sigma_mm, sigma, 4 * sigma / std::sqrt(600.0));
}

TEST(Robust, WhatIsMeantMustNotBeOpen) {
  Noise noise(14);
  PointList points = testing::on_plane({{0, 0, 0}, axis}, 20, 20, 500, sigma, noise);
  for (int i = 0; i < 240; ++i) points[i] += axis * 0.5;
  EXPECT_EQ(
      testing::refusal_of<FitRefused>([&] { fit_plane_robust(points, axis, settings()); }),
      "plane: 260 points lie on one and 240 on another: which is meant is open; choose a smaller region");
}

TEST(Robust, RefusesClutterWithoutAFeature) {
  Noise noise(15);
  PointList points;
  add_clutter(points, {0, 0, 0}, 20, 500, noise);
  EXPECT_EQ(
      testing::refusal_of<FitRefused>([&] { fit_plane_robust(points, axis, settings()); }).substr(0, 57),
      "plane: no consensus: the best of 5000 hypotheses has 0.01");
}

TEST(Robust, ScatterThatContradictsTheNoiseIsRefused) {
  Noise noise(16);
  const PointList points = testing::on_plane({{0, 0, 0}, axis}, 20, 20, 500, 1.6 * sigma, noise);
  EXPECT_NE(testing::refusal_of<FitRefused>([&] {
              fit_plane_robust(points, axis, settings());
            }).find("the stated noise of 0.01 mm"),
            std::string::npos);
}

TEST(Robust, SettingsThatMeanNothingAreRefused) {
  Noise noise(17);
  const PointList points = testing::on_plane({{0, 0, 0}, axis}, 20, 20, 50, sigma, noise);
  for (const auto& spoil : std::vector<void (*)(RobustSettings&)>{
           [](RobustSettings& s) { s.noise_sigma_mm = 0; }, [](RobustSettings& s) { s.noise_sigma_mm = NAN; },
           [](RobustSettings& s) { s.confidence = 1; }, [](RobustSettings& s) { s.max_hypotheses = 0; },
           [](RobustSettings& s) { s.least_share = 0; }, [](RobustSettings& s) { s.second_share = 1.5; }}) {
    RobustSettings s = settings();
    spoil(s);
    EXPECT_THROW(fit_plane_robust(points, axis, s), std::invalid_argument);
  }
}

// daemon/inspection/METROLOGY.md, 1.1 (a): p = 1 - 1e-9 needs 156 (w = 0.5), 50 (0.7) and 16 (0.9)
// hypotheses.
TEST(Robust, CountsHypothesesByTheRule) {
  EXPECT_EQ(robust::hypotheses_needed(0.5, 3, 1 - 1e-9, 5000), 156);
  EXPECT_EQ(robust::hypotheses_needed(0.7, 3, 1 - 1e-9, 5000), 50);
  EXPECT_EQ(robust::hypotheses_needed(0.9, 3, 1 - 1e-9, 5000), 16);
  EXPECT_EQ(robust::hypotheses_needed(0.0, 3, 1 - 1e-9, 100), 101);
}

TEST(Robust, DrawsDistinctIndicesEvenly) {
  std::array<int, 8> seen{};
  constexpr std::uint32_t draws = 8000;
  for (std::uint32_t k = 0; k < draws; ++k) {
    const auto drawn = robust::draw_distinct<6>(8, k, 99);
    EXPECT_EQ(std::set<std::uint32_t>(drawn.begin(), drawn.end()).size(), 6u);
    for (const auto i : drawn) ++seen.at(i);
  }
  // Each index is in a sample with probability 6/8; 5 sigma of the binomial count.
  for (const int n : seen) EXPECT_NEAR(n, draws * 0.75, 5 * std::sqrt(draws * 0.75 * 0.25));
}

}  // namespace
}  // namespace datum::robust_test
