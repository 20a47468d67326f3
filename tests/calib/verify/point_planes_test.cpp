// Lists of points from a coordinate measuring machine with known planes.
#include "calib/verify/point_planes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace datum {
namespace {

using ::testing::HasSubstr;

std::string refusal_of(const std::string& text) {
  try {
    (void)read_points(text, "p.csv");
    return "";
  } catch (const std::invalid_argument& why) {
    return why.what();
  }
}

TEST(PointPlanes, ReadsItsColumnsInAnyOrder) {
  const auto points =
      read_points("# of a CMM\r\nz_mm, plane,x_mm,y_mm\r\n3,2,1,-2.5\r\n\r\n0.1,1,4e2,5\n", "p.csv");
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].mm, Eigen::Vector3d(1, -2.5, 3));
  EXPECT_EQ(points[0].plane, 2);
  EXPECT_EQ(points[1].mm, Eigen::Vector3d(400, 5, 0.1));
  EXPECT_EQ(points[1].weight, 1);
}

TEST(PointPlanes, SaysWhichLineIsWrong) {
  EXPECT_THAT(refusal_of("x_mm,y_mm\n"), HasSubstr("p.csv:1: no column z_mm"));
  EXPECT_THAT(refusal_of("x_mm,y_mm,z_mm,x_mm\n"), HasSubstr("p.csv:1: head 'x_mm' twice"));
  EXPECT_THAT(refusal_of("1,2,3\n"), HasSubstr("p.csv:1: head '1'"));
  EXPECT_THAT(refusal_of("x_mm,y_mm,z_mm\n1,2,3\n1,2\n"), HasSubstr("p.csv:3: 2 fields; wanted: 3"));
  EXPECT_THAT(refusal_of("x_mm,y_mm,z_mm\n1,2,nan\n"), HasSubstr("p.csv:2: z_mm 'nan'"));
  EXPECT_THAT(refusal_of("x_mm,y_mm,z_mm,weight\n1,2,3,0\n"),
              HasSubstr("weight 0; wanted: a number above 0"));
  EXPECT_THAT(refusal_of("x_mm,y_mm,z_mm,plane\n1,2,3,0.5\n"), HasSubstr("plane 0.5"));
  EXPECT_THAT(refusal_of("x_mm,y_mm,z_mm\n"), HasSubstr("no points"));
}

// A saddle of +-1 nm on a plane 300 mm from the origin: beyond single precision.
TEST(PointPlanes, NanometresAreTold) {
  std::vector<ListedPoint> points;
  for (const int x : {-1, 1})
    for (const int y : {-1, 1})
      points.push_back({{300 + 10.0 * x, 200 + 10.0 * y, 100 + 1e-6 * x * y}, 1, 1});
  const ParallelPoints fit = fit_listed(points, NominalPlane{{0, 0, 1}, 100 - 5e-6});
  const ListedPlane& plane = fit.planes.at(1);
  EXPECT_NEAR(plane.flatness_mm, 2e-6, 1e-12);
  EXPECT_NEAR(*plane.profile_mm, 12e-6, 1e-12);
  EXPECT_NEAR(plane.offset_mm, 100, 1e-12);
}

// Shakarji and Srinivasan's test: one half sampled a hundred times as densely, weights by area.
TEST(PointPlanes, WeightsStandForAreasOnParallelPlanes) {
  const auto sampled = [](int denser) {
    std::vector<ListedPoint> points;
    for (int plane = 1; plane <= 2; ++plane)
      for (int half = 0; half < 2; ++half) {
        const int n = half == 0 ? 8 : 8 * denser;
        for (int i = 0; i < n; ++i)
          for (int k = 0; k < 8; ++k) {
            const double x = half * 10 + (i + 0.5) / n * 10, y = k;
            points.push_back({{x, y, 4.0 * plane + 1e-4 * half * (x - 10)}, 1.0 / n, plane});
          }
      }
    return fit_listed(points, std::nullopt);
  };
  const ParallelPoints once = sampled(1), denser = sampled(100);
  EXPECT_NEAR(once.planes.at(2).offset_mm - once.planes.at(1).offset_mm, 4 * once.normal.z(), 1e-12);
  // 8 places over 10 mm lack 1 / 64 of the area's second moment: a slope error of 6e-5. Without weights it is
  // 1e-4.
  EXPECT_NEAR(denser.normal.x(), once.normal.x(), 3e-6);
}

TEST(PointPlanes, RefusesWhatIsNoPlane) {
  std::vector<ListedPoint> line, few, cube;
  for (int i = 0; i < 8; ++i) {
    line.push_back({{1.0 * i, 2.0 * i, 0}, 1, 1});
    cube.push_back({{i & 1 ? 1.0 : 0, i & 2 ? 1.0 : 0, i & 4 ? 1.0 : 0}, 1, 1});
    if (i < 3) few.push_back({{1.0 * i, 1.0 * i * i, 0}, 1, 1});
  }
  EXPECT_THROW(fit_listed(line, std::nullopt), FitRefused);
  EXPECT_THROW(fit_listed(few, std::nullopt), FitRefused);
  EXPECT_THROW(fit_listed(cube, std::nullopt), FitRefused);
}

}  // namespace
}  // namespace datum
