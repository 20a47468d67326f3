// The height maps that other tests and the benchmark stand on are what they say.
#include "tests/gpu/map_scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "gpu/plane_fit/pixel_table.h"
#include "gpu/plane_fit/sampling.h"

namespace datum {
namespace {

using namespace testing;
using ::testing::Le;

/// Pixels of runs; a pixel that lies in two runs, or outside the frame, is counted as wrong.
struct Cover {
  std::set<std::pair<std::int32_t, std::int32_t>> pixels;
  int wrong = 0;
  void add(const MapScene& m, std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t r = first; r < first + count; ++r)
      for (std::int32_t k = 0; k < m.runs[r].length; ++k) {
        const std::pair pixel{m.runs[r].row, m.runs[r].col + k};
        const bool inside =
            pixel.first >= 0 && pixel.first < m.rows && pixel.second >= 0 && pixel.second < m.cols;
        wrong += !inside || !pixels.insert(pixel).second;
      }
  }
};

}  // namespace

TEST(MapScene, PaperRingsAreThoseOfTheBoard) {
  const std::vector<RingShape> rings = paper_rings();
  std::int32_t least = rings[0].pixels(), most = least, all = 0;
  for (const RingShape& r : rings) {
    least = std::min(least, r.pixels());
    most = std::max(most, r.pixels());
    all += r.pixels();
  }
  EXPECT_EQ(rings.size(), 58u);
  EXPECT_EQ(least, 12390);
  EXPECT_EQ(most, 66528);
  EXPECT_EQ(all, 1132102);
}

TEST(MapScene, RingsAndBodiesLieInTheFrameAndNeverMeet) {
  BoardOptions o;
  o.rows = 300, o.cols = 261;
  const MapScene m = board_map({{5, 40, 31}, {1, 3, 2}, {20, 60, 70}, {7, 20, 90}}, o);
  EXPECT_EQ(m.pitch % 8, 0);
  EXPECT_GE(m.pitch, m.cols);
  Cover cover;
  for (const SitePlan& s : m.sites) {
    const std::size_t before = cover.pixels.size();
    cover.add(m, s.ring_run, s.ring_runs);
    EXPECT_EQ(cover.pixels.size() - before, s.ring_pixels);
    cover.add(m, s.body_run, s.body_runs);
    EXPECT_EQ(cover.pixels.size() - before, s.ring_pixels + s.body_pixels);
  }
  EXPECT_EQ(cover.wrong, 0);
  EXPECT_EQ(m.sites[0].ring_pixels, 2u * 5 * (40 + 31 + 10));
  EXPECT_EQ(m.sites[1].body_pixels, 0u);  // a hole too small for its gap
}

TEST(MapScene, PointsLieWithinTheirBounds) {
  BoardOptions o;
  o.rows = o.cols = 200;
  const MapScene m = board_map({{5, 40, 31}, {9, 30, 42}}, o);
  for (std::uint32_t i = 0; i < 2; ++i) {
    const Scene s = ring_points(m.plan(), i, m.view());
    ASSERT_EQ(s.x.size(), m.sites[i].ring_pixels);
    for (std::size_t k = 0; k < s.x.size(); ++k) {
      ASSERT_THAT(std::fabs(s.x[k]), Le(s.half_x));
      ASSERT_THAT(std::fabs(s.y[k]), Le(s.half_y));
    }
  }
}

TEST(PlaneFitPixels, FoursDrawnAreThePixelsOfThePointsDrawn) {
  BoardOptions o;
  o.rows = 500, o.cols = 401;
  // 4000, 1110 and 2898 pixels: all of the second are sampled, the last quads of the last two are no whole ones
  const MapScene m = board_map({{10, 120, 60}, {5, 40, 61}, {9, 31, 112}}, o);
  for (std::size_t i = 0; i < m.sites.size(); ++i) {
    const SitePlan& site = m.sites[i];
    std::vector<std::uint32_t> pixels;  // of the ring, in the order of its points
    for (std::uint32_t r = site.ring_run; r < site.ring_run + site.ring_runs; ++r)
      for (std::int32_t k = 0; k < m.runs[r].length; ++k)
        pixels.push_back(static_cast<std::uint32_t>(m.runs[r].row * m.pitch + m.runs[r].col + k));
    ASSERT_EQ(pixels.size(), site.ring_pixels);
    std::vector<PixelQuad> quads;
    add_sampled_quads(m.plan(), site, m.pitch, &quads);
    ASSERT_EQ(quads.size(), plane_math::sampled_quads(site.ring_pixels));
    for (std::uint32_t k = 0; k < quads.size(); ++k) {
      const std::size_t first = std::size_t{4} * plane_math::sampled_quad(k, site.ring_pixels, site.seed);
      for (std::size_t j = 0; j < 4; ++j)
        EXPECT_EQ(quads[k][j], first + j < pixels.size() ? pixels[first + j] : no_pixel) << i << " " << k;
    }
  }
}

TEST(PlaneFitPixels, BoundsAreThoseOfThePoints) {
  BoardOptions o;
  o.rows = o.cols = 300;
  MapScene m = board_map({{5, 40, 30}}, o);
  SitePlan& site = m.sites[0];
  for (const std::uint32_t runs : {site.ring_runs, 1u}) {  // the ring, then each of its runs
    for (site.ring_runs = runs, site.ring_run = 0; site.ring_run + runs <= site.body_run; ++site.ring_run) {
      const Scene points = ring_points(m.plan(), 0, m.view());
      float most_x = 0, most_y = 0;
      for (const float x : points.x) most_x = std::max(most_x, std::fabs(x));
      for (const float y : points.y) most_y = std::max(most_y, std::fabs(y));
      site.half_x = most_x, site.half_y = most_y;
      EXPECT_TRUE(inside_bounds(m.plan(), site));
      site.half_x = std::nextafter(most_x, 0.f);
      EXPECT_FALSE(inside_bounds(m.plan(), site));
      site.half_x = most_x, site.half_y = std::nextafter(most_y, 0.f);
      EXPECT_FALSE(inside_bounds(m.plan(), site));
    }
  }
}

TEST(MapScene, ATypeOfCountsChangesNoByte) {
  BoardOptions o;
  o.rows = o.cols = 400;
  std::vector<std::string> fits;
  for (const CountType type : {CountType::int16, CountType::int32, CountType::float32}) {
    o.type = type;
    const MapScene m = board_map({{12, 60, 60}, {20, 30, 90}}, o);
    std::string bytes;
    for (const PlaneFit& f : fit_rings_on_cpu(m.plan(), m.view())) {
      EXPECT_EQ(f.status, FitStatus::ok);
      bytes += bytes_of(f);
    }
    fits.push_back(bytes);
  }
  EXPECT_EQ(fits[0], fits[1]);
  EXPECT_EQ(fits[0], fits[2]);
}

// Of n pixels with a deviation of sigma the mean has sigma / sqrt(n), and each slope at the edge of its
// region at most sqrt(3) times that: 6 deviations of the corner are 6 sigma sqrt(7 / n).
TEST(MapScene, FloorsAreWhatTheTruthSays) {
  BoardOptions o;
  o.rows = o.cols = 600;
  const MapScene m = board_map({{20, 100, 100}, {30, 50, 120}}, o);
  const std::vector<PlaneFit> fits = fit_rings_on_cpu(m.plan(), m.view());
  for (std::size_t i = 0; i < fits.size(); ++i) {
    const SitePlan& s = m.sites[i];
    EXPECT_LT(corner_error(fits[i], m.truth[i], s.half_x, s.half_y),
              6 * o.noise_um * std::sqrt(7.0 / s.ring_pixels));
    EXPECT_GT(fits[i].inliers, 0.9 * s.ring_pixels * (1 - o.missing - o.outliers));
    EXPECT_LT(fits[i].valid, s.ring_pixels);
  }
}

TEST(MapScene, PatchesAreThePapersPlanes) {
  for (const TruePlane& plane : {TruePlane{-0.1, 0.1, 3}, TruePlane{1, 2, 3}}) {
    const double slope = std::sqrt(1 + plane.a * plane.a + plane.b * plane.b);
    const MapScene m = patch_map(plane, 0.7, 3, 100, 2);
    EXPECT_EQ(m.rows, 200);
    EXPECT_EQ(m.cols, 200);
    for (const PlaneFit& f : fit_rings_on_cpu(m.plan(), m.view())) {
      // 10,000 samples of probability 0.7, even within 0.7 of the plane: 5 deviations of the count, 6 of the
      // corner
      EXPECT_NEAR(f.inliers, 7000, 5 * std::sqrt(10000 * 0.7 * 0.3));
      EXPECT_EQ(f.valid, 10000u);
      EXPECT_LT(corner_error(f, plane, 100, 100), 6 * 0.7 / std::sqrt(3.0) * slope * std::sqrt(7.0 / 7000));
    }
  }
}

TEST(MapScene, ARingThatIsTooLargeIsRefused) {
  BoardOptions o;
  o.rows = o.cols = 100;
  EXPECT_THROW(board_map({{5, 40, 91}}, o), std::invalid_argument);
}

}  // namespace datum
