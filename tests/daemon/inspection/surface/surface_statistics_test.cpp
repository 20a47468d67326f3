// Cover and area-weighted statistics of surfaces whose deviations are known.
#include "daemon/inspection/surface/surface_statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "tests/daemon/inspection/surface/surface_scene.h"

namespace datum {
namespace {

using namespace testing;

constexpr double offset_mm = 0.1;
const auto raised = [](double, double) { return offset_mm; };
const auto half_raised = [](double x, double) { return x < 0 ? 0 : offset_mm; };

SurfaceMap covered(std::vector<ModelPoint> points, const RawModel& raw = sheet_model(),
                   unsigned threads = 1) {
  SurfaceMap map = compared(raw, std::move(points));
  cover_of(map, {0.5, 1}, threads);
  return map;
}

TEST(SurfaceStatistics, AnOffsetIsItsMean) {
  std::vector<ModelPoint> points;
  add_points(points, -20, 20, 0.25, raised);
  SurfaceMap map = compared(sheet_model(3), points);
  const SurfaceCover cover = cover_of(map, {0.5, 1});
  EXPECT_NEAR(cover.area_mm2[0], 1200, 1e-9 * 1200);  // halving doubles is exact; thousands of sums
  EXPECT_EQ(cover.covered_mm2[0], cover.area_mm2[0]);
  const SurfaceStatistics s = statistics_of(map);
  // points at the sheet's rim are nearest to an open edge only where they lie beyond it
  EXPECT_EQ(s.face, points.size());
  EXPECT_NEAR(s.area_mm2, 1200, 1e-9 * static_cast<double>(points.size()));  // a unit of 1e-9 mm^2 each
  // the float nearest to 0.1 is 1.5e-6 um away; deviations are rounded to 1 nm
  for (const double um : {s.mean_um, s.rms_um, s.p1_um, s.p99_um}) EXPECT_NEAR(um, 100, 0.0005 + 2e-6);
  for (const double um : {s.least_um, s.largest_um}) EXPECT_NEAR(um, 100, 2e-6);
}

TEST(SurfaceStatistics, PointsBeyondAnOpenEdgeCoverNothing) {
  std::vector<ModelPoint> points;
  add_points(points, -20.4, -20, 0.1, raised);
  SurfaceMap map = compared(sheet_model(3), points);
  ASSERT_EQ(map.distances[0].kind, MatchClass::rim);
  EXPECT_EQ(cover_of(map, {0.5, 1}).covered_mm2[0], 0);
}

// A strip of points in the middle of facets that are smaller than the reach: what they share lies on other facets too.
TEST(SurfaceStatistics, APartOfTheModelGivesItsPointsTheSameAreas) {
  std::vector<ModelPoint> points;
  add_points(points, -3, -1, 0.25, raised);
  for (const double reach_mm : {0.3, 0.9, 2.5}) {
    SurfaceMap whole = compared(sheet_model(97), points), part = whole;
    cover_of(whole, {reach_mm, 1});
    share_area(part, reach_mm);
    EXPECT_GT(part.area_mm2[0], 0);
    EXPECT_EQ(part.area_mm2, whole.area_mm2) << reach_mm;
  }
}

TEST(SurfaceStatistics, AHalfSeenTenTimesAsDenselyWeighsNoMore) {
  std::vector<ModelPoint> even, uneven;
  add_points(even, -20, 20, 0.2, half_raised);
  add_points(uneven, -20, 0, 0.2, half_raised);
  add_points(uneven, 0, 20, 0.063, half_raised);
  const SurfaceStatistics a = statistics_of(covered(even)), b = statistics_of(covered(uneven));
  double plain = 0;
  for (const ModelPoint& p : uneven) plain += 1000.0 * p.z / static_cast<double>(uneven.size());
  EXPECT_GT(plain, 90);
  // Only patches within the reach of 0.5 mm of the line x = 0 are shared between the halves, 1 mm of 40: their shares
  // can move the mean by 1/40 of 100 um at most.
  EXPECT_NEAR(a.mean_um, 50, 2.5);
  EXPECT_NEAR(b.mean_um, 50, 2.5);
  // rms^2 = mean of {0, 100^2}
  EXPECT_NEAR(a.rms_um * a.rms_um, 5000, 250);
  EXPECT_NEAR(b.rms_um * b.rms_um, 5000, 250);
}

TEST(SurfaceStatistics, QuantilesAreOfTheArea) {
  std::vector<ModelPoint> points;
  add_points(points, -20, 20, 0.25, [](double x, double) { return x / 100; });  // -200 to 200 um
  const SurfaceStatistics s = statistics_of(covered(points));
  // columns of points are 2.5 um apart; shares at the rim and within a column differ by up to a column's
  EXPECT_NEAR(s.p1_um, -196, 5);
  EXPECT_NEAR(s.p50_um, 0, 5);
  EXPECT_NEAR(s.p99_um, 196, 5);
  EXPECT_NEAR(s.rms_um, 400 / std::sqrt(12.0), 2.5);
  EXPECT_NEAR(s.least_um, -198.75, 0.001);
  EXPECT_NEAR(s.largest_um, 198.75, 0.001);
}

TEST(SurfaceStatistics, RegionsHaveTheirOwnToleranceAndCover) {
  const RawModel raw = sheet_model(2);  // facets 0 to 3 are x below 0
  std::vector<ModelPoint> points;
  add_points(points, -20, 0, 0.25, half_raised);
  add_points(points, 0, 10, 0.25, half_raised);
  SurfaceMap map = compared(raw, points);
  map.regions = {{"left", -0.05, 0.05}, {"right", -0.05, 0.05}};
  map.region_of_facet = {0, 0, 0, 0, 1, 1, 1, no_region};
  const SurfaceCover cover = cover_of(map, {0.5, 1});
  EXPECT_NEAR(cover.area_mm2[0], 600, 1e-6);
  EXPECT_NEAR(cover.area_mm2[1], 450, 1e-6);
  EXPECT_NEAR(cover.area_mm2[2], 150, 1e-6);
  EXPECT_EQ(cover.covered_mm2[0], cover.area_mm2[0]);
  // x from 0 to 10 of 20, and the reach of 0.5 mm beyond, along 15 mm and where a triangle is 7.5 mm high
  EXPECT_GE(cover.covered_mm2[1] + cover.covered_mm2[2], 300);
  EXPECT_LE(cover.covered_mm2[1] + cover.covered_mm2[2], 300 + 30 * 0.5 * 1.5);
  const SurfaceStatistics left = statistics_of(map, 0), right = statistics_of(map, 1),
                          none = statistics_of(map, no_region);
  EXPECT_EQ(left.face_out, 0u);
  EXPECT_EQ(left.fraction_out, 0);
  EXPECT_EQ(right.face_out, right.face);
  EXPECT_EQ(right.fraction_out, 1);
  EXPECT_EQ(none.face_out, 0u);
  EXPECT_EQ(left.points + right.points + none.points, points.size());
}

TEST(SurfaceStatistics, PointsOfOneRegionDoNotCoverAnother) {
  std::vector<ModelPoint> points;
  add_points(points, -20, 0, 0.25, half_raised);
  SurfaceMap map = compared(sheet_model(2), points);
  map.regions = {{"left", -1, 1}, {"right", -1, 1}};
  map.region_of_facet = {0, 0, 0, 0, 1, 1, 1, 1};
  const SurfaceCover cover = cover_of(map, {0.5, 1});
  EXPECT_EQ(cover.covered_mm2[0], cover.area_mm2[0]);
  EXPECT_EQ(cover.covered_mm2[1], 0);
}

TEST(SurfaceStatistics, NothingFoundIsNoZero) {
  std::vector<ModelPoint> points{{0, 0, 5}, {0, 0, std::numeric_limits<float>::quiet_NaN()}};
  SurfaceMap map = compared(sheet_model(), points);
  const SurfaceCover cover = cover_of(map, {0.5, 1});
  EXPECT_EQ(cover.covered_mm2[0], 0);
  EXPECT_EQ(points_without_data(map), 2u);
  const SurfaceStatistics s = statistics_of(map);
  EXPECT_EQ(s.points, 0u);
  for (const double um :
       {s.mean_um, s.rms_um, s.p1_um, s.p50_um, s.p99_um, s.least_um, s.largest_um, s.fraction_out})
    EXPECT_TRUE(std::isnan(um));
}

TEST(SurfaceStatistics, TheFarSideOfAThinWallIsNotCovered) {
  std::vector<ModelPoint> points;
  add_points(points, -20, 20, 0.25, [](double, double) { return 0.11; });
  SurfaceMap map = compared(box_model(40, 30, 0.2, 1), points);
  const SurfaceCover cover = cover_of(map, {0.5, 1});
  EXPECT_NEAR(cover.area_mm2[0], 2 * 1200 + 2 * 0.2 * 70, 1e-6);
  EXPECT_NEAR(cover.covered_mm2[0], 1200, 1e-6);
}

TEST(SurfaceStatistics, BytesDependOnNeitherOrderNorThreads) {
  std::vector<ModelPoint> points = points_in_cube(20000, 12, 4);
  const SurfaceMap one = covered(points, sphere_model(11, 20)),
                   three = covered(points, sphere_model(11, 20), 3);
  EXPECT_EQ(0, std::memcmp(one.area_mm2.data(), three.area_mm2.data(), sizeof(double) * points.size()));
  std::reverse(points.begin(), points.end());
  const SurfaceMap back = covered(points, sphere_model(11, 20));
  EXPECT_TRUE(std::equal(back.area_mm2.rbegin(), back.area_mm2.rend(), one.area_mm2.begin()));
  const SurfaceStatistics a = statistics_of(one), b = statistics_of(back);
  EXPECT_GT(a.face, 100u);
  EXPECT_EQ(a.mean_um, b.mean_um);
  EXPECT_EQ(a.rms_um, b.rms_um);
  EXPECT_EQ(a.p99_um, b.p99_um);
  EXPECT_EQ(a.area_mm2, b.area_mm2);
}

TEST(SurfaceStatistics, PointsOfASurfaceStandForAllThatTheyMark) {
  const std::vector<ModelPoint> points = points_in_cube(20000, 12, 4);
  SurfaceMap map = compared(sphere_model(11, 20), points);
  const SurfaceCover cover = cover_of(map, {0.5, 1});
  const double sum = std::accumulate(map.area_mm2.begin(), map.area_mm2.end(), 0.0);
  EXPECT_NEAR(sum, cover.covered_mm2[0], 1e-9 * sum);
  EXPECT_LT(cover.covered_mm2[0], cover.area_mm2[0]);
}

TEST(SurfaceStatistics, HistogramKeepsAllArea) {
  std::vector<ModelPoint> points;
  add_points(points, -20, 20, 0.25, [](double x, double) { return x / 100; });
  const SurfaceMap map = covered(points);
  const DeviationHistogram h = histogram_of(map, -100, 100, 8);
  ASSERT_EQ(h.area_mm2.size(), 8u);
  double sum = h.below_mm2 + h.above_mm2;
  for (const double area : h.area_mm2) {
    EXPECT_NEAR(area, 1200.0 / 16,
                3);  // a column of points is 7.5 mm^2 wide and stands for its neighbours' patches too
    sum += area;
  }
  EXPECT_NEAR(sum, statistics_of(map).area_mm2, 1e-9);
  EXPECT_THROW(histogram_of(map, 1, 1, 8), std::invalid_argument);
  EXPECT_THROW(histogram_of(map, 0, 1, 0), std::invalid_argument);
}

TEST(SurfaceStatistics, WhatCanNotBeIsRefused) {
  SurfaceMap map = compared(sheet_model(), {{0, 0, 0}});
  EXPECT_THROW(statistics_of(map), std::invalid_argument);  // areas are not known yet
  for (const double reach : {0.0, -1.0, std::nan(""), 1e-6})
    EXPECT_THROW(cover_of(map, {reach, 1}), std::invalid_argument);
  map.region_of_facet = {0, 0};
  EXPECT_THROW(cover_of(map, {0.5, 1}), std::invalid_argument);
}

}  // namespace
}  // namespace datum
